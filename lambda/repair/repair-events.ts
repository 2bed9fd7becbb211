import { type EventRow, onNode, rowsOf } from "../report/kube-event.ts";
import type { RepairEntry } from "./repair-entry.ts";
import { repairWords } from "./repair-texts.ts";

const row = rowsOf<RepairEntry>();

const once = { type: "Normal", action: "Repair", on: "node", series: "once" } as const;

/** The Events of repairs. For an instance without a node, they name a node with the id of the instance. */
export const repairEvents: readonly EventRow[] = [
  row(
    "repair-ill",
    {
      ...once,
      type: "Warning",
      reason: "NodeIll",
      meaning: "The node is ill, or the instance has none: of what, and since when.",
    },
    ({ node, cause, since, message, instance = "" }) =>
      onNode(node || instance, `${cause} since ${since}: ${message}`, `${cause} ${since}`),
  ),
  row(
    "repair-ill",
    {
      ...once,
      reason: "RepairPlanned",
      meaning: "When the instance is replaced or rebooted, or what keeps that.",
    },
    ({ node, verdict, instance = "" }) => onNode(node || instance, verdict, verdict),
  ),
  row(
    "repair-begun",
    {
      ...once,
      reason: "RepairStarted",
      meaning: "The group replaces the instance, or its node is drained for a reboot.",
    },
    ({ node, action, cause, deadline, instance = "" }) =>
      onNode(
        node || instance,
        `${repairWords[action]} because of ${cause}; budgets are kept until ${deadline}`,
        cause,
      ),
  ),
  row(
    "repair-rebooted",
    {
      ...once,
      reason: "InstanceRebooted",
      meaning: "The node is drained, and its instance reboots.",
    },
    ({ node, cause, instance = "" }) =>
      onNode(node || instance, `reboots because of ${cause}`, cause),
  ),
  row(
    "repair-agent-restarted",
    {
      ...once,
      reason: "AgentRestarted",
      meaning:
        "Only the node monitoring agent calls the node ill; it is restarted, and looks again.",
    },
    ({ node, cause, pod, instance = "" }) =>
      onNode(node || instance, `${pod} restarts, to look again for ${cause}`, cause),
  ),
  row(
    "repair-done",
    {
      ...once,
      reason: "Repaired",
      meaning: "The node is well after a reboot, or another instance has taken its place.",
    },
    ({ node, by, instance = "" }) =>
      onNode(
        node || instance,
        by === "reboot" ? "well after a reboot" : `${by} has taken its place`,
        by,
      ),
  ),
];
