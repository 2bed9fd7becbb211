import { malformed } from "../../lambda/base/malformed.ts";
import { has, read, within } from "../../lambda/base/read.ts";
import { anyText, anything, field, record, someOf } from "../../lambda/base/schema.ts";

/** A message of a saved event, to publish to a topic. */
export interface SavedMessage {
  /** Empty if it has none. */
  readonly subject: string;
  readonly message: string;
  /** Its path in the saved event, such as `Records[0].Sns.Message`; empty for the whole event. */
  readonly place: string;
}

const kinds = "a saved SNS event, an SQS batch or a notice";
// Some editors on Windows put a byte order mark at the start of a file.
const byteOrderMark = /^\uFEFF/;
const list = record({
  Records: someOf(anything, "a list of records"),
});
const received = record({
  Messages: someOf(record({ Body: anyText("a text") }), "a list of messages"),
});
const published = record({ Sns: anything });
const queued = record({ body: anyText("a text") });
/** A message may have no subject, or `null`. */
const subjectIn = (value: unknown): string | undefined => {
  const subject = value ?? "";
  return typeof subject === "string" ? subject : undefined;
};
const notification = record({
  Subject: field("a text", subjectIn),
  Message: anyText("a text"),
});

/** Reads the messages of a saved event in any form. The function judges their content. */
export function readSavedEvent(text: string): readonly SavedMessage[] {
  const event = parsed(text.replace(byteOrderMark, ""));
  if (typeof event !== "object" || event === null || Array.isArray(event))
    throw malformed("", kinds, event);
  if (has(event, "Messages")) return receivedMessages(event);
  if (!has(event, "Records")) return [messageIn(event, "")];
  const { Records } = read(list, event, "");
  return Records.map((entry, index) => recorded(entry, within("Records", [index])));
}

/** Messages of a queue, such as the dead-letter queue, as `aws sqs receive-message` prints them. */
function receivedMessages(event: object): readonly SavedMessage[] {
  const { Messages } = read(received, event, "");
  return Messages.map(({ Body }, index) => bodied(Body, within("Messages", [index, "Body"])));
}

function recorded(entry: unknown, path: string): SavedMessage {
  if (has(entry, "Sns"))
    return readNotification(read(published, entry, path).Sns, within(path, ["Sns"]));
  if (!has(entry, "body")) {
    const expected = "a record of SQS (with a body) or of SNS (with Sns)";
    throw malformed(path, expected, entry);
  }
  return bodied(read(queued, entry, path).body, within(path, ["body"]));
}

/** The body of a queued message: an SNS envelope as text, or any other text as it was sent. */
function bodied(body: string, path: string): SavedMessage {
  try {
    return messageIn(JSON.parse(body), path);
  } catch {
    return { subject: "", message: body, place: path };
  }
}

const messageIn = (value: unknown, path: string): SavedMessage =>
  has(value, "Message") && has(value, "TopicArn")
    ? readNotification(value, path)
    : { subject: "", message: JSON.stringify(value), place: path };

function readNotification(value: unknown, path: string): SavedMessage {
  const { Subject, Message } = read(notification, value, path);
  return { subject: Subject, message: Message, place: within(path, ["Message"]) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw malformed(placeIn(cause), "JSON", text, { cause });
  }
}

/** The position of the error in the JSON, if the parser tells it. */
function placeIn(cause: unknown): string {
  const { message } = cause instanceof Error ? cause : { message: "" };
  const [, line, column] = /\(line (\d+) column (\d+)\)$/.exec(message) ?? [];
  return line === undefined ? "" : `the event, line ${line}, column ${column}`;
}
