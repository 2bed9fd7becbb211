import type { Message } from "@aws-sdk/client-sqs";
import { Fault } from "../../lambda/base/fault.ts";
import { readBody } from "../../lambda/notice/envelope.ts";
import { readNotice } from "../../lambda/notice/read-notice.ts";
import { subjectOf } from "../../lambda/notice/subject.ts";
import { noticeTitle } from "../../lambda/notice/title.ts";

/** What people want to know of a dead letter; what it does not tell is empty. */
export interface DeadLetter {
  readonly messageId: string;
  readonly sentAt: string;
  /** What its notice says, in a few words. */
  readonly title: string;
  readonly instance: string;
  readonly group: string;
  /** Why it is here, in the words of whoever put it here. */
  readonly reason: string;
}

/** Reads a message among the dead letters, whatever its body is. */
export function deadLetterOf(message: Message): DeadLetter {
  const { MessageId: messageId = "", Attributes: { SentTimestamp: sent = "0" } = {} } = message;
  const sentAt = new Date(Number(sent)).toISOString();
  return { messageId, sentAt, ...aboutWhat(message.Body ?? ""), reason: reasonOf(message) };
}

function aboutWhat(body: string): Pick<DeadLetter, "title" | "instance" | "group"> {
  const notice = tryNotice(body);
  if (notice === undefined) return { title: "unreadable", instance: "", group: "" };
  const { instance, group } = subjectOf(notice);
  return { title: noticeTitle(notice), instance: instance ?? "", group: group ?? "" };
}

function tryNotice(body: string) {
  try {
    return readBody(body, "body", readNotice);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/** The function, SNS and EventBridge each have an attribute of their own for the reason. */
const reasons = ["Fault", "ErrorMessage", "ERROR_MESSAGE"];

const reasonOf = ({ MessageAttributes: attributes = {} }: Message): string =>
  reasons.map((name) => attributes[name]?.StringValue ?? "").find((text) => text !== "") ?? "";
