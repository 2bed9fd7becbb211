import type { FunctionConfiguration } from "@aws-sdk/client-lambda";
import { otherConcurrency } from "../../lambda/base/contract.ts";
import type { ScalingGroup } from "../../lambda/group/scaling-group.ts";
import type { RepairConfig } from "../../lambda/repair/repair-config.ts";
import { defaultRules, type RepairRule } from "../../lambda/repair/repair-policy.ts";
import type { Survey } from "../../lambda/repair/survey.ts";
import { repairPermissions } from "../../lib/repair/repair-permissions.ts";
import { isDeleted } from "../connect/deployment-at.ts";
import { everyOf, type Found, known, mapped } from "../connect/found.ts";
import { functionVerdict, mappingAt, mappingVerdict } from "../doctor/function.ts";
import {
  commonArns,
  deniedOf,
  type MakeArn,
  neededFor,
  type PermissionNeed,
  permissionsVerdict,
  tagContext,
} from "../doctor/permissions.ts";
import { attributesOf, sendProblems } from "../doctor/queues.ts";
import { type Present, readOn } from "../doctor/reading.ts";
import { type RuleFacts, ruleAt, ruleProblems } from "../doctor/rules.ts";
import { type Check, type ExaminedSite, resourcesIn } from "../doctor/site.ts";
import { fine, type LinkVerdict, lost, type Problem, problemIf } from "../doctor/verdict.ts";
import { repairConfigOf, repairsBy } from "./repairs-at.ts";

/**
 * Checks that the repair function exists, gets the messages of its schedule, may repair, and has rules for conditions that
 * nodes have.
 */
export const repairsCheck: Check = async (site) => {
  const { repairFunction: its } = site;
  const config = await repairConfigOf(its, site);
  if (config.kind === "known" && config.value === "off")
    return fine("the deployment repairs nothing");
  if (isDeleted(its)) return known(lost("the repair function"));
  const [way, denied, repairs] = await Promise.all([
    wayTo(site),
    deniedRole(site, everyOf([config, its])),
    repairsBy(config, site),
  ]);
  const read = everyOf([config, way, its, denied, repairs]);
  return mapped(read, ([how, { rule, ...queue }, configuration, lacking, found]) => {
    if (how === "off" || found === "off") return { well: "", problems: [] };
    const conditions = conditionsVerdict(how.repair.rules, found.survey);
    const { FunctionName: name = "" } = configuration;
    return {
      well: `${found.cases.length} instances are ill; ${conditions.well}`,
      problems: [
        ...functionVerdict(configuration).problems,
        ...scheduleProblems(queue, rule),
        ...mappingVerdict({ queue: queue.arn, name, concurrency: otherConcurrency }, queue.mapping)
          .problems,
        ...lacking.problems,
        ...conditions.problems,
      ],
    };
  });
};

/** Why the messages of the schedule may not reach the queue. */
function scheduleProblems(
  {
    name,
    arn: queue,
    url,
    policy,
  }: {
    readonly name: string;
    readonly arn: string;
    readonly url: string;
    readonly policy: string;
  },
  rule: Present<RuleFacts>,
): readonly Problem[] {
  if (queue === "") return lost("the queue of repairs").problems;
  const remedy = "deploy again: its target has an input that only the template has";
  return [
    ...ruleProblems({ name, queue, part: "repairs", remedy }, rule),
    ...(rule === "gone"
      ? []
      : sendProblems({ queue, url, policy }, [{ what: "rule", arn: rule.arn }])),
  ];
}

