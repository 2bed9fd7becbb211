import { type Duration, type Instant, wholeSeconds } from "../../../lambda/base/time.ts";
import type { Queue, Redrive } from "./queue.ts";

const text = (duration: Duration): string => String(wholeSeconds(duration));

const redriveOf = (redrive: Redrive): Record<string, string> => {
  if (redrive.kind === "none") return {};
  const { to, maxReceives } = redrive;
  const policy = { deadLetterTargetArn: to.settings.arn, maxReceiveCount: maxReceives };
  return { RedrivePolicy: JSON.stringify(policy) };
};

/** The attributes of a queue, as GetQueueAttributes names them. */
export function queueAttributes(queue: Queue, now: Instant): Record<string, string> {
  const { settings, createdAt } = queue;
  const handlings = queue.contents().map(({ handling }) => handling);
  const invisible = handlings.filter(({ visibleAt }) => visibleAt > now);
  const delayed = invisible.filter(({ receives }) => receives === 0);
  const created = String(Math.floor(createdAt / 1000));
  return {
    QueueArn: settings.arn,
    ApproximateNumberOfMessages: String(handlings.length - invisible.length),
    ApproximateNumberOfMessagesNotVisible: String(invisible.length - delayed.length),
    ApproximateNumberOfMessagesDelayed: String(delayed.length),
    CreatedTimestamp: created,
    LastModifiedTimestamp: created,
    VisibilityTimeout: text(settings.visibility),
    MaximumMessageSize: "1048576",
    MessageRetentionPeriod: text(settings.retention),
    DelaySeconds: text(settings.delay),
    ReceiveMessageWaitTimeSeconds: text(settings.receiveWait),
    SqsManagedSseEnabled: "true",
    ...redriveOf(settings.redrive),
  };
}
