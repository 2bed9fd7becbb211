import { CloudWatchClient, DescribeAlarmsCommand } from "@aws-sdk/client-cloudwatch";
import {
  DescribeRuleCommand,
  EventBridgeClient,
  ListTargetsByRuleCommand,
} from "@aws-sdk/client-eventbridge";
import type { Dated } from "../../../lambda/domain/entry.ts";
import { hours, type Instant, instant, timestamp } from "../../../lambda/domain/time.ts";
import { mapped, readFrom } from "../../connect/found.ts";
import { entriesIn } from "../../status/last-entries.ts";
import { findingsOf, judged, type Problem, problemIf, unread, type Verdict } from "../finding.ts";
import { both, type Present, readOn, readPresent } from "../reading.ts";
import { type Check, resourcesIn } from "../site.ts";

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
  if (rule === "gone")
    return [
      {
        found: `rule ${name} is not there, although the stack has it`,
        remedy: "delete the stack and deploy it again (docs/deploy.md#removing-it)",
      },
    ];
  return [
    ...problemIf(
      !rule.state.startsWith("ENABLED"),
      `rule ${name} is ${rule.state}, so its events are not heard`,
      `aws events enable-rule --name ${name}`,
    ),
    ...problemIf(
      !rule.targets.includes(queue),
      `rule ${name} does not tell queue ${queue}`,
      `aws events put-targets --rule ${name} --targets Id=Target0,Arn=${queue}`,
    ),
  ];
}

/** Whether the stack's rules of EventBridge are on, and tell the queue. */
export const rulesCheck: Check = async ({ parts, resources, aws }) => {
  const names = mapped(resources, (all) => resourcesIn(all, "Events", "AWS::Events::Rule"));
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

/** What CloudWatch says of an alarm. */
export interface AlarmFacts {
  readonly AlarmName?: string | undefined;
  readonly StateValue?: string | undefined;
  readonly ActionsEnabled?: boolean | undefined;
  readonly AlarmDescription?: string | undefined;
}

/** Judges the alarms of the stack. */
export const alarmsVerdict = (
  wanted: readonly string[],
  alarms: readonly AlarmFacts[],
): Verdict => ({
  well: wanted.length === 0 ? "all are off" : `${wanted.length} alarms, none of them goes off`,
  problems: [
    ...wanted
      .filter((name) => !alarms.some(({ AlarmName }) => AlarmName === name))
      .map((name) => ({
        found: `alarm ${name} is not there, although the stack has it`,
        remedy: "delete the stack and deploy it again (docs/deploy.md#removing-it)",
      })),
    ...alarms.flatMap(
      ({ AlarmName: name = "", StateValue, ActionsEnabled, AlarmDescription: says = "" }) => [
        ...problemIf(
          StateValue === "ALARM",
          `alarm ${name} goes off: ${says}`,
          "do what the runbook says of it",
        ),
        ...problemIf(
          ActionsEnabled === false,
          `alarm ${name} tells nobody`,
          `aws cloudwatch enable-alarm-actions --alarm-names ${name}`,
        ),
      ],
    ),
  ],
});

/** Whether the stack's alarms are there, on and quiet. */
export const alarmsCheck: Check = async ({ resources, aws }) => {
  const names = mapped(resources, (all) => resourcesIn(all, "Alarms", "AWS::CloudWatch::Alarm"));
  const alarms = await readOn(names, (AlarmNames) =>
    readFrom("describing alarms", "cloudwatch:DescribeAlarms", async () => {
      if (AlarmNames.length === 0) return [];
      const read = new DescribeAlarmsCommand({ AlarmNames: [...AlarmNames] });
      return (await new CloudWatchClient(aws).send(read)).MetricAlarms ?? [];
    }),
  );
  return judged("alarms", both(names, alarms), ([wanted, its]) => alarmsVerdict(wanted, its));
};

const span = hours(24);

/** Tells the last notice that was done, and the last fault, of the entries of a day. */
export function lastWords(entries: readonly Dated[]): string {
  const done = entries.findLast(({ kind }) => kind === "notice-done");
  const fault = entries.findLast(({ kind }) => kind === "fault");
  const ended =
    done?.kind === "notice-done"
      ? `${done.notice} ended as ${done.outcome.kind} at ${timestamp(done.at)}`
      : "nothing was done in the last day";
  return fault?.kind === "fault"
    ? `${ended}; the last fault was at ${timestamp(fault.at)}: ${fault.message}`
    : `${ended}; no fault in the last day`;
}

/** Tells the last drain and the last fault. */
export const lastDrainCheck =
  (now: Instant): Check =>
  async ({ parts, aws }) => {
    const since = instant(now - span);
    const kinds = ["notice-done", "fault"] as const;
    const log = await entriesIn(parts.output("LogGroupName"), aws, { kinds, since });
    return judged("last drain", log, ({ entries }) => ({ well: lastWords(entries), problems: [] }));
  };
