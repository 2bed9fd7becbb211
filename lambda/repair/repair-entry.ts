import type { InstanceId, NodeName } from "../base/ids.ts";
import type { Instant } from "../base/time.ts";
import type { RepairBrake } from "./brakes.ts";

/** Starts one pass over all managed groups. A schedule sends it. */
export interface RepairMessage {
  readonly kind: "repair";
  /** When it was sent; `unsaid` if a person sent it. */
  readonly sent: Instant | "unsaid";
}

/** An ill instance in the journal. The entry's subject names the instance and its group. */
interface IllInstanceEntry {
  /** Empty if it has no node. */
  readonly node: NodeName | "";
  /** Such as `KernelReady/ForkFailedOutOfPIDs`. */
  readonly cause: string;
}

/** The result of a pass: how many repairs began, how many were held, and how many are not due. */
export interface RepairEnd {
  readonly begun: number;
  readonly held: number;
  readonly waiting: number;
}

/** The journal's entries about repairs, apart from the drains of their nodes. */
export type RepairEntry =
  | { readonly kind: "repair-started"; readonly receives: number }
  | {
      readonly kind: "repair-pass";
      readonly groups: number;
      readonly instances: number;
      readonly nodes: number;
      readonly ill: number;
    }
  /** An instance is ill: since when, when its repair is due, and what happens to it now. Times are in ISO 8601. */
  | (IllInstanceEntry & {
      readonly kind: "repair-ill";
      readonly since: string;
      readonly due: string;
      readonly action: "reboot" | "replace";
      readonly message: string;
      readonly verdict: string;
    })
  | (IllInstanceEntry & {
      readonly kind: "repair-begun";
      readonly action: "reboot" | "replace";
      /** Until when budgets are respected. */
      readonly deadline: string;
    })
  /** A brake holds this many repairs of a group. */
  | {
      readonly kind: "repair-held";
      readonly brake: RepairBrake["kind"];
      readonly reason: string;
      readonly instances: readonly InstanceId[];
    }
  | (IllInstanceEntry & { readonly kind: "repair-rebooted" })
  /** The monitoring agent of an ill node is restarted, so that it looks again before the node is repaired. */
  | (IllInstanceEntry & { readonly kind: "repair-agent-restarted"; readonly pod: string })
  /** A repair is done: the node is well after a reboot, or another instance has replaced it. */
  | {
      readonly kind: "repair-done";
      readonly node: NodeName | "";
      readonly by: "reboot" | InstanceId;
    }
  | ({ readonly kind: "repair-ended" } & RepairEnd);
