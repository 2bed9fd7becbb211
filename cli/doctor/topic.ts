import { DescribeKeyCommand, KMSClient } from "@aws-sdk/client-kms";
import {
  GetSubscriptionAttributesCommand,
  GetTopicAttributesCommand,
  type ListSubscriptionsByTopicCommandOutput,
  paginateListSubscriptionsByTopic,
  SNSClient,
} from "@aws-sdk/client-sns";
import { type AwsAccess, allOf } from "../connect/aws-access.ts";
import { everyOf, type Found, known, mapped } from "../connect/found.ts";
import { redriveIn } from "../dead-letters/redrive-policy-schema.ts";
import { type Present, readOn, readPresent } from "./reading.ts";
import { policySays } from "./resource-policy.ts";
import type { Check, ExaminedSite } from "./site.ts";
import { fine, type LinkVerdict, lost, problemIf, wrong } from "./verdict.ts";

/** The attributes of a topic, a subscription or a queue. */
export type Attributes = Readonly<Partial<Record<string, string>>>;

/** Judges whether the hooks' role may publish to a topic. */
function topicVerdict(topic: string, role: string, attributes: Present<Attributes>): LinkVerdict {
  if (attributes === "gone") return lost(`topic ${topic}`);
  const { Policy: policy = "" } = attributes;
  const context = { "aws:PrincipalArn": role, "aws:SecureTransport": "true" };
  const says = policySays(policy, { by: role, action: "sns:Publish", resource: topic, context });
  return {
    well: topic,
    problems: problemIf(
      says === "denied",
      `the policy of topic ${topic} denies sns:Publish to the hooks' role ${role}`,
      "take the statement away that denies it: `aws sns set-topic-attributes --attribute-name Policy`",
    ),
  };
}

/** Judges the topic's key, which Auto Scaling uses with the hooks' role. */
export const keyVerdict = (key: string, state: Present<string>): LinkVerdict => ({
  well: key,
  problems: problemIf(
    state !== "Enabled",
    `key ${key} of the topic is ${state}, so nobody can publish`,
    state === "gone"
      ? "set another key (encryptionKeyArn), and deploy again"
      : state === "PendingDeletion"
        ? `aws kms cancel-key-deletion --key-id ${key}, then aws kms enable-key --key-id ${key}`
        : `aws kms enable-key --key-id ${key}`,
  ),
});

const managedKey = wrong(
  "the topic is encrypted with the key of SNS, which Auto Scaling cannot use",
  "set a key of your own (encryptionKeyArn), and deploy again",
);

/** Checks that the topic exists, and that its policy lets the hooks' role publish. */
export const topicCheck: Check = async (site) =>
  mapped(
    everyOf([
      site.parts.output("TopicArn"),
      site.parts.output("HooksRoleArn"),
      await topicOf(site),
    ]),
    ([topic, role, attributes]) => topicVerdict(topic, role, attributes),
  );

/** Checks that the topic's key can be used. */
export const keyCheck: Check = async (site) => {
  const key = await topicKey(site);
  return readOn(key, async (KeyId) => {
    if (KeyId === "") return fine("the topic has none");
    if (KeyId.endsWith("alias/aws/sns")) return known(managedKey);
    const state = await readPresent(`describing key ${KeyId}`, "kms:DescribeKey", async () => {
      const { KeyMetadata } = await new KMSClient(site.aws).send(new DescribeKeyCommand({ KeyId }));
      return KeyMetadata?.KeyState ?? "";
    });
    return mapped(state, (its) => keyVerdict(KeyId, its));
  });
};

/** The key of the topic; empty if it has none. */
export async function topicKey(site: Pick<ExaminedSite, "aws" | "parts">): Promise<Found<string>> {
  const read = await topicOf(site);
  if (read.kind === "unknown") return read;
  const { KmsMasterKeyId = "" }: Attributes = read.value === "gone" ? {} : read.value;
  return known(KmsMasterKeyId);
}

const topicOf = ({ parts, aws }: Pick<ExaminedSite, "aws" | "parts">) =>
  readOn(parts.output("TopicArn"), (TopicArn) =>
    readPresent<Attributes>(`reading topic ${TopicArn}`, "sns:GetTopicAttributes", async () => {
      const read = new GetTopicAttributesCommand({ TopicArn });
      const { Attributes: attributes = {} } = await new SNSClient(aws).send(read);
      return attributes;
    }),
  );

