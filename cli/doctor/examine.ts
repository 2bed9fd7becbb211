import { faultOf } from "../../lambda/base/fault.ts";
import type { Instant } from "../../lambda/base/time.ts";
import { repairsCheck } from "../repair/repairs.ts";
import { upgradesCheck } from "../upgrade/upgrade-link.ts";
import { accessCheck } from "./access.ts";
import { alarmsCheck } from "./alarms.ts";
import { clusterCheck, stackCheck } from "./cluster.ts";
import { fencesCheck } from "./fences.ts";
import { type Finding, findingsOf, type Link, links, unread } from "./finding.ts";
import { functionCheck, mappingCheck } from "./function.ts";
import { hooksCheck } from "./hooks.ts";
import { lastDrainCheck } from "./last-drain.ts";
import { networkCheck } from "./network.ts";
import { hooksRoleCheck, permissionsCheck } from "./permissions.ts";
import { deadLettersCheck, queueCheck } from "./queues.ts";
import { rbacCheck } from "./rbac.ts";
import { rulesCheck } from "./rules.ts";
import { doorsCheck } from "./security-groups.ts";
import { type Check, type Reach, siteAt } from "./site.ts";
import { subscriptionCheck } from "./subscription.ts";
import { keyCheck, topicCheck } from "./topic.ts";

const checks = (now: Instant, region: string): Readonly<Record<Link, Check>> => ({
  credentials: async () => findingsOf("credentials", { well: region, problems: [] }),
  stack: stackCheck,
  cluster: clusterCheck,
  hooks: hooksCheck,
  "hooks' role": hooksRoleCheck,
  topic: topicCheck,
  key: keyCheck,
  subscription: subscriptionCheck,
  queue: queueCheck,
  "dead letters": deadLettersCheck,
  mapping: mappingCheck,
  function: functionCheck,
  network: networkCheck,
  "security groups": doorsCheck,
  permissions: permissionsCheck,
  access: accessCheck,
  rbac: rbacCheck,
  fences: fencesCheck,
  rules: rulesCheck,
  alarms: alarmsCheck,
  "last drain": lastDrainCheck(now),
  upgrades: upgradesCheck(now),
  repairs: repairsCheck,
});

/** What is examined, when, and what is called for each link that is done. */
export interface Examination {
  readonly reach: Reach;
  readonly region: string;
  readonly now: Instant;
  readonly done: () => void;
}

/** Examines every link side by side; what cannot be read of one hides no other. */
export async function examine({
  reach,
  region,
  now,
  done,
}: Examination): Promise<readonly Finding[]> {
  const site = await siteAt(reach);
  const all = checks(now, region);
  const examined = links.map(async (link) => {
    const findings = await all[link](site).catch((cause: unknown) => unjudged(link, cause));
    done();
    return findings;
  });
  return withAbsent((await Promise.all(examined)).flat());
}

const unjudged = (link: Link, cause: unknown): readonly Finding[] =>
  unread(link, `what was read cannot be judged: ${faultOf(cause).message}`, "look at it yourself");

/** Where there is no stack, the links that only it has are not unknown but absent. */
function withAbsent(findings: readonly Finding[]): readonly Finding[] {
  const stack = findings.find(({ link }) => link === "stack");
  if (stack?.state !== "absent") return findings;
  return findings.map((finding) =>
    finding.state === "unknown" && /^.*stack .* does not exist/i.test(finding.found)
      ? { ...finding, state: "absent", remedy: stack.remedy }
      : finding,
  );
}
