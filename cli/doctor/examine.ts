import { faultOf } from "../../lambda/base/fault.ts";
import { type Found, unknown } from "../connect/found.ts";
import { type Link, links, linkTable } from "./links.ts";
import type { Finding } from "./report.ts";
import { type Reach, siteAt } from "./site.ts";
import type { Verdict } from "./verdict.ts";

/** Examines every link side by side, and calls `done` after each; what cannot be read of one hides no other. */
export async function examine(reach: Reach, done: () => void): Promise<readonly Finding[]> {
  const site = await siteAt(reach);
  const examined = links.map(async (link) => {
    const verdict = await linkTable[link].check(site).catch(unjudged);
    done();
    return findingsOf(link, verdict);
  });
  return (await Promise.all(examined)).flat();
}

const unjudged = (cause: unknown): Found<Verdict> =>
  unknown(`what was read cannot be judged: ${faultOf(cause).message}`, "look at it yourself");

/** Where there is no stack, the links that only it has are not unknown but absent. */
function findingsOf(link: Link, verdict: Found<Verdict>): readonly Finding[] {
  if (verdict.kind === "unknown") {
    const { why: found, remedy, lack } = verdict;
    return lack === "stack"
      ? [{ link, state: "absent", found, remedy: `deploy it (docs/deploy.md), or ${remedy}` }]
      : [{ link, state: "unknown", found, remedy }];
  }
  const { well, problems } = verdict.value;
  return problems.length === 0
    ? [{ link, state: "ok", found: well, remedy: "" }]
    : problems.map((problem) => ({ link, state: "broken", ...problem }));
}
