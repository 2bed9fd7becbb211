import type { GroupName } from "../base/ids.ts";
import type { Duration } from "../base/time.ts";
import type { NodeCount } from "../group/node-count.ts";

/** What the instances of a group are to be launched by after its upgrade. */
export type UpgradeTarget =
  /** A version of the template that the group has: its number, `$Latest` or `$Default`. */
  | { readonly kind: "version"; readonly version: number | "$Default" | "$Latest" }
  /** A new version of that template with this image, `ami-…`. */
  | { readonly kind: "image"; readonly image: string }
  /** A new version with the image that a parameter of SSM names. */
  | { readonly kind: "parameter"; readonly parameter: string }
  /** What the group names already: only instances that are old by it, by hand or by age are replaced. */
  | { readonly kind: "as-it-is" };

/** Which old nodes go first. */
export type UpgradeOrder = "emptiest" | "oldest" | "random" | "zone";

/** The times of a week in which an upgrade may start on further nodes, in UTC. */
export interface MaintenanceWindow {
  /** 0 is Sunday. */
  readonly days: readonly number[];
  /** Minutes after midnight. */
  readonly from: number;
  /** Minutes after midnight; earlier than `from` for a window that ends on the next day. */
  readonly to: number;
}

/** A check of a new node besides those that every upgrade makes. */
export type OwnCheck =
  | { readonly kind: "none" }
  /** The node has this label. */
  | { readonly kind: "label"; readonly key: string; readonly value: string }
  /** The node answers a GET at its internal address with 200. */
  | { readonly kind: "http"; readonly port: number; readonly path: string };

/** How a group is upgraded. */
export interface UpgradeOptions {
  /** How many old nodes are drained at the same time, 100 at most. */
  readonly maxUnavailable: NodeCount;
  /** `DEFAULT` launches new nodes first; `MINIMAL` never has more nodes than the group's size. */
  readonly strategy: "DEFAULT" | "MINIMAL";
  /** How many nodes more the group has meanwhile; `managed` for as many as a managed node group would. */
  readonly surge: "managed" | number;
  readonly order: UpgradeOrder;
  /**
   * Whether all old nodes are cordoned before the first is drained, or each when its turn comes. `by-room`: all, unless
   * without a surge pods would have room on old nodes alone; which one is chosen when the upgrade begins.
   */
  readonly cordon: "all" | "by-room" | "one-by-one";
  /** `first` validates the first replacement alone, twice, before the rest. */
  readonly canary: "first" | "none";
  /** What happens to a node whose pods do not leave in time, once all others are done. */
  readonly ifBlocked: "fail" | "force";
  /** Whether an upgrade begins whose pods would find no node, neither one that stays nor one of the surge. */
  readonly ifUnschedulable: "allow" | "refuse";
  /** How long the pods of a node have to leave. */
  readonly drainTimeout: Duration;
  /** How long a drained node is kept, so that load balancers have let it go. A managed node group waits 60 seconds. */
  readonly afterDrain: Duration;
  /** How long it waits before it looks again at what nobody can foresee, such as new nodes. */
  readonly lookEvery: Duration;
  /** When it may start on further nodes; `always` at any time. */
  readonly window: MaintenanceWindow | "always";
  /** How long the upgrade may take; `none` without a limit. */
  readonly timeLimit: Duration | "none";
  /** It stops while more nodes than that are not ready. */
  readonly maxUnready: number;
  /** It stops while more pods than that are pending, beyond those at its begin. */
  readonly maxPending: number;
  /** Nodes older than that are replaced too; `any` for no such age. */
  readonly maxAge: Duration | "any";
  readonly check: OwnCheck;
}

/** What somebody wants of the upgrade of a group. */
export type UpgradeCommand =
  | {
      readonly kind: "start";
      /** Eight hexadecimal digits, by which a repeated message is recognised. */
      readonly id: string;
      readonly group: GroupName;
      readonly to: UpgradeTarget;
      readonly options: UpgradeOptions;
    }
  /** Each of these messages carries the upgrade on from then on, so that one whose message is lost can be revived. */
  | {
      readonly kind: "abort" | "pause" | "resume";
      /** Eight hexadecimal digits of its own. */
      readonly id: string;
      readonly group: GroupName;
      /** The upgrade that it is about. */
      readonly of: string;
    };

/** The id of the upgrade that somebody wants something of. */
export const upgradeOf = (command: UpgradeCommand): string =>
  command.kind === "start" ? command.id : command.of;
