import {
  ChangeMessageVisibilityBatchCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from "@aws-sdk/client-sqs";
import { Fault } from "../../lambda/base/fault.ts";
import { type Reader, readBody } from "../../lambda/notice/envelope.ts";
import { noticeSubject, noticeTitle, readNotice } from "../../lambda/notices.ts";
import * as subjects from "../subjects.ts";

/** Reads each dead letter once. Afterwards all can be received again. */
export async function* listed(url: string, sqs: SQSClient): AsyncGenerator<DeadLetter> {
  const seen = new Map<string, Message>();
  try {
    for (;;) {
      const messages = await received(url, sqs);
      const fresh = messages.filter(({ MessageId: id = "" }) => !seen.has(id));
      // Only the newest receipt makes a message visible again. A reader may stop before the last message.
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

/** Makes messages visible again, because a redrive moves only visible ones. */
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

/** A dead letter for people. Fields that the message does not have are empty. */
export interface DeadLetter {
  readonly messageId: string;
  readonly sentAt: string;
  /** A short title of its notice. */
  readonly title: string;
  readonly instance: string;
  readonly group: string;
  /** The reason by its sender for being a dead letter. */
  readonly reason: string;
}

/** Reads a dead letter, whatever its body is. */
function deadLetterOf(message: Message): DeadLetter {
  const { MessageId: messageId = "", Attributes: { SentTimestamp: sent = "0" } = {} } = message;
  const sentAt = new Date(Number(sent)).toISOString();
  return { messageId, sentAt, ...aboutWhat(message.Body ?? ""), reason: reasonOf(message) };
}

function aboutWhat(body: string): Pick<DeadLetter, "title" | "instance" | "group"> {
  const notice = tryRead(body, readNotice);
  if (notice === undefined) return { instance: "", ...ownSubject(body) };
  const { instance, group } = noticeSubject(notice);
  return { title: noticeTitle(notice), instance: instance ?? "", group: group ?? "" };
}

const own = await Promise.all(Object.values(subjects).map(({ inDeadLetters }) => inDeadLetters()));

/** The subject of a message of another queue than that of the notices. */
const ownSubject = (body: string): Pick<DeadLetter, "title" | "group"> =>
  own.flatMap(({ readMessage }) => tryRead(body, readMessage) ?? []).at(0) ?? {
    title: "unreadable",
    group: "",
  };

function tryRead<T>(body: string, reader: Reader<T>): T | undefined {
  try {
    return readBody(body, "body", reader);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** The attributes with the reason, by the function, SNS and EventBridge. */
const reasons = ["Fault", "ErrorMessage", "ERROR_MESSAGE"];

const reasonOf = ({ MessageAttributes: attributes = {} }: Message): string =>
  reasons.map((name) => attributes[name]?.StringValue ?? "").find((text) => text !== "") ?? "";
