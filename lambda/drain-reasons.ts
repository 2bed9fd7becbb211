import { type Reasons, requested, terminating } from "./drain/reason.ts";
import { evacuated } from "./group-work/evacuation-reason.ts";
import { interruptionReasons } from "./interruption/interruption-reasons.ts";
import * as own from "./own-reasons.ts";

/** The reasons for which nodes are drained, whichever function does it. */
export const drainReasons: Reasons = [
  terminating,
  ...interruptionReasons,
  requested,
  evacuated,
  ...Object.values(own),
];
