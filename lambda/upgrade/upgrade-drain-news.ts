import { type AnyEntry, ofKinds } from "../notice/entry.ts";
import type { DrainNews } from "../report/lifecycle-conditions.ts";
import type { nodeDeeds, UpgradeEntry } from "./upgrade-entry.ts";

const isOfNodes = ofKinds<UpgradeEntry>()("upgrade-nodes");

const news: Readonly<Partial<Record<(typeof nodeDeeds)[number], DrainNews["drain"]>>> = {
  drained: "drained",
  blocked: "over",
  reopened: "unchanged",
  restored: "unchanged",
};

/** The news in an entry of an upgrade about the drains of its nodes. */
export function upgradeDrainNews(entry: AnyEntry): readonly DrainNews[] {
  const drain = isOfNodes(entry) ? news[entry.deed] : undefined;
  return isOfNodes(entry) && drain !== undefined
    ? entry.nodes.map((node) => ({ node, drain }))
    : [];
}
