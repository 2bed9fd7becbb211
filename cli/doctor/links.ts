import { merged } from "../../lib/merged.ts";
import * as subjects from "../subjects.ts";
import { accessCheck } from "./access.ts";
import { alarmsCheck } from "./alarms.ts";
import { apiServerCheck } from "./api-server.ts";
import { blocksCheck } from "./blocks.ts";
import { clockCheck } from "./clock.ts";
import { clusterCheck, stackCheck } from "./cluster.ts";
import { fencesCheck } from "./fences.ts";
import { functionCheck, mappingCheck } from "./function.ts";
import { heldInstancesCheck } from "./held-instances.ts";
import { hooksCheck } from "./hooks.ts";
import { lastDrainCheck } from "./last-drain.ts";
import { networkCheck } from "./network.ts";
import { hooksRoleCheck, permissionsCheck } from "./permissions.ts";
import { deadLettersCheck, queueCheck } from "./queues.ts";
import { rbacCheck } from "./rbac.ts";
import { rulesCheck } from "./rules.ts";
import { securityGroupsCheck } from "./security-groups.ts";
import type { Check } from "./site.ts";
import { keyCheck, subscriptionCheck, topicCheck } from "./topic.ts";
import { fine } from "./verdict.ts";

/** The check of a link, and where the documentation explains it. */
interface CheckRow {
  readonly check: Check;
  readonly see: string;
}

const runbook = (check: Check, heading: string): CheckRow => ({
  check,
  see: `docs/runbook.md#${heading}`,
});
const deploy = (check: Check, heading = "what-is-deployed"): CheckRow => ({
  check,
  see: `docs/deploy.md#${heading}`,
});

const rights = (check: Check, heading: string): CheckRow => ({
  check,
  see: `docs/rights.md#${heading}`,
});

const own = await Promise.all(Object.values(subjects).map(({ inDoctor }) => inDoctor()));

/** The links from a hook to the release of its instance, in the order in which a notice passes them, and then the monitoring. */
const rows = {
  credentials: runbook(async ({ region }) => fine(region), "awsdenied"),
  stack: deploy(stackCheck, "deploy"),
  cluster: runbook(clusterCheck, "clusternot-found"),
  "API server": runbook(apiServerCheck, "a-busy-api-server"),
  clock: runbook(clockCheck, "clusterunauthorized"),
  hooks: deploy(hooksCheck),
  "hooks' role": rights(hooksRoleCheck, "what-the-other-roles-may-do"),
  topic: deploy(topicCheck),
  key: deploy(keyCheck),
  subscription: deploy(subscriptionCheck),
  queue: deploy(queueCheck),
  "dead letters": runbook(deadLettersCheck, "redrive-dead-letters"),
  mapping: runbook(mappingCheck, "stop-the-drainer"),
  function: runbook(functionCheck, "configinvalid"),
  network: { check: networkCheck, see: "docs/private-clusters.md#private-clusters" },
  "security groups": runbook(securityGroupsCheck, "clusterunreachable"),
  permissions: runbook(permissionsCheck, "awsdenied"),
  access: runbook(accessCheck, "clusterunauthorized"),
  rbac: runbook(rbacCheck, "clusterforbidden"),
  fences: rights(fencesCheck, "access-to-the-cluster"),
  rules: deploy(rulesCheck),
  "Capacity Blocks": { check: blocksCheck, see: "docs/capacity-blocks.md#capacity-blocks" },
  "held instances": runbook(heldInstancesCheck, "send-a-lost-notice-again"),
  alarms: runbook(alarmsCheck, "alarms"),
  "last drain": runbook(lastDrainCheck, "faults"),
  ...merged(own.map(({ links }) => links)),
} as const satisfies Readonly<Record<string, CheckRow>>;

/** A link from a hook to the release of its instance. */
export type Link = keyof typeof rows;

export const linkTable: Readonly<Record<Link, CheckRow>> = rows;

const isLink = (name: string): name is Link => Object.hasOwn(rows, name);

export const links: readonly Link[] = Object.keys(rows).filter(isLink);
