import {
  DescribeRuleCommand,
  EventBridgeClient,
  ListTargetsByRuleCommand,
} from "@aws-sdk/client-eventbridge";
import type { FunctionConfiguration } from "@aws-sdk/client-lambda";
import { GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { RepairConfig } from "../../../lambda/config/repair-config.ts";
import { functionOf } from "../../connect/deployment-at.ts";
import { type Found, mapped } from "../../connect/found.ts";
import { repairConfigAt, repairsAt } from "../../repair/repairs-at.ts";
import { findingsOf, judged, type Problem, problemIf } from "../finding.ts";
import { functionVerdict, mappingAt, mappingVerdict } from "../links/function.ts";
import { deniedOf, permissionsVerdict } from "../links/permissions.ts";
import { type RuleFacts, stateProblems } from "../links/rules.ts";
import { type Attributes, lost, switched } from "../links/topic.ts";
import { both, type Present, readOn, readPresent } from "../reading.ts";
import { byService, policySays } from "../resource-policy.ts";
import { type Check, resourcesIn, type Site } from "../site.ts";
import { conditionsVerdict } from "./conditions.ts";
import { repairNeeds } from "./repair-needs.ts";

/** Whether the repair function is there, is asked by its schedule, may repair, and heeds conditions that somebody sets. */
export const repairsCheck: Check = async (site) => {
  const config = await repairConfigAt(site);
  if (config.kind === "known" && config.value === "off")
    return findingsOf("repairs", { well: "the deployment repairs nothing", problems: [] });
  const its = await functionOf(site.parts.output("RepairFunctionName"), site.aws);
  if (its.kind === "unknown" && /ResourceNotFound/.test(its.why))
    return findingsOf("repairs", lost("the repair function"));
  const [way, denied, repairs] = await Promise.all([
    wayTo(site),
    deniedRole(site, both(config, its)),
    repairsAt(site),
  ]);
  const read = both(both(config, way), both(both(its, denied), repairs));
  return judged("repairs", read, ([[how, { rule, ...queue }], [[told, lacking], found]]) => {
    if (how === "off" || found === "off") return { well: "", problems: [] };
    const conditions = conditionsVerdict(how.repair.rules, found.survey);
    const { FunctionName: name = "" } = told;
    return {
      well: `${found.cases.length} instances are ill; ${conditions.well}`,
      problems: [
        ...functionVerdict(told).problems,
        ...ruleProblems(queue, rule),
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

type Rule = RuleFacts & { readonly arn: string };

/** What keeps the schedule from having its messages in the queue. */
function ruleProblems({ name, arn, policy }: Queue, rule: Present<Rule>): readonly Problem[] {
  if (arn === "") return lost("the queue of repairs").problems;
  if (rule === "gone") return lost(`rule ${name}`, switched("repairs")).problems;
  const attempt = { ...byService("events", rule.arn), action: "sqs:SendMessage", resource: arn };
  return [
    ...stateProblems(rule),
    ...problemIf(
      !rule.targets.includes(arn),
      `rule ${name} does not tell queue ${arn}`,
      "deploy again: its target has an input that only the template has",
    ),
    ...problemIf(
      policySays(policy, attempt) !== "allowed",
      `the policy of queue ${arn} does not let rule ${rule.arn} send`,
      `aws sqs set-queue-attributes --attributes Policy, with a statement that allows sqs:SendMessage to ${attempt.by} where aws:SourceArn is ${rule.arn}`,
    ),
  ];
}

/** What leads to the function: the rule that has the groups looked at, the queue that it should tell, and the mapping. */
async function wayTo({ parts, resources, aws }: Site) {
  const named = (type: string) => mapped(resources, (all) => resourcesIn(all, "Repairs", type));
  const names = both(named("AWS::Events::Rule"), named("AWS::Lambda::EventSourceMapping"));
  const queue = await readOn(parts.output("RepairQueueUrl"), (QueueUrl) =>
    readPresent<Attributes>(`reading queue ${QueueUrl}`, "sqs:GetQueueAttributes", async () => {
      const read = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] });
      const { Attributes: told = {} } = await new SQSClient(aws).send(read);
      return told;
    }),
  );
  return readOn(both(names, queue), async ([[[name = "of repairs"], [id = ""]], attributes]) => {
    const [rule, mapping] = await Promise.all([
      readPresent<Rule>(`reading rule ${name}`, ruleReads, () => ruleAt(name, aws)),
      mappingAt(id, aws),
    ]);
    const { QueueArn: arn = "", Policy: policy = "" } = attributes === "gone" ? {} : attributes;
    return mapped(both(rule, mapping), ([its, to]) => ({
      ...{ name, arn, policy },
      ...{ rule: its, mapping: to },
    }));
  });
}

const ruleReads = "events:DescribeRule and events:ListTargetsByRule";

async function ruleAt(name: string, aws: Site["aws"]): Promise<Rule> {
  const client = new EventBridgeClient(aws);
  const [{ State: state = "", Arn: arn = "" }, { Targets = [] }] = await Promise.all([
    client.send(new DescribeRuleCommand({ Name: name })),
    client.send(new ListTargetsByRuleCommand({ Rule: name })),
  ]);
  return { name, arn, state, targets: Targets.map((target) => target.Arn ?? "") };
}

/** What IAM denies the role of what repairs need. */
async function deniedRole(
  site: Site,
  found: Found<readonly [RepairConfig | "off", FunctionConfiguration]>,
) {
  return readOn(both(found, site.groups), async ([[config, { Role: role = "" }], groups]) => {
    const needs = config === "off" ? [] : repairNeeds(config, role, groups);
    const denied = await deniedOf(site, role, needs);
    return mapped(denied, (its) => permissionsVerdict(role, its));
  });
}
