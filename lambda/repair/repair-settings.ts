import {
  heldSeconds,
  nodeCountLike,
  numberOf,
  objectsLike,
  oneOf,
  secondsFrom,
} from "../config/form.ts";
import { clusterSetting, groupSetting } from "../config/setting.ts";
import { repairActions } from "./repair-policy.ts";

// The longest time for which a node may have a condition before it is repaired.
const mostMinutes = 1440;

/** Overrides of the table of conditions. */
const overrides = objectsLike({
  called: `conditions, reasons, minutes from 1 to ${mostMinutes} and actions (${repairActions.join(", ")})`,
  listed: "a list of conditions and what is done about them",
  example: '[{"condition": "KernelReady", "reason": "*", "minutes": 30, "action": "reboot"}]',
  fields: {
    condition: { kind: "text", called: "the type of a condition, such as KernelReady" },
    reason: { kind: "text", called: 'the reason of a condition, or "*" for every reason' },
    minutes: { kind: "number", least: 1, most: mostMinutes },
    action: { kind: "word", words: repairActions },
  },
});

/** How nodes that are ill, and instances without a node, are repaired, where repairs are on. */
export const repairSettings = {
  /** Whether ill nodes and instances without a node are repaired, or only reported; docs/repair.md says where. @default "repair" */
  mode: groupSetting("REPAIR_MODE", oneOf("repair", "dry-run"), "repair"),
  /** How often the groups are looked at, in whole minutes. @default 5 minutes */
  every: clusterSetting("REPAIR_EVERY_SECONDS", secondsFrom(60, 3600), 300),
  /**
   * How long a node has a condition until it is repaired, and by what, where that differs from the table in docs/repair.md.
   * @default none
   */
  overrides: clusterSetting("REPAIR_OVERRIDES", overrides, []),
  /** How long an instance in service without a node is waited for, from its launch and from the first look that found none. @default 15 minutes */
  withoutNode: groupSetting("REPAIR_WITHOUT_NODE_SECONDS", secondsFrom(300, 86_400), 900),
  /** How many instances of a group may be repaired at the same time, or which percentage of them. @default "1" */
  atOnce: groupSetting("REPAIR_AT_ONCE", nodeCountLike("10%"), "1"),
  /**
   * How many nodes of a group may be ill, or which percentage of them, before none of the group is repaired, because the
   * cause is not the node; a percentage is rounded down, and lets one be ill at least. @default "20%"
   */
  mostIll: groupSetting("REPAIR_MOST_ILL", nodeCountLike("20%"), "20%"),
  /**
   * Whether the pod of the node monitoring agent is restarted, once, before a repair for which nothing but the agent
   * speaks; docs/repair.md says for which reasons. @default "off"
   */
  secondOpinion: clusterSetting("REPAIR_SECOND_OPINION", oneOf("off", "restart-agent"), "off"),
  /** How many instances of a group may be repaired within an hour; the group remembers each in one of its 50 tags. @default 4 */
  perHour: groupSetting("REPAIR_PER_HOUR", numberOf("repairs", 1, 20), 4),
  /**
   * How long the drain of an ill node may take, counted from the mark, whatever the timeout of other drains is; budgets hold its pods
   * until then, or as long as its hook can be held. @default 30 minutes
   */
  timeout: groupSetting("REPAIR_TIMEOUT_SECONDS", heldSeconds(30), 1800),
};
