import {
  DescribeRuleCommand,
  EventBridgeClient,
  ListTargetsByRuleCommand,
} from "@aws-sdk/client-eventbridge";
import { GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { functionOf } from "../../connect/deployment-at.ts";
import { mapped } from "../../connect/found.ts";
import { repairConfigAt, repairsAt } from "../../repair/repairs-at.ts";
import { findingsOf, judged, type Problem, problemIf } from "../finding.ts";
import { deniedOf, permissionsVerdict } from "../links/permissions.ts";
import { type RuleFacts, ruleProblems } from "../links/rules.ts";
import type { Attributes } from "../links/topic.ts";
import { both, type Present, readOn, readPresent } from "../reading.ts";
import { byService, policySays } from "../resource-policy.ts";
import { type Check, resourcesIn, type Site } from "../site.ts";
import { conditionsVerdict } from "./conditions.ts";

/** Whether the repair function is there, is asked by its schedule, may repair, and heeds conditions that somebody sets. */
export const repairsCheck: Check = async (site) => {
  const config = await repairConfigAt(site);
  if (config.kind === "known" && config.value === "off")
    return findingsOf("repairs", { well: "the deployment repairs nothing", problems: [] });
  const [schedule, role, repairs] = await Promise.all([
    scheduleOf(site),
    deniedRole(site),
    repairsAt(site),
  ]);
  const read = both(both(config, schedule), both(role, repairs));
  return judged("repairs", read, ([[how, { name, rule, ...queue }], [denied, found]]) => {
    if (how === "off" || found === "off") return { well: "", problems: [] };
    const conditions = conditionsVerdict(how.repair.rules, found.survey);
    return {
      well: `${found.cases.length} instances are ill; ${conditions.well}`,
      problems: [
        ...ruleProblems(queue.arn, name, rule),
        ...queueProblems(queue, rule),
        ...denied.problems,
        ...conditions.problems,
      ],
    };
  });
};

interface Queue {
  readonly arn: string;
  readonly policy: string;
}

type Rule = RuleFacts & { readonly arn: string };

function queueProblems({ arn, policy }: Queue, rule: Present<Rule>): readonly Problem[] {
  if (rule === "gone") return [];
  const attempt = { ...byService("events", rule.arn), action: "sqs:SendMessage", resource: arn };
  return problemIf(
    policySays(policy, attempt) !== "allowed",
    `the policy of queue ${arn} does not let rule ${rule.arn} send`,
    `aws sqs set-queue-attributes --attributes Policy, with a statement that allows sqs:SendMessage to ${attempt.by} where aws:SourceArn is ${rule.arn}`,
  );
}

/** The rule that has the groups looked at, and the queue that it should tell. */
async function scheduleOf({ parts, resources, aws }: Site) {
  const names = mapped(resources, (all) => resourcesIn(all, "Repairs", "AWS::Events::Rule"));
  const queue = await readOn(parts.output("RepairQueueUrl"), (QueueUrl) =>
    readPresent<Attributes>(`reading queue ${QueueUrl}`, "sqs:GetQueueAttributes", async () => {
      const read = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] });
      const { Attributes: told = {} } = await new SQSClient(aws).send(read);
      return told;
    }),
  );
  return readOn(both(names, queue), async ([[name = "of repairs"], attributes]) => {
    const rule = await readPresent<Rule>(`reading rule ${name}`, ruleReads, () =>
      ruleAt(name, aws),
    );
    const { QueueArn: arn = "", Policy: policy = "" } = attributes === "gone" ? {} : attributes;
    return mapped(rule, (its) => ({ name, rule: its, arn, policy }));
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

/** What IAM denies the role of what repairs need besides reading. */
async function deniedRole(site: Site) {
  const described = await functionOf(site.parts.output("RepairFunctionName"), site.aws);
  const role = mapped(described, ({ Role: its = "" }) => its);
  const needs = both(role, site.groups);
  return readOn(needs, async ([arn, groups]) => {
    const [, partition = "", , , account = ""] = arn.split(":");
    const ofGroup = (name: string) =>
      `arn:${partition}:autoscaling:*:${account}:autoScalingGroup:id:autoScalingGroupName/${name}`;
    const denied = await deniedOf(site, arn, [
      { actions: reads, resources: ["*"], context: {} },
      {
        actions: ["autoscaling:SetInstanceHealth"],
        resources: groups.map(({ name }) => ofGroup(name)),
        context: {},
      },
    ]);
    return mapped(denied, (its) => permissionsVerdict(arn, its));
  });
}

const reads = [
  "autoscaling:DescribeAutoScalingGroups",
  "autoscaling:DescribeScalingActivities",
  "arc-zonal-shift:ListZonalShifts",
];
