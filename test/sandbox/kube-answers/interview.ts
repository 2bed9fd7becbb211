import { askToEvictWithinBudgets } from "./chapters/budgets.ts";
import { askToWrite } from "./chapters/config-maps.ts";
import { askToDelete } from "./chapters/deletions.ts";
import { askAtTheEnd } from "./chapters/endings.ts";
import { askToEvict } from "./chapters/evictions.ts";
import { askForThePast } from "./chapters/history.ts";
import { askAsOthers } from "./chapters/identities.ts";
import { askForEvents } from "./chapters/kube-events.ts";
import { askForLists } from "./chapters/lists.ts";
import { askForTheLost } from "./chapters/lost.ts";
import { askToMerge } from "./chapters/merging.ts";
import { askToPatch } from "./chapters/patches.ts";
import { Interviewer } from "./interviewer.ts";
import { space } from "./matter.ts";
import type { Testimony } from "./testimony.ts";
import type { Witness } from "./witness.ts";

const chapters = [
  askForTheLost,
  askAsOthers,
  askToWrite,
  askToPatch,
  askForEvents,
  askToMerge,
  askToEvict,
  askToEvictWithinBudgets,
  askToDelete,
  askForLists,
  askForThePast,
  askAtTheEnd,
];

/**
 * Sends an API server every request that a drain could make; its cluster has only node-1 to node-3.
 */
export async function interview(witness: Witness): Promise<Readonly<Record<string, Testimony>>> {
  const interviewer = new Interviewer(witness);
  await interviewer.make("/api/v1/namespaces", { metadata: { name: "interview" } });
  await interviewer.until(space, ({ status }) => status.phase === "Active");
  for (const chapter of chapters) await chapter(interviewer);
  return interviewer.answers;
}
