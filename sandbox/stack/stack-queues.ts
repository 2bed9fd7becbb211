import { seconds } from "../../lambda/domain/time.ts";
import type { Queue } from "../aws/sqs/queue.ts";
import type { Stack } from "./stack.ts";
import { properties } from "./template-schema.ts";

/** The queue of the stack, and its dead letters. */
export function createQueues({ aws, resources, names }: Omit<Stack, "policies">) {
  const all = resources.of("AWS::SQS::Queue", properties.queue);
  const last = all.filter(({ its }) => its.RedrivePolicy === undefined);
  const made = new Map<string, Queue>();
  const create = (id: string, its: (typeof all)[number]["its"]): Queue => {
    const { RedrivePolicy: redrive } = its;
    const to = redrive && made.get(names.text(redrive.deadLetterTargetArn));
    const queue = aws.sqs.createQueue({
      name: id,
      visibility: seconds(its.VisibilityTimeout),
      retention: seconds(its.MessageRetentionPeriod),
      redrive: to
        ? { kind: "dead-letters", to, maxReceives: redrive.maxReceiveCount }
        : { kind: "none" },
    });
    made.set(queue.settings.arn, queue);
    return queue;
  };
  const [deadLetters] = last.map(({ id, its }) => create(id, its));
  const [queue] = all.filter((it) => !last.includes(it)).map(({ id, its }) => create(id, its));
  if (queue === undefined || deadLetters === undefined)
    throw new Error("the template has no queue with dead letters");
  return { queue, deadLetters };
}
