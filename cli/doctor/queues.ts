import { GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { functionTimeoutSeconds } from "../../lambda/base/contract.ts";
import { leastReceives } from "../../lambda/notice/renewal.ts";
import { everyOf, type Found, known, mapped } from "../connect/found.ts";
import { redriveIn } from "../dead-letters/redrive-policy-schema.ts";
import { type Present, readOn, readPresent } from "./reading.ts";
import { byService, policySays } from "./resource-policy.ts";
import { rulesIn } from "./rules.ts";
import type { Check, ExaminedSite } from "./site.ts";
import type { Attributes } from "./topic.ts";
import { type LinkVerdict, lost, type Problem, problemIf } from "./verdict.ts";

/** The ARNs of the queues, and of what sends to them. */
interface QueueEnds {
  readonly queue: string;
  /** The URL of the queue that is judged. */
  readonly url: string;
  readonly deadLetters: string;
  readonly topic: string;
  /** The EventBridge rules. */
  readonly rules: readonly string[];
}

/** Judges the queue of the notices. */
function queueVerdict(ends: QueueEnds, attributes: Present<Attributes>): LinkVerdict {
  const { queue, url, deadLetters } = ends;
  if (attributes === "gone") return lost(`queue ${queue}`);
  const { VisibilityTimeout: visibility = "", RedrivePolicy: redrive = "" } = attributes;
  const { Policy: policy = "" } = attributes;
  const { deadLetterTargetArn: to, maxReceiveCount: receives } = redriveIn(redrive);
  const redriving = setting(url, "RedrivePolicy", {
    deadLetterTargetArn: deadLetters,
    maxReceiveCount: Math.max(receives, leastReceives),
  });
  return {
    well: `takes what the topic and ${ends.rules.length} rules send, hides a message for ${visibility} s, ${receives} receives until the dead letters`,
    problems: [
      ...sendProblems({ queue, url, policy }, sendersOf(ends)),
      ...encryptionProblem({ queue, url }, attributes),
      ...problemIf(
        to !== deadLetters,
        `queue ${queue} sends what it cannot deliver to ${to || "nobody"}, not to ${deadLetters}`,
        redriving,
      ),
      ...problemIf(
        to === deadLetters && receives < leastReceives,
        `queue ${queue} makes a dead letter of a message after ${receives} receives, and one that only waits may have that many`,
        redriving,
      ),
      ...problemIf(
        Number(visibility) <= functionTimeoutSeconds,
        `queue ${queue} hides a message for ${visibility} s, and the function may work on it for ${functionTimeoutSeconds}`,
        `${set(url)} VisibilityTimeout=${functionTimeoutSeconds + 10}`,
      ),
    ],
  };
}

function deadLettersVerdict(
  cluster: string,
  ends: QueueEnds,
  attributes: Present<Attributes>,
): LinkVerdict {
  const { deadLetters, url } = ends;
  if (attributes === "gone") return lost(`queue ${deadLetters}`);
  const { ApproximateNumberOfMessages: count = "0", Policy: policy = "" } = attributes;
  return {
    well: count === "0" ? "no message" : "takes what nobody can work on",
    notes: problemIf(
      count !== "0",
      count === "1" ? "1 message lies there" : `${count} messages lie there`,
      `\`dead-letters ${cluster}\` says which, and why; once that is repaired, \`dead-letters ${cluster} --redrive\` gives them back to the function, which drops those of instances that are gone`,
    ),
    problems: [
      ...sendProblems({ queue: deadLetters, url, policy }, sendersOf(ends)),
      ...encryptionProblem({ queue: deadLetters, url }, attributes),
    ],
  };
}

/** The command that sets an attribute of a queue to a JSON text. */
const setting = (url: string, attribute: string, value: object): string =>
  `${set(url)} '${JSON.stringify({ [attribute]: JSON.stringify(value) })}'`;

const set = (url: string): string => `aws sqs set-queue-attributes --queue-url ${url} --attributes`;

const sendersOf = ({ topic, rules }: QueueEnds): readonly Sender[] => [
  { what: "topic", arn: topic },
  ...rules.map((arn) => ({ what: "rule", arn }) as const),
];

/** Something that sends to a queue. */
interface Sender {
  readonly what: "rule" | "topic";
  readonly arn: string;
}

/** A queue, and its policy. */
type GuardedQueue = Readonly<Record<"policy" | "queue" | "url", string>>;

/** The problems if the policy of a queue does not let a topic or rules send to it, with one remedy for all of them. */
export function sendProblems(
  { queue, url, policy }: GuardedQueue,
  senders: readonly Sender[],
): readonly Problem[] {
  const judged = senders.map(({ what, arn }) => {
    const by = byService(what === "topic" ? "sns" : "events", arn);
    const says = policySays(policy, { ...by, action: "sqs:SendMessage", resource: queue });
    return { what, arn, by: by.by, says };
  });
  const shut = judged.filter(({ says }) => says !== "allowed");
  const statements = shut.map(({ by, arn }) => ({
    Effect: "Allow",
    Principal: { Service: by },
    Action: "sqs:SendMessage",
    Resource: queue,
    Condition: { ArnEquals: { "aws:SourceArn": arn } },
  }));
  const remedy = shut.some(({ says }) => says === "denied")
    ? `take the Deny that applies out of the policy of queue ${queue}, which \`aws sqs get-queue-attributes --queue-url ${url} --attribute-names Policy\` shows`
    : setting(url, "Policy", withStatements(policy, statements));
  return shut.map(({ what, arn }) => ({
    found: `the policy of queue ${queue} does not let ${what} ${arn} send`,
    remedy,
  }));
}

/** A policy with some more statements; SQS replaces the whole. */
function withStatements(policy: string, more: readonly object[]): object {
  const { Version, Statement }: PolicyText =
    policy === "" ? { Statement: [] } : Object(JSON.parse(policy));
  return { Version: Version ?? "2012-10-17", Statement: [Statement, more].flat() };
}

interface PolicyText {
  readonly Version?: string;
  readonly Statement: object | readonly object[];
}

const encryptionProblem = (
  { queue, url }: Pick<GuardedQueue, "queue" | "url">,
  { KmsMasterKeyId: key = "" }: Attributes,
): readonly Problem[] =>
  problemIf(
    key.endsWith("alias/aws/sqs"),
    `queue ${queue} is encrypted with the key of SQS, which neither SNS nor EventBridge can use`,
    `${set(url)} SqsManagedSseEnabled=true,KmsMasterKeyId=`,
  );

/** Checks that the queue accepts messages of the topic, and lets the function receive them for long enough and often enough. */
export const queueCheck: Check = async (site) =>
  mapped(
    everyOf([endsOf(site, site.parts.queueUrl), await attributesOf(site.parts.queueUrl, site)]),
    ([ends, attributes]) => queueVerdict(ends, attributes),
  );

/** Checks that the dead-letter queue accepts undelivered messages. */
export const deadLettersCheck: Check = async (site) =>
  mapped(
    everyOf([
      endsOf(site, site.parts.deadLettersUrl),
      await attributesOf(site.parts.deadLettersUrl, site),
    ]),
    ([ends, attributes]) => deadLettersVerdict(site.name, ends, attributes),
  );

function endsOf(
  { parts: { output }, resources }: ExaminedSite,
  at: Found<string>,
): Found<QueueEnds> {
  const found = everyOf([output("QueueArn"), output("TopicArn"), output("DeadLettersArn"), at]);
  if (found.kind === "unknown") return found;
  const [queue, topic, deadLetters, url] = found.value;
  // Rules that cannot be read are reported by their own link.
  const names = resources.kind === "known" ? rulesIn(resources.value) : [];
  const place = queue.split(":").slice(3, 5).join(":");
  const [, partition] = queue.split(":");
  const rules = names.map((name) => `arn:${partition}:events:${place}:rule/${name}`);
  return known({ queue, url, topic, deadLetters, rules });
}

export const attributesOf = (url: Found<string>, { aws }: Pick<ExaminedSite, "aws">) =>
  readOn(url, (QueueUrl) =>
    readPresent<Attributes>(`reading queue ${QueueUrl}`, "sqs:GetQueueAttributes", async () => {
      const read = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] });
      const { Attributes: attributes = {} } = await new SQSClient(aws).send(read);
      return attributes;
    }),
  );
