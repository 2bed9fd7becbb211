import {
  DescribeRuleCommand,
  EventBridgeClient,
  ListTargetsByRuleCommand,
} from "@aws-sdk/client-eventbridge";
import type { AwsAccess } from "../connect/aws-access.ts";
import { everyOf, type Found, mapped } from "../connect/found.ts";
import { type Present, readOn, readPresent } from "./reading.ts";
import { type Check, type PartOfStack, resourcesIn } from "./site.ts";
import { lost, type Problem, problemIf, switched } from "./verdict.ts";

/** An EventBridge rule, and the ARNs of its targets. */
export interface RuleFacts {
  readonly arn: string;
  readonly state: string;
  readonly targets: readonly string[];
}

/** The problems of a rule that has to send to a queue. */
export function ruleProblems(
  {
    name,
    queue,
    part,
    remedy,
  }: {
    readonly name: string;
    readonly queue: string;
    /** The part of the cluster's file that creates the rule. */
    readonly part: "events" | "repairs";
    readonly remedy: string;
  },
  rule: Present<RuleFacts>,
): readonly Problem[] {
  if (rule === "gone") return lost(`rule ${name}`, switched(part)).problems;
  return [
    ...problemIf(
      !rule.state.startsWith("ENABLED"),
      `rule ${name} is ${rule.state}, so its events are not heard`,
      `aws events enable-rule --name ${name}`,
    ),
    ...problemIf(
      !rule.targets.includes(queue),
      `rule ${name} does not notify queue ${queue}`,
      remedy,
    ),
  ];
}

/** Reads a rule and its targets. */
export const ruleAt = (name: string, aws: AwsAccess): Promise<Found<Present<RuleFacts>>> =>
  readPresent<RuleFacts>(
    `reading rule ${name}`,
    "events:DescribeRule and events:ListTargetsByRule",
    async () => {
      const client = new EventBridgeClient(aws);
      const [{ State: state = "", Arn: arn = "" }, { Targets = [] }] = await Promise.all([
        client.send(new DescribeRuleCommand({ Name: name })),
        client.send(new ListTargetsByRuleCommand({ Rule: name })),
      ]);
      return { arn, state, targets: Targets.map((target) => target.Arn ?? "") };
    },
  );

export const rulesIn = (resources: readonly PartOfStack[]): readonly string[] =>
  resourcesIn(resources, "Events", "AWS::Events::Rule");

/** Checks that the stack's EventBridge rules are enabled and send to the queue. */
export const rulesCheck: Check = async ({ parts, resources, aws }) => {
  const wanted = everyOf([mapped(resources, rulesIn), parts.output("QueueArn")]);
  return readOn(wanted, async ([names, queue]) => {
    const judged = names.map(async (name) => {
      const remedy = `aws events put-targets --rule ${name} --targets Id=Target0,Arn=${queue}`;
      const rule = await ruleAt(name, aws);
      return mapped(rule, (its) => ruleProblems({ name, queue, part: "events", remedy }, its));
    });
    return mapped(everyOf(await Promise.all(judged)), (problems) => ({
      well: `${names.length} rules notify the queue`,
      problems: problems.flat(),
    }));
  });
};
