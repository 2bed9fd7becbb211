import { GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { functionTimeoutSeconds } from "../../../lambda/contract.ts";
import { leastReceives } from "../../../lambda/domain/notice/renewal.ts";
import type { Found } from "../../connect/found.ts";
import { redriveIn } from "../../dead-letters/redrive-policy-schema.ts";
import { judged, type Problem, problemIf, type Verdict } from "../finding.ts";
import { both, type Present, readOn, readPresent } from "../reading.ts";
import { byService, policySays } from "../resource-policy.ts";
import type { Check, Site } from "../site.ts";
import { type Attributes, lost } from "./topic.ts";

/** The ARNs of the parts that a notice passes. */
export interface QueueEnds {
  readonly queue: string;
  readonly topic: string;
  readonly deadLetters: string;
}

/** Judges the queue of the notices. */
export function queueVerdict(
  { queue, topic, deadLetters }: QueueEnds,
  attributes: Present<Attributes>,
): Verdict {
  if (attributes === "gone") return lost(`queue ${queue}`);
  const { VisibilityTimeout: visibility = "", RedrivePolicy: redrive = "" } = attributes;
  const { deadLetterTargetArn: to, maxReceiveCount: receives } = redriveIn(redrive);
  return {
    well: `lets the topic send, hides a message for ${visibility} s, ${receives} receives until the dead letters`,
    problems: [
      ...sendProblem(queue, topic, attributes),
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

/** Judges the queue of the dead letters. */
export function deadLettersVerdict(
  { deadLetters, topic }: QueueEnds,
  attributes: Present<Attributes>,
): Verdict {
  if (attributes === "gone") return lost(`queue ${deadLetters}`);
  const { ApproximateNumberOfMessages: count = "0" } = attributes;
  return {
    well: `${count === "0" ? "no message" : `${count} messages: eks-node-lifecycle dead-letters`}`,
    problems: [
      ...sendProblem(deadLetters, topic, attributes),
      ...encryptionProblem(deadLetters, attributes),
    ],
  };
}

const set = "aws sqs set-queue-attributes --attributes";

function sendProblem(
  queue: string,
  topic: string,
  { Policy: policy = "" }: Attributes,
): readonly Problem[] {
  const attempt = { ...byService("sns", topic), action: "sqs:SendMessage", resource: queue };
  return problemIf(
    policySays(policy, attempt) !== "allowed",
    `the policy of queue ${queue} does not let topic ${topic} send`,
    `${set} Policy, with a statement that allows sqs:SendMessage to sns.amazonaws.com where aws:SourceArn is ${topic}`,
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

/** Whether the queue takes what the topic sends, and gives it to the function long enough and often enough. */
export const queueCheck: Check = async (site) =>
  judged(
    "queue",
    both(endsOf(site), await attributesOf(site.parts.queueUrl, site)),
    ([ends, attributes]) => queueVerdict(ends, attributes),
  );

/** Whether the dead letters take what cannot be delivered. */
export const deadLettersCheck: Check = async (site) =>
  judged(
    "dead letters",
    both(endsOf(site), await attributesOf(site.parts.deadLettersUrl, site)),
    ([ends, attributes]) => deadLettersVerdict(ends, attributes),
  );

function endsOf({ parts: { output } }: Site): Found<QueueEnds> {
  const found = both(both(output("QueueArn"), output("TopicArn")), output("DeadLettersArn"));
  if (found.kind === "unknown") return found;
  const [[queue, topic], deadLetters] = found.value;
  return { kind: "known", value: { queue, topic, deadLetters } };
}

const attributesOf = (url: Found<string>, { aws }: Pick<Site, "aws">) =>
  readOn(url, (QueueUrl) =>
    readPresent<Attributes>(`reading queue ${QueueUrl}`, "sqs:GetQueueAttributes", async () => {
      const read = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] });
      const { Attributes: told = {} } = await new SQSClient(aws).send(read);
      return told;
    }),
  );
