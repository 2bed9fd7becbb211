import {
  GetSubscriptionAttributesCommand,
  type ListSubscriptionsByTopicCommandOutput,
  paginateListSubscriptionsByTopic,
  SNSClient,
} from "@aws-sdk/client-sns";
import { allOf } from "../connect/all-of.ts";
import type { AwsAccess } from "../connect/aws-access.ts";
import { everyOf, type Found, known } from "../connect/found.ts";
import { redriveIn } from "../dead-letters/redrive-policy-schema.ts";
import { judged, problemIf, type Verdict, wrong } from "./finding.ts";
import { type Present, readOn, readPresent } from "./reading.ts";
import type { Check } from "./site.ts";
import type { Attributes } from "./topic.ts";

/** What SNS tells in the place of the ARN of a subscription that nobody has confirmed. */
const pending = "PendingConfirmation";

/** Judges the subscription of the queue to the topic. */
export function subscriptionVerdict(
  { topic, queue, deadLetters }: Readonly<Record<"deadLetters" | "queue" | "topic", string>>,
  subscription: Present<Attributes>,
): Verdict {
  const subscribe = `aws sns subscribe --topic-arn ${topic} --protocol sqs --notification-endpoint ${queue}`;
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
        `${set} RedrivePolicy --attribute-value '{"deadLetterTargetArn":"${deadLetters}"}'`,
      ),
    ],
  };
}

/** Whether the queue gets what is published to the topic. */
export const subscriptionCheck: Check = async ({ parts, aws }) => {
  const { output } = parts;
  const ends = everyOf([output("TopicArn"), output("QueueArn"), output("DeadLettersArn")]);
  const read = await readOn(ends, ([topic, queue]) => subscriptionOf(topic, queue, aws));
  return judged("subscription", everyOf([ends, read]), ([[topic, queue, deadLetters], its]) =>
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
        const { Attributes: told = {} } = await client.send(read);
        return { ...told, SubscriptionArn };
      },
    );
  });
}

/** The ARN of a queue's subscription; one that was deleted is still listed for some time. */
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
