import {
  DescribeRuleCommand,
  EventBridgeClient,
  ListTargetsByRuleCommand,
} from "@aws-sdk/client-eventbridge";
import { mapped } from "../../connect/found.ts";
import { findingsOf, type Problem, problemIf, unread } from "../finding.ts";
import { both, type Present, readPresent } from "../reading.ts";
import { type Check, type PartOfStack, resourcesIn } from "../site.ts";
import { lost, switched } from "./topic.ts";

/** A rule of EventBridge, and the ARNs of its targets. */
export interface RuleFacts {
  readonly name: string;
  readonly state: string;
  readonly targets: readonly string[];
}

/** What is wrong with a rule that has to tell the queue. */
export function ruleProblems(
  queue: string,
  name: string,
  rule: Present<RuleFacts>,
): readonly Problem[] {
  if (rule === "gone") return lost(`rule ${name}`, switched("events")).problems;
  return [
    ...stateProblems(rule),
    ...problemIf(
      !rule.targets.includes(queue),
      `rule ${name} does not tell queue ${queue}`,
      `aws events put-targets --rule ${name} --targets Id=Target0,Arn=${queue}`,
    ),
  ];
}

/** What is wrong with a rule that is not on. */
export const stateProblems = ({
  name,
  state,
}: Pick<RuleFacts, "name" | "state">): readonly Problem[] =>
  problemIf(
    !state.startsWith("ENABLED"),
    `rule ${name} is ${state}, so its events are not heard`,
    `aws events enable-rule --name ${name}`,
  );

/** The names of the rules among the resources of the deployment. */
export const rulesIn = (resources: readonly PartOfStack[]): readonly string[] =>
  resourcesIn(resources, "Events", "AWS::Events::Rule");

/** Whether the stack's rules of EventBridge are on, and tell the queue. */
export const rulesCheck: Check = async ({ parts, resources, aws }) => {
  const names = mapped(resources, rulesIn);
  const known = both(names, parts.output("QueueArn"));
  if (known.kind === "unknown") return unread("rules", known.why, known.remedy);
  const [wanted, queue] = known.value;
  const client = new EventBridgeClient(aws);
  const problems: Problem[] = [];
  const reads = wanted.map(async (name) => ({
    name,
    read: await readPresent(
      `reading rule ${name}`,
      "events:DescribeRule and events:ListTargetsByRule",
      async () => {
        const [{ State: state = "" }, { Targets = [] }] = await Promise.all([
          client.send(new DescribeRuleCommand({ Name: name })),
          client.send(new ListTargetsByRuleCommand({ Rule: name })),
        ]);
        return { name, state, targets: Targets.map(({ Arn: arn = "" }) => arn) };
      },
    ),
  }));
  for (const { name, read } of await Promise.all(reads)) {
    if (read.kind === "unknown") return unread("rules", read.why, read.remedy);
    problems.push(...ruleProblems(queue, name, read.value));
  }
  return findingsOf("rules", { well: `${wanted.length} rules tell the queue`, problems });
};
