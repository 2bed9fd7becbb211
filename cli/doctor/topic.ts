import { DescribeKeyCommand, KMSClient } from "@aws-sdk/client-kms";
import { GetTopicAttributesCommand, SNSClient } from "@aws-sdk/client-sns";
import { everyOf, type Found, known } from "../connect/found.ts";
import { judged, lost, problemIf, type Verdict, wrong } from "./finding.ts";
import { type Present, readOn, readPresent } from "./reading.ts";
import { policySays } from "./resource-policy.ts";
import type { Check, Site } from "./site.ts";

/** The attributes of a topic, a subscription or a queue. */
export type Attributes = Readonly<Partial<Record<string, string>>>;

/** Judges whether the hooks' role may publish to a topic. */
function topicVerdict(topic: string, role: string, attributes: Present<Attributes>): Verdict {
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

/** Judges a topic's key, which Auto Scaling has to use in the name of the hooks' role. */
export const keyVerdict = (key: string, state: Present<string>): Verdict => ({
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

/** Whether the topic is there, and its policy lets the hooks' role publish. */
export const topicCheck: Check = async (site) =>
  judged(
    "topic",
    everyOf([
      site.parts.output("TopicArn"),
      site.parts.output("HooksRoleArn"),
      await topicOf(site),
    ]),
    ([topic, role, attributes]) => topicVerdict(topic, role, attributes),
  );

/** Whether the topic's key can be used. */
export const keyCheck: Check = async (site) => {
  const key = await topicKey(site);
  if (key.kind === "known" && key.value === "")
    return judged("key", key, () => ({ well: "the topic has none", problems: [] }));
  if (key.kind === "known" && key.value.endsWith("alias/aws/sns"))
    return judged("key", key, () => managedKey);
  const state = await readOn(key, (KeyId) =>
    readPresent(`describing key ${KeyId}`, "kms:DescribeKey", async () => {
      const { KeyMetadata } = await new KMSClient(site.aws).send(new DescribeKeyCommand({ KeyId }));
      return KeyMetadata?.KeyState ?? "";
    }),
  );
  return judged("key", everyOf([key, state]), ([arn, its]) => keyVerdict(arn, its));
};

/** The key of the topic; empty for none. */
export async function topicKey(site: Pick<Site, "aws" | "parts">): Promise<Found<string>> {
  const read = await topicOf(site);
  if (read.kind === "unknown") return read;
  const { KmsMasterKeyId = "" }: Attributes = read.value === "gone" ? {} : read.value;
  return known(KmsMasterKeyId);
}

const topicOf = ({ parts, aws }: Pick<Site, "aws" | "parts">) =>
  readOn(parts.output("TopicArn"), (TopicArn) =>
    readPresent<Attributes>(`reading topic ${TopicArn}`, "sns:GetTopicAttributes", async () => {
      const read = new GetTopicAttributesCommand({ TopicArn });
      const { Attributes: told = {} } = await new SNSClient(aws).send(read);
      return told;
    }),
  );
