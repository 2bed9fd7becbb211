import { type Instant, later, never } from "../base/time.ts";
import type { Bookmark } from "./bookmark.ts";

/** How the cluster bears an upgrade. */
export interface Bearing {
  /** How many of the group's nodes are not ready. */
  readonly unready: number;
  /** How many pods wait for a node. */
  readonly pending: number;
}

/** Whether an upgrade may start on further nodes now, or what keeps it. */
export type Brake = { readonly kind: "go" } | { readonly kind: "held"; readonly reason: string };

/** Says whether an upgrade may start on further nodes, as far as the cluster bears it. */
export function brakeOf({ options, before }: Bookmark, { unready, pending }: Bearing): Brake {
  if (unready > options.maxUnready)
    return {
      kind: "held",
      reason: `${unready} nodes are not ready, more than ${options.maxUnready}`,
    };
  const more = pending - before.pending;
  if (more > options.maxPending)
    return {
      kind: "held",
      reason: `${more} pods more than at the begin wait for a node, more than ${options.maxPending}`,
    };
  return { kind: "go" };
}

/** Whether an upgrade has taken longer than it may. */
export const isOutOfTime = (bookmark: Bookmark, now: Instant): boolean => limitOf(bookmark) <= now;

/** When an upgrade has taken as long as it may. */
export const limitOf = ({ begun, options }: Bookmark): Instant =>
  options.timeLimit === "none" ? never : later(begun, options.timeLimit);
