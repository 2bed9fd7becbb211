import { otherConcurrency } from "../../lambda/base/contract.ts";
import { isDeleted } from "../connect/deployment-at.ts";
import { everyOf, type Found, known, mapped } from "../connect/found.ts";
import { functionVerdict, mappingAt, mappingVerdict } from "../doctor/function.ts";
import { attributesOf } from "../doctor/queues.ts";
import { readOn } from "../doctor/reading.ts";
import type { Check, ExaminedSite } from "../doctor/site.ts";
import { type LinkVerdict, lost, type Problem } from "../doctor/verdict.ts";
import { shellWord } from "../shell-word.ts";
import { upgradesOf } from "./upgrade-report.ts";
import type { UpgradeSummary } from "./upgrade-schema.ts";

/** Checks that the upgrade function exists and gets its messages, and that each upgrade under way is looked after. */
export const upgradesCheck: Check = async (site) => {
  const { groups, name, now, upgradeFunction } = site;
  if (isDeleted(upgradeFunction)) return known(lost("the upgrade function"));
  const way = await wayProblems(site);
  const upgrades = mapped(groups, (all) => upgradesVerdict(upgradesOf(all, [], now), name));
  // A broken part counts before one that cannot be read.
  if (upgrades.kind === "known" && upgrades.value.problems.length > 0 && way.kind === "unknown")
    return upgrades;
  return mapped(everyOf([upgrades, way]), ([{ well, problems }, others]) => ({
    well,
    problems: [...others, ...problems],
  }));
};

/** Why the function may not run, or not get the messages of its queue; nothing where the deployment has no upgrades. */
async function wayProblems({
  parts: { output },
  aws,
  upgradeFunction,
}: ExaminedSite): Promise<Found<readonly Problem[]>> {
  const id = output("UpgradeMappingId");
  if (id.kind === "unknown") return known([]);
  const [mapping, queue] = await Promise.all([
    readOn(id, (its) => mappingAt(its, aws)),
    attributesOf(output("UpgradeQueueUrl"), { aws }),
  ]);
  return mapped(everyOf([upgradeFunction, mapping, queue]), ([its, from, attributes]) => {
    if (attributes === "gone") return lost("the queue of upgrades").problems;
    const { QueueArn: queueArn = "" } = attributes;
    const { FunctionName: named = "" } = its;
    return [
      ...functionVerdict(its).problems,
      ...mappingVerdict({ queue: queueArn, name: named, concurrency: otherConcurrency }, from)
        .problems,
    ];
  });
}

/** Judges the upgrades of groups. */
const upgradesVerdict = (all: readonly UpgradeSummary[], cluster: string): LinkVerdict => ({
  well: all.length === 0 ? "none is under way" : all.map(words).join("; "),
  problems: all.flatMap((one) => problemOf(one, cluster)),
});

const words = ({ group, id, state }: UpgradeSummary): string => `${id} of ${group}, ${state}`;

function problemOf(upgrade: UpgradeSummary, cluster: string): readonly Problem[] {
  const { group, state, seen, issue, unanswered } = upgrade;
  const command = (what: string) =>
    `npx eks-node-lifecycle upgrade ${what} ${shellWord(group)} --cluster ${cluster}`;
  if (state === "unreadable")
    return [
      { found: `the upgrade of ${group} cannot be read: ${issue}`, remedy: command("status") },
    ];
  return unanswered
    ? [
        {
          found:
            state === "waiting"
              ? `no pass has begun upgrade ${words(upgrade)}: ${issue}`
              : `no pass has looked at upgrade ${words(upgrade)}, since ${seen}`,
          remedy: command(state === "waiting" ? "abort" : "resume"),
        },
      ]
    : [];
}
