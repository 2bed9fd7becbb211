import { seconds } from "../../domain/time.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Marks } from "../../ports/marks.ts";
import { TtlCache } from "./ttl-cache.ts";

// Longer than the drains of one batch are apart, and shorter than a node stays open that somebody has opened.
const memory = seconds(20);

/** The marks of all drains of this process; each is remembered for some seconds. */
export const sharedMarks = (clock: Pick<Clock, "now">): Marks =>
  new TtlCache<unknown>(clock, () => memory);
