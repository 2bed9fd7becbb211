import type { InstanceId, NodeName } from "../base/ids.ts";
import type { Instant } from "../base/time.ts";
import type { RepairBrake } from "./brakes.ts";

/** Asks for one look at all managed groups; a schedule sends it. */
export interface RepairMessage {
  readonly kind: "repair";
  /** When it was sent; `unsaid` where somebody asks by hand. */
  readonly sent: Instant | "unsaid";
}

/** An ill instance, as the journal tells it. The subject of the entry names the instance and its group. */
interface IllTold {
  /** Empty for an instance without a node. */
  readonly node: NodeName | "";
  /** Such as `KernelReady/ForkFailedOutOfPIDs`. */
  readonly cause: string;
}

/** What came of a pass: how many repairs it began, how many something held, and how many were not due. */
export interface RepairEnd {
  readonly begun: number;
  readonly held: number;
  readonly waiting: number;
}

/** What the journal says about repairs besides the drains of their nodes. */
export type RepairEntry =
  | { readonly kind: "repair-started"; readonly receives: number }
  /** What a pass has found. */
  | {
      readonly kind: "repair-pass";
      readonly groups: number;
      readonly instances: number;
      readonly nodes: number;
      readonly ill: number;
    }
  /** An instance is ill; since when, from when on it is repaired, and what becomes of it now. Times are in ISO 8601. */
  | (IllTold & {
      readonly kind: "repair-ill";
      readonly since: string;
      readonly due: string;
      readonly action: "reboot" | "replace";
      readonly message: string;
      readonly verdict: string;
    })
  | (IllTold & {
      readonly kind: "repair-begun";
      readonly action: "reboot" | "replace";
      /** Until when budgets are kept. */
      readonly deadline: string;
    })
  /** Something keeps so many repairs of a group from beginning. */
  | {
      readonly kind: "repair-held";
      readonly brake: RepairBrake["kind"];
      readonly reason: string;
      readonly instances: readonly InstanceId[];
    }
  | (IllTold & { readonly kind: "repair-rebooted" })
  /** An instance has been repaired: its node is well after a reboot, or another instance has taken its place. */
  | {
      readonly kind: "repair-done";
      readonly node: NodeName | "";
      readonly by: "reboot" | InstanceId;
    }
  /** What a pass has done. */
  | ({ readonly kind: "repair-ended" } & RepairEnd);
