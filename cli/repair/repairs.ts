import type { FunctionConfiguration } from "@aws-sdk/client-lambda";
import type { RepairConfig } from "../../lambda/repair/repair-config.ts";
import { isDeleted } from "../connect/deployment-at.ts";
import { everyOf, type Found, mapped } from "../connect/found.ts";
import { findingsOf, judged, lost, type Problem } from "../doctor/finding.ts";
import { functionVerdict, mappingAt, mappingVerdict } from "../doctor/function.ts";
import { deniedOf, permissionsVerdict } from "../doctor/permissions.ts";
import { attributesOf, sendProblem } from "../doctor/queues.ts";
import { type Present, readOn } from "../doctor/reading.ts";
import { type RuleFacts, ruleAt, ruleProblems } from "../doctor/rules.ts";
import { type Check, resourcesIn, type Site } from "../doctor/site.ts";
import { conditionsVerdict } from "./conditions.ts";
import { repairNeeds } from "./repair-needs.ts";
import { repairConfigOf, repairsBy } from "./repairs-at.ts";

/** Whether the repair function is there, is asked by its schedule, may repair, and heeds conditions that somebody sets. */
export const repairsCheck: Check = async (site) => {
  const { repairFunction: its } = site;
  const config = await repairConfigOf(its, site);
  if (config.kind === "known" && config.value === "off")
    return findingsOf("repairs", { well: "the deployment repairs nothing", problems: [] });
  if (isDeleted(its)) return findingsOf("repairs", lost("the repair function"));
  const [way, denied, repairs] = await Promise.all([
    wayTo(site),
    deniedRole(site, everyOf([config, its])),
    repairsBy(config, site),
  ]);
  const read = everyOf([config, way, its, denied, repairs]);
  return judged("repairs", read, ([how, { rule, ...queue }, told, lacking, found]) => {
    if (how === "off" || found === "off") return { well: "", problems: [] };
    const conditions = conditionsVerdict(how.repair.rules, found.survey);
    const { FunctionName: name = "" } = told;
    return {
      well: `${found.cases.length} instances are ill; ${conditions.well}`,
      problems: [
        ...functionVerdict(told).problems,
        ...scheduleProblems(queue, rule),
        ...mappingVerdict({ queue: queue.arn, name }, queue.mapping).problems,
        ...lacking.problems,
        ...conditions.problems,
      ],
    };
  });
};

interface Queue {
  readonly name: string;
  readonly arn: string;
  readonly policy: string;
}

/** What keeps the schedule from having its messages in the queue. */
function scheduleProblems(
  { name, arn: queue, policy }: Queue,
  rule: Present<RuleFacts>,
): readonly Problem[] {
  if (queue === "") return lost("the queue of repairs").problems;
  const remedy = "deploy again: its target has an input that only the template has";
  return [
    ...ruleProblems({ name, queue, part: "repairs", remedy }, rule),
    ...(rule === "gone" ? [] : sendProblem({ queue, policy }, "rule", rule.arn)),
  ];
}

/** What leads to the function: the rule that has the groups looked at, the queue that it should tell, and the mapping. */
async function wayTo({ parts, resources, aws }: Site) {
  const named = (type: string) => mapped(resources, (all) => resourcesIn(all, "Repairs", type));
  const queue = await attributesOf(parts.output("RepairQueueUrl"), { aws });
  const found = everyOf([
    named("AWS::Events::Rule"),
    named("AWS::Lambda::EventSourceMapping"),
    queue,
  ]);
  return readOn(found, async ([[name = "of repairs"], [id = ""], attributes]) => {
    const [rule, mapping] = await Promise.all([ruleAt(name, aws), mappingAt(id, aws)]);
    const { QueueArn: arn = "", Policy: policy = "" } = attributes === "gone" ? {} : attributes;
    return mapped(everyOf([rule, mapping]), ([its, to]) => ({
      ...{ name, arn, policy },
      ...{ rule: its, mapping: to },
    }));
  });
}

/** What IAM denies the role of what repairs need. */
async function deniedRole(
  site: Site,
  found: Found<readonly [RepairConfig | "off", FunctionConfiguration]>,
) {
  return readOn(everyOf([found, site.groups]), async ([[config, { Role: role = "" }], groups]) => {
    const needs = config === "off" ? [] : repairNeeds(config, role, groups);
    const denied = await deniedOf(site, role, needs);
    return mapped(denied, (its) => permissionsVerdict(role, its));
  });
}
