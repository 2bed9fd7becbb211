import type { GroupName } from "../base/ids.ts";
import { timestamp } from "../base/time.ts";
import type { LeftAlone } from "./left-alone.ts";
import { brakeText } from "./repair-brakes.ts";
import type { Case } from "./repair-plan.ts";

/** What becomes of an ill instance, for people. */
export function verdictText({ verdict, action, patient: { group } }: Case): string {
  switch (verdict.kind) {
    case "waits":
      return `${repairWords[action]} at ${timestamp(verdict.until)}, unless it is well by then`;
    case "repairs":
      return `${repairWords[verdict.step.kind]} now`;
    case "leaving":
      return `${group} replaces it already`;
    case "rebooting":
      return `reboots, and has to be well by ${timestamp(verdict.until)}`;
    case "held":
      return `held: ${verdict.brakes.map((brake) => brakeText(brake, group)).join("; and ")}`;
    case "left-alone":
      return `left alone: ${leftAloneText(verdict.because, group)}`;
  }
}

/** What is done with an ill instance, for people. */
export const repairWords = { reboot: "rebooted", replace: "replaced" } as const;

/** Why an ill instance is left alone, for people. */
export function leftAloneText(because: LeftAlone, group: GroupName): string {
  switch (because.kind) {
    case "launching":
      return `its launch is not complete (${because.state})`;
    case "warm-pool":
      return `it is in the warm pool of ${group} (${because.state})`;
    case "standby":
      return `somebody has put it on standby (${because.state})`;
    case "leaving":
      return `it leaves ${group} for another reason (${because.state})`;
    case "protected":
      return `it is protected from scale-in; remove the protection to have it repaired`;
    case "marked":
      return `it is drained for another reason: ${because.reason}`;
    case "no-provider-id":
      return "its node has no provider ID of EC2, so it could not be drained; see why no cloud controller gives it one";
    case "cordoned":
      return "somebody has cordoned its node; uncordon it to have it repaired";
  }
}
