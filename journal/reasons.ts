import { requested, terminating } from "../lambda/drain/reason.ts";
import { evacuated } from "../lambda/group-work/evacuation-reason.ts";
import { interruptionReasons } from "../lambda/interruption/interruption-reasons.ts";
import { own } from "./own.ts";

/** The reasons for drains that entries tell. */
export const toldReasons = [
  terminating,
  ...interruptionReasons,
  requested,
  evacuated,
  ...own.flatMap(({ reasons }) => reasons),
].map(({ reason }) => reason);
