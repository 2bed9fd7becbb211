import { describe, expect, it } from "vitest";
import { readSavedEvent } from "../../../cli/replay/saved-event-schema.ts";
import { Fault } from "../../../lambda/base/fault.ts";
import {
  queueRecord,
  savedEvent,
  savedEvents,
  snsEnvelope,
  snsEvent,
} from "../../support/saved-events.ts";

const notice = { LifecycleTransition: "autoscaling:EC2_INSTANCE_TERMINATING" };
const message = JSON.stringify(notice);
const read = (event: unknown) => readSavedEvent(JSON.stringify(event));

function complaint(text: string): string {
  try {
    return `read as ${JSON.stringify(readSavedEvent(text))}`;
  } catch (error) {
    return error instanceof Fault ? error.message : String(error);
  }
}

describe("a saved event", () => {
  it.each([
    ["an SNS event", "Records[0].Sns.Message", snsEvent(message)],
    ["an SNS notification by itself", "Message", snsEnvelope(message)],
    [
      "a batch of enveloped messages",
      "Records[0].body.Message",
      { Records: [queueRecord(JSON.stringify(snsEnvelope(message)))] },
    ],
    ["a batch of raw messages", "Records[0].body", { Records: [queueRecord(message)] }],
    ["a bare notice", "", notice],
    [
      "messages as `aws sqs receive-message` prints them",
      "Messages[0].Body",
      { Messages: [{ Body: message }] },
    ],
    [
      "enveloped messages of a queue",
      "Messages[0].Body.Message",
      { Messages: [{ Body: JSON.stringify(snsEnvelope(message)) }] },
    ],
  ])("gives the message to publish, and its place: %s", (_, place, event) => {
    expect(read(event)).toEqual([{ subject: "", message, place }]);
  });

  it("may begin with a byte order mark", () => {
    expect(readSavedEvent(`\uFEFF${JSON.stringify(notice)}`)).toMatchObject([
      { subject: "", message },
    ]);
  });

  it("keeps its subject", () => {
    const [saved] = read(savedEvent("demo-ng-terminate"));

    expect(saved?.subject).toBe(
      "Auto Scaling:  Lifecycle action 'TERMINATING' for instance i-07e9ea9eb19a67337 in progress.",
    );
  });

  it("gives every message of a batch", () => {
    const Records = ["first", "second"].map((body) => queueRecord(body));

    expect(read({ Records }).map((one) => one.message)).toEqual(["first", "second"]);
  });

  it("leaves it to the function to read a message", () => {
    expect(read(snsEvent("no JSON at all"))).toMatchObject([
      { subject: "", message: "no JSON at all" },
    ]);
    expect(read({ surprise: 1 })).toMatchObject([{ subject: "", message: '{"surprise":1}' }]);
  });

  it.each(savedEvents)("is read from events/%s.json", (name) => {
    const [saved, ...others] = read(savedEvent(name));

    expect(others).toEqual([]);
    expect(JSON.parse(saved?.message ?? "")).toBeTypeOf("object");
  });

  it.each([
    ["nonsense", 'reading the event: expected JSON, got "nonsense"'],
    ["42", "reading the event: expected a saved SNS event, an SQS batch or a notice, got 42"],
    [
      "[]",
      "reading the event: expected a saved SNS event, an SQS batch or a notice, got an empty list",
    ],
    ["null", "reading the event: expected a saved SNS event, an SQS batch or a notice, got null"],
    [
      '{\n  "Records": [],\n}',
      'reading the event, line 3, column 1: expected JSON, got "{\\n  \\"Records\\": [],\\n}"',
    ],
    ['{"Messages":[]}', "reading Messages: expected a list of messages, got an empty list"],
    ['{"Messages":[{}]}', "reading Messages[0].Body: expected a text, got nothing"],
    ['{"Records":[]}', "reading Records: expected a list of records, got an empty list"],
    [
      '{"Records":[{"s3":{}}]}',
      'reading Records[0]: expected a record of SQS (with a body) or of SNS (with Sns), got an object of "s3"',
    ],
    ['{"Records":[{"Sns":{}}]}', "reading Records[0].Sns.Message: expected a text, got nothing"],
    ['{"Records":[{"body":1}]}', "reading Records[0].body: expected a text, got 1"],
  ])("that is malformed is refused with the place of its flaw: %s", (text, told) => {
    expect(complaint(text)).toBe(`event.malformed: ${told}`);
  });
});
