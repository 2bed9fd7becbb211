import type { Fault } from "../base/fault.ts";
import type { InstanceId } from "../base/ids.ts";
import type { Duration, Instant } from "../base/time.ts";
import type { Ec2Answer } from "../group/ec2-instance.ts";
import type { Keeper } from "../notice/keeper.flow.ts";
import type { BoundsAtStart } from "./drain-bounds.ts";
import type { DrainSettings } from "./drain-policy.ts";
import type { Reason } from "./reason.ts";

/** An instance to drain, for whatever kind of notice: why, how and within which bounds. */
export interface DrainOrder {
  readonly instance: InstanceId;
  /** The instance as EC2 describes it. @default EC2 is asked now */
  readonly ec2Instance?: Promise<Ec2Answer>;
  /** Other instances that will terminate soon as well. */
  readonly peers: readonly InstanceId[];
  /** The reason in the node's mark. */
  readonly reason: Reason;
  readonly settings: DrainSettings;
  readonly start: BoundsAtStart;
  /** The receive count of the notice. */
  readonly receives: number;
  readonly keeper: Keeper;
  /** When this pass stops evicting and hands the notice back. */
  readonly passEnds: Instant;
  /**
   * The pause between the mark and the first eviction, in which other nodes that leave at the same time get their
   * marks.
   * @default no pause
   */
  readonly headStart?: Duration;
  /** Why the tags of its group could not be read: they may forbid what is done here. @default they were read */
  readonly unread?: Fault | "none";
}