/** The text that SNS returns instead of an ARN for an unconfirmed subscription. */
const pending = "PendingConfirmation";

export function subscriptionVerdict(
  { topic, queue, deadLetters }: Readonly<Record<"deadLetters" | "queue" | "topic", string>>,
  subscription: Present<Attributes>,
): LinkVerdict {
  const redrive = JSON.stringify({ deadLetterTargetArn: deadLetters });
  const attributes = JSON.stringify({ RedrivePolicy: redrive });
  const subscribe = `aws sns subscribe --topic-arn ${topic} --protocol sqs --notification-endpoint ${queue} --attributes '${attributes}'`;
  if (subscription === "gone")
    return wrong(`queue ${queue} does not subscribe to ${topic}`, subscribe);
  const { SubscriptionArn: arn = "", FilterPolicy: filter = "", RedrivePolicy = "" } = subscription;
  const { deadLetterTargetArn: letters } = redriveIn(RedrivePolicy);
  const { PendingConfirmation: isPending = "false" } = subscription;
  const set = `aws sns set-subscription-attributes --subscription-arn ${arn} --attribute-name`;
  if (isPending === "true")
    return wrong(`the subscription of queue ${queue} is not confirmed`, subscribe);
  return {
    well: `queue ${queue}`,
    problems: [
      ...problemIf(
        !["", "{}"].includes(filter),
        `the subscription of queue ${queue} has a filter, which may drop notices: ${filter}`,
        `${set} FilterPolicy --attribute-value '{}'`,
      ),
      ...problemIf(
        letters !== deadLetters,
        `the subscription of queue ${queue} ${letters === "" ? "drops what it cannot deliver" : `sends what it cannot deliver to ${letters}`}, and not to ${deadLetters}`,
        `${set} RedrivePolicy --attribute-value '${redrive}'`,
      ),
    ],
  };
}

/** Checks that the queue receives what is published to the topic. */
export const subscriptionCheck: Check<"aws" | "parts"> = async ({ parts, aws }) => {
  const { output } = parts;
  const ends = everyOf([output("TopicArn"), output("QueueArn"), output("DeadLettersArn")]);
  const read = await readOn(ends, ([topic, queue]) => subscriptionOf(topic, queue, aws));
  return mapped(everyOf([ends, read]), ([[topic, queue, deadLetters], its]) =>
    subscriptionVerdict({ topic, queue, deadLetters }, its),
  );
};

async function subscriptionOf(
  TopicArn: string,
  queue: string,
  aws: AwsAccess,
): Promise<Found<Present<Attributes>>> {
  const client = new SNSClient(aws);
  const listed = await readPresent(
    `listing the subscriptions of ${TopicArn}`,
    "sns:ListSubscriptionsByTopic",
    () => arnOf(paginateListSubscriptionsByTopic({ client }, { TopicArn }), queue),
  );
  return readOn<string, Present<Attributes>>(listed, async (SubscriptionArn) => {
    if (SubscriptionArn === "gone") return known("gone");
    if (SubscriptionArn === pending) return known({ PendingConfirmation: "true" });
    return readPresent<Attributes>(
      `reading ${SubscriptionArn}`,
      "sns:GetSubscriptionAttributes",
      async () => {
        const read = new GetSubscriptionAttributesCommand({ SubscriptionArn });
        const { Attributes: attributes = {} } = await client.send(read);
        return { ...attributes, SubscriptionArn };
      },
    );
  });
}

/** The ARN of a queue's subscription. A deleted subscription is still listed for some time. */
async function arnOf(
  pages: AsyncIterable<ListSubscriptionsByTopicCommandOutput>,
  queue: string,
): Promise<string> {
  const all = await allOf(pages, ({ Subscriptions }) => Subscriptions);
  const arns = all.flatMap(({ Endpoint, SubscriptionArn: arn = "" }) =>
    Endpoint === queue ? [arn] : [],
  );
  return (
    arns.find((arn) => arn.startsWith("arn:")) ?? arns.find((arn) => arn === pending) ?? "gone"
  );
}
