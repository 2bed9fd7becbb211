import { counted } from "../../lambda/base/counted.ts";
import { tryCause } from "../../lambda/drain/cause.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { instanceOf } from "../connect/instance-of.ts";
import { opened } from "../drain/drain-run.ts";
import { tryUndoRefusal } from "../drain/standing.ts";
import { askAws, standingOf, type Target } from "../drain/targets.ts";
import { exitCodes } from "../exit-code.ts";
import { ClusterReader } from "../plan/cluster-reader.ts";
import type { End } from "./end.ts";
import { type EvacuationSite, requestOf, type Wish } from "./wish.ts";
import { zoneOf } from "./zone-look.ts";

/** Opens the nodes of a zone that an evacuation has marked, but those whose instances are about to end. */
export async function openZone(wish: Wish, site: EvacuationSite): Promise<End> {
  const hosts = await new ClusterReader(site.client).nodes();
  const marked = hosts
    .map(({ node }): Target => ({ node, instance: instanceOf(node) }))
    .filter(({ node }) => zoneOf(node) === wish.zone && tryCause(node)?.reason === "evacuated");
  const asked = await askAws(marked, wish.connection);
  const judged = marked.map((target) => ({
    target,
    refusal: tryUndoRefusal(standingOf(target, asked, systemClock.now())),
  }));
  const open = judged.flatMap(({ target, refusal }) => (refusal === undefined ? [target] : []));
  const left = judged.flatMap(({ target: { node }, refusal }) =>
    refusal === undefined ? [] : [{ node: node.name, why: refusal.why }],
  );
  for (const { why } of left) site.report.warn("not opened", why);
  await opened(open, { request: requestOf(wish), site, asked });
  return {
    ...{ ending: "opened", exitCode: exitCodes.done, replaced: [], left },
    nodes: open.map(({ node }) => node.name),
    line: `zone ${wish.zone}: ${counted(open.length, "node")} of an evacuation opened`,
  };
}
