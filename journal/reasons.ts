import { requested, terminating } from "../lambda/drain/reason.ts";
import { evacuated } from "../lambda/group-work/evacuation-reason.ts";
import { interruptionReasons } from "../lambda/interruption/interruption-reasons.ts";
import { ill } from "../lambda/repair/repair-reason.ts";
import { upgraded } from "../lambda/upgrade/upgrade-reason.ts";

/** The reasons for drains that entries tell. */
export const toldReasons = [
  terminating,
  ...interruptionReasons,
  requested,
  upgraded,
  evacuated,
  ill,
].map(({ reason }) => reason);