/** The path to the function: the rule, the queue, and the event source mapping. */
async function wayTo({ parts, resources, aws }: ExaminedSite) {
  const named = (type: string) => mapped(resources, (all) => resourcesIn(all, "Repairs", type));
  const at = parts.output("RepairQueueUrl");
  const queue = await attributesOf(at, { aws });
  const found = everyOf([
    named("AWS::Events::Rule"),
    named("AWS::Lambda::EventSourceMapping"),
    queue,
    at,
  ]);
  return readOn(found, async ([[name = "of repairs"], [id = ""], attributes, url]) => {
    const [rule, mapping] = await Promise.all([ruleAt(name, aws), mappingAt(id, aws)]);
    const { QueueArn: arn = "", Policy: policy = "" } = attributes === "gone" ? {} : attributes;
    return mapped(everyOf([rule, mapping]), ([its, to]) => ({
      name,
      arn,
      url,
      policy,
      rule: its,
      mapping: to,
    }));
  });
}

/** The actions for repairs that IAM denies the role. */
async function deniedRole(
  site: ExaminedSite,
  found: Found<readonly [RepairConfig | "off", FunctionConfiguration]>,
) {
  return readOn(everyOf([found, site.groups]), async ([[config, { Role: role = "" }], groups]) => {
    const needs = config === "off" ? [] : repairNeeds(config, role, groups);
    const denied = await deniedOf(site, role, needs);
    return mapped(denied, (its) => permissionsVerdict(role, its));
  });
}

/** Reports conditions of the rules that no node has. */
export function conditionsVerdict(
  rules: readonly RepairRule[],
  { nodes }: Pick<Survey, "nodes">,
): LinkVerdict {
  const set = new Set(nodes.flatMap(({ conditions }) => conditions.map(({ type }) => type)));
  const never = heededIn(rules).filter((one) => nodes.length > 0 && !set.has(one));
  const agents = never.filter((one) => isOfAgent(one) && one !== accelerated);
  const others = never.filter((one) => !isOfAgent(one));
  const found = (all: readonly string[]) =>
    `no node of this cluster has the conditions ${all.join(", ")}, so nothing is repaired for them`;
  return {
    well: never.length === 0 ? "nodes have all conditions that are heeded" : found(never),
    problems: [
      ...problemIf(agents.length > 0, found(agents), installAgent),
      ...problemIf(
        others.length > 0,
        found(others),
        "see that what sets them runs on the nodes, such as node-problem-detector, or remove them from repair.overrides",
      ),
    ],
  };
}

/** The conditions that lead to a repair. A deployment's rule for all reasons overrides the default. */
const heededIn = (rules: readonly RepairRule[]): readonly string[] =>
  [...new Set(rules.map(({ condition }) => condition))].filter((condition) => {
    const own = rules.filter((one) => one.condition === condition);
    const last = own.findIndex(({ reason }) => reason === "*");
    return own.slice(0, last < 0 ? own.length : last + 1).some(({ action }) => action !== "none");
  });

// Only nodes with accelerators have this condition.
const accelerated = "AcceleratedHardwareReady";
const isOfAgent = (condition: string): boolean =>
  defaultRules.some((one) => one.condition === condition);
const installAgent =
  "install the EKS node monitoring agent add-on (eks-node-monitoring-agent), or set the action none for them in repair.overrides";

/** The AWS rights that the role of the repair function needs, apart from its queue and its log. */
function repairNeeds(
  { region, drain, clusterName }: Pick<RepairConfig, "clusterName" | "drain" | "region">,
  role: string,
  groups: readonly ScalingGroup[],
): readonly PermissionNeed[] {
  const [, partition = "", , , account = ""] = role.split(":");
  const arn: MakeArn = (service, resource) =>
    `arn:${partition}:${service}:${region}:${account}:${resource}`;
  const wanted = new Set<never>();
  const arns = commonArns(arn, clusterName, groups);
  const contexts = { "managed groups": tagContext("autoscaling", drain) };
  return [
    ...neededFor(repairPermissions, arns, contexts, wanted),
    ...groups.flatMap(({ name }) => {
      const tags = {
        ...tagContext("aws", drain),
        "aws:ResourceTag/aws:autoscaling:groupName": name,
      };
      const instances = { "managed instances": [arn("ec2", "instance/i-0")] };
      const context = { "managed instances": tags };
      return neededFor(repairPermissions, instances, context, wanted);
    }),
  ];
}
