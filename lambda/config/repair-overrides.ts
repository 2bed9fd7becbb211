import { type RepairOverride, repairActions } from "../repair/repair-policy.ts";
import { jsonList } from "./text-reader.ts";

const example = '[{"condition": "KernelReady", "reason": "*", "minutes": 30, "action": "reboot"}]';

/** The longest time for which a node may have a condition before it is repaired, in minutes. */
export const mostMinutes = 1440;

/** Reads what is said in place of the table of conditions. */
export const overrideList = jsonList(
  `a JSON list of conditions, reasons, minutes from 1 to ${mostMinutes} and actions (${repairActions.join(", ")}), such as ${example}`,
  isOverride,
);

function isOverride(item: unknown): item is RepairOverride {
  const { condition, reason, minutes, action, ...others } = Object(item);
  return (
    [condition, reason].every((text) => typeof text === "string" && text !== "") &&
    Number.isInteger(minutes) &&
    minutes >= 1 &&
    minutes <= mostMinutes &&
    repairActions.includes(action) &&
    Object.keys(others).length === 0
  );
}
