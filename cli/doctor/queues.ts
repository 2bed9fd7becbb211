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
  readonly deadLetters: string;
  readonly topic: string;
  /** The EventBridge rules. */
  readonly rules: readonly string[];
}

/** Judges the queue of the notices. */
function queueVerdict(ends: QueueEnds, attributes: Present<Attributes>): LinkVerdict {
  const { queue, deadLetters } = ends;
  if (attributes === "gone") return lost(`queue ${queue}`);
  const { VisibilityTimeout: visibility = "", RedrivePolicy: redrive = "" } = attributes;
  const { deadLetterTargetArn: to, maxReceiveCount: receives } = redriveIn(redrive);
  return {
    well: `takes what the topic and ${ends.rules.length} rules send, hides a message for ${visibility} s, ${receives} receives until the dead letters`,
    problems: [
      ...sendProblems(queue, ends, attributes),
      ...encryptionProblem(queue, attributes),
      ...problemIf(
        to !== deadLetters,
        `queue ${queue} sends what it cannot deliver to ${to || "nobody"}, not to ${deadLetters}`,
        `${set} RedrivePolicy, with deadLetterTargetArn ${deadLetters}`,
      ),
      ...problemIf(
        to === deadLetters && receives < leastReceives,
        `queue ${queue} makes a dead letter of a message after ${receives} receives, and one that only waits may have that many`,
        `${set} RedrivePolicy, with maxReceiveCount ${leastReceives} at least`,
      ),
      ...problemIf(
        Number(visibility) <= functionTimeoutSeconds,
        `queue ${queue} hides a message for ${visibility} s, and the function may work on it for ${functionTimeoutSeconds}`,
        `${set} VisibilityTimeout=${functionTimeoutSeconds + 10}`,
      ),
    ],
  };
}

function deadLettersVerdict(
  cluster: string,
  ends: QueueEnds,
  attributes: Present<Attributes>,
): LinkVerdict {
  const { deadLetters } = ends;
  if (attributes === "gone") return lost(`queue ${deadLetters}`);
  const { ApproximateNumberOfMessages: count = "0" } = attributes;
  return {
    well: count === "0" ? "no message" : "takes what nobody can work on",
    notes: problemIf(
      count !== "0",
      count === "1" ? "1 message lies there" : `${count} messages lie there`,
      `\`dead-letters ${cluster}\` says which, and why; once that is repaired, \`dead-letters ${cluster} --redrive\` gives them back to the function, which drops those of instances that are gone`,
    ),
    problems: [
      ...sendProblems(deadLetters, ends, attributes),
      ...encryptionProblem(deadLetters, attributes),
    ],
  };
}

const set = "aws sqs set-queue-attributes --attributes";

function sendProblems(
  queue: string,
  { topic, rules }: QueueEnds,
  { Policy: policy = "" }: Attributes,
): readonly Problem[] {
  return [
    ...sendProblem({ queue, policy }, "topic", topic),
    ...rules.flatMap((rule) => sendProblem({ queue, policy }, "rule", rule)),
  ];
}

/** The problem if the policy of a queue does not let a topic or rule send to it. */
export function sendProblem(
  { queue, policy }: Readonly<Record<"policy" | "queue", string>>,
  what: "rule" | "topic",
  arn: string,
): readonly Problem[] {
  const by = byService(what === "topic" ? "sns" : "events", arn);
  const attempt = { ...by, action: "sqs:SendMessage", resource: queue };
  return problemIf(
    policySays(policy, attempt) !== "allowed",
    `the policy of queue ${queue} does not let ${what} ${arn} send`,
    `${set} Policy, with a statement that allows sqs:SendMessage to ${attempt.by} where aws:SourceArn is ${arn}`,
  );
}

const encryptionProblem = (
  queue: string,
  { KmsMasterKeyId: key = "" }: Attributes,
): readonly Problem[] =>
  problemIf(
    key.endsWith("alias/aws/sqs"),
    `queue ${queue} is encrypted with the key of SQS, which neither SNS nor EventBridge can use`,
    `${set} SqsManagedSseEnabled=true,KmsMasterKeyId=`,
  );

/** Checks that the queue accepts messages of the topic, and lets the function receive them for long enough and often enough. */
export const queueCheck: Check = async (site) =>
  mapped(
    everyOf([endsOf(site), await attributesOf(site.parts.queueUrl, site)]),
    ([ends, attributes]) => queueVerdict(ends, attributes),
  );

/** Checks that the dead-letter queue accepts undelivered messages. */
export const deadLettersCheck: Check = async (site) =>
  mapped(
    everyOf([endsOf(site), await attributesOf(site.parts.deadLettersUrl, site)]),
    ([ends, attributes]) => deadLettersVerdict(site.name, ends, attributes),
  );

function endsOf({ parts: { output }, resources }: ExaminedSite): Found<QueueEnds> {
  const found = everyOf([output("QueueArn"), output("TopicArn"), output("DeadLettersArn")]);
  if (found.kind === "unknown") return found;
  const [queue, topic, deadLetters] = found.value;
  // Rules that cannot be read are reported by their own link.
  const names = resources.kind === "known" ? rulesIn(resources.value) : [];
  const place = queue.split(":").slice(3, 5).join(":");
  const [, partition] = queue.split(":");
  const rules = names.map((name) => `arn:${partition}:events:${place}:rule/${name}`);
  return known({ queue, topic, deadLetters, rules });
}

export const attributesOf = (url: Found<string>, { aws }: Pick<ExaminedSite, "aws">) =>
  readOn(url, (QueueUrl) =>
    readPresent<Attributes>(`reading queue ${QueueUrl}`, "sqs:GetQueueAttributes", async () => {
      const read = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] });
      const { Attributes: told = {} } = await new SQSClient(aws).send(read);
      return told;
    }),
  );
