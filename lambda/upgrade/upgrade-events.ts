import { someOf } from "../base/counted.ts";
import { noteLines } from "../notice/outcome.ts";
import { type EventKind, type EventRow, onNode, rowsOf } from "../report/kube-event.ts";
import type { UpgradeEntry } from "./upgrade-entry.ts";

const row = rowsOf<UpgradeEntry>();

const done = { type: "Normal", action: "Upgrade", on: "node", series: "once" } as const;

type NodesEntry = Extract<UpgradeEntry, { readonly kind: "upgrade-nodes" }>;

/** Makes the row of what an upgrade does with nodes. */
const deed = (
  deeds: readonly NodesEntry["deed"][],
  event: EventKind,
  note: (left: readonly string[]) => string,
): EventRow =>
  row("upgrade-nodes", event, ({ upgrade, deed: found, nodes, left }) =>
    deeds.includes(found)
      ? nodes.flatMap((node) =>
          onNode(node, `upgrade ${upgrade}: ${note(noteLines(left))}`, upgrade),
        )
      : [],
  );

/** The Events of upgrades, each about a node. Its drain has Events of its own. */
export const upgradeEvents: readonly EventRow[] = [
  deed(
    ["chosen"],
    {
      ...done,
      reason: "UpgradeChosen",
      meaning:
        "It is the old node's turn in the upgrade of its group: it is drained, then replaced.",
    },
    () => "it is this node's turn: it is drained, and then its instance is terminated",
  ),
  deed(
    ["drained"],
    {
      ...done,
      reason: "UpgradeDrained",
      meaning: "The drain of the old node ends well; with `--force`, pods may be left.",
    },
    (left) =>
      left.length === 0 ? "no pod holds the node any more" : `goes by force; left: ${someOf(left)}`,
  ),
  deed(
    ["blocked"],
    {
      ...done,
      type: "Warning",
      series: "in each pass",
      reason: "UpgradeBlocked",
      meaning:
        "Pods did not leave the old node in an attempt: which ones, and what holds them. A node has two attempts.",
    },
    (left) => `the node could not be drained in its turn; left: ${someOf(left)}`,
  ),
  deed(
    ["set-aside"],
    {
      ...done,
      type: "Warning",
      reason: "UpgradeSetAside",
      meaning:
        "With `--undrainable set-aside`: pods left the old node in neither attempt. It stays, cordoned.",
    },
    () => "its pods left in no attempt: the node stays, cordoned, and the upgrade goes on",
  ),
  deed(
    ["replaced"],
    {
      ...done,
      reason: "UpgradeReplaced",
      meaning: "The instance of the old node is terminated, and a new one takes its place.",
    },
    () => "the node is drained, and its instance is terminated",
  ),
  deed(
    ["reopened", "restored"],
    {
      ...done,
      reason: "UpgradeMarksRemoved",
      meaning: "The upgrade has taken its marks off the node.",
    },
    () => "our marks are taken back from the node",
  ),
];
