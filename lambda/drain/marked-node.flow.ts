import type { Instant } from "../base/time.ts";
import type { Cause } from "./cause.ts";
import type { DrainBounds } from "./drain-bounds.ts";
import type { DrainOrder } from "./drain-order.flow.ts";
import type { Node } from "./node.ts";

/** The node of an order, with its mark. */
export interface MarkedNode {
  readonly order: DrainOrder;
  readonly node: Node;
  /** The VPC of the instance; empty if unknown. */
  readonly vpc: string;
  /** When this pass found the node, and began to mark it. */
  readonly foundAt: Instant;
  /** `missing` if the node could not be marked and is drained all the same. */
  readonly mark: "set" | "missing";
  /** When it was marked; without a mark, when the drain began. */
  readonly marked: Instant;
  /**
   * From when on the mark counts as one that stays: later than `marked` if the node had to be marked again. Without a mark
   * never, unless nobody knows when the drain began.
   */
  readonly trustedFrom: Instant;
  /** Until when this process may evict the node's pods, before it has to renew its lease. */
  readonly evictsUntil: Instant;
  readonly bounds: DrainBounds;
  /** The new beginning of the drain's time, because it came too late; `never` if it is in time. */
  readonly lateSince: Instant;
  /** The cause in the mark. */
  readonly cause: Cause;
}
