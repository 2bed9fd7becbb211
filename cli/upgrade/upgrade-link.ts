import { isDeleted } from "../connect/deployment-at.ts";
import { known, mapped } from "../connect/found.ts";
import type { Check } from "../doctor/site.ts";
import { type LinkVerdict, lost, type Problem } from "../doctor/verdict.ts";
import { upgradesOf } from "./upgrade-report.ts";
import type { UpgradeSummary } from "./upgrade-schema.ts";

/** Checks that the upgrade function exists, and that each upgrade under way is looked after. */
export const upgradesCheck: Check = async ({ groups, name, now, upgradeFunction }) =>
  isDeleted(upgradeFunction)
    ? known(lost("the upgrade function"))
    : mapped(groups, (all) => upgradesVerdict(upgradesOf(all, [], now), name));

/** Judges the upgrades of groups. */
const upgradesVerdict = (all: readonly UpgradeSummary[], cluster: string): LinkVerdict => ({
  well: all.length === 0 ? "none is under way" : all.map(words).join("; "),
  problems: all.flatMap((one) => problemOf(one, cluster)),
});

const words = ({ group, id, state }: UpgradeSummary): string => `${id} of ${group}, ${state}`;

function problemOf(upgrade: UpgradeSummary, cluster: string): readonly Problem[] {
  const { group, state, seen, issue, unanswered } = upgrade;
  const command = (what: string) =>
    `npx eks-node-lifecycle upgrade ${what} ${group} --cluster ${cluster}`;
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
