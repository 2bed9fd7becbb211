import { type Reasons, requested, terminating } from "./drain/reason.ts";
import { evacuated } from "./group-work/evacuation-reason.ts";
import { interruptionReasons } from "./interruption/interruption-reasons.ts";
import { ill } from "./repair/repair-reason.ts";
import { upgraded } from "./upgrade/upgrade-reason.ts";

/** The reasons for which nodes are drained, whichever function does it. */
export const drainReasons: Reasons = [
  terminating,
  ...interruptionReasons,
  requested,
  upgraded,
  evacuated,
  ill,
];
