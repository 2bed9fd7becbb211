import {
  ChangeMessageVisibilityBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { type DeadLetter, deadLetterOf } from "./dead-letter.ts";

/** Reads each dead letter once; all of them can be received again afterwards. */
export async function* listed(url: string, sqs: SQSClient): AsyncGenerator<DeadLetter> {
  const seen = new Map<string, Message>();
  try {
    for (;;) {
      const messages = await received(url, sqs);
      const fresh = messages.filter(({ MessageId: id = "" }) => !seen.has(id));
      // Only the newest receipt makes a message visible again, and a reader may stop before the last message.
      for (const message of messages) seen.set(message.MessageId ?? "", message);
      if (fresh.length === 0) return;
      yield* fresh.map(deadLetterOf);
    }
  } finally {
    await released([...seen.values()], url, sqs);
  }
}

async function received(url: string, sqs: SQSClient): Promise<readonly Message[]> {
  const { Messages: messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: url,
      MaxNumberOfMessages: perCall,
      MessageAttributeNames: ["All"],
      MessageSystemAttributeNames: ["SentTimestamp"],
      VisibilityTimeout: 120,
      // Without a wait SQS asks only some of its servers.
      WaitTimeSeconds: 1,
    }),
  );
  return messages;
}

/** Makes messages visible again, because a redrive moves only those that are. */
async function released(messages: readonly Message[], url: string, sqs: SQSClient) {
  for (let from = 0; from < messages.length; from += perCall) {
    const entries = messages.slice(from, from + perCall).map(({ ReceiptHandle }, index) => ({
      Id: String(index),
      ReceiptHandle,
      VisibilityTimeout: 0,
    }));
    await sqs.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl: url, Entries: entries }));
  }
}

const perCall = 10;
