import { describe, expect, it } from "vitest";
import { Fault } from "../../lambda/base/fault.ts";
import { instant, later, milliseconds, never } from "../../lambda/base/time.ts";
import { deliveries, vouchesFor } from "../../lambda/notice/deliveries.ts";
import { delivered, kindOf } from "../support/complaint.ts";
import { noticeIn, queueRecord, snsEnvelope } from "../support/saved-events.ts";

const terminating = JSON.stringify(noticeIn("sns-asg-terminate"));

const raw = (body: string) => ({ Records: [queueRecord(body)] });
const enveloped = (message: string) => raw(JSON.stringify(snsEnvelope(message)));

const kindsIn = (event: unknown) => delivered(event).map(kindOf);

describe("a delivery", () => {
  it("by the queue has an id by which to say whether it is done, a count of its receives, and the time of the first", () => {
    const record = queueRecord(terminating);
    expect(delivered({ Records: [record] })).toEqual([
      {
        via: "queue",
        messageId: record.messageId,
        receiptHandle: record.receiptHandle,
        receives: { ofMessage: 3, before: 0, first: 1_774_236_404_001 },
        body: terminating,
        content: expect.objectContaining({ kind: "terminating" }),
      },
    ]);
  });

  it("of a bare notice has an id of the function, as the notice has none", () => {
    expect(delivered(noticeIn("eb-ec2-rebalance-recommendation"))).toEqual([
      {
        via: "direct",
        messageId: "event",
        content: expect.objectContaining({ kind: "at-risk" }),
      },
    ]);
  });
});

describe("a fresh message for a notice that waits", () => {
  const receivesIn = (messageAttributes: unknown) =>
    delivered({ Records: [{ ...queueRecord(terminating), messageAttributes }] });

  it("knows when the first of them was received", () => {
    const FirstReceived = { stringValue: "1774236400000", dataType: "Number" };
    expect(receivesIn({ FirstReceived })).toMatchObject([
      { receives: { ofMessage: 3, before: 0, first: 1_774_236_400_000 } },
    ]);
  });

  it.each([
    [null],
    [{}],
    [{ Receives: null }],
    [{ FirstReceived: null }],
    [{ FirstReceived: { stringValue: "yesterday" } }],
    [{ FirstReceived: { stringValue: "-1" } }],
    [{ FirstReceived: { stringValue: "1234567890123456" } }],
    [{ Receives: { stringValue: "-1" } }],
    [{ Receives: { stringValue: "many" } }],
    [{ Receives: { stringValue: "12345678901" } }],
  ])("is a notice like any other if it does not say so (%j)", (messageAttributes) => {
    expect(receivesIn(messageAttributes)).toMatchObject([
      {
        receives: { ofMessage: 3, before: 0, first: 1_774_236_404_001 },
        content: { kind: "terminating" },
      },
    ]);
  });
});

describe("what a message says of the messages before it", () => {
  const ownRole = "AROAEXAMPLEOFTHEFUNCTION";
  const messageAttributes = {
    FirstReceived: { stringValue: "1774230000000", dataType: "Number" },
    Receives: { stringValue: "1499", dataType: "Number" },
  };
  const receivesBy = (attributes: unknown) => {
    const record = { ...queueRecord(terminating), messageAttributes, attributes };
    return delivered({ Records: [record] }, ownRole);
  };
  const counted = { ApproximateFirstReceiveTimestamp: "1774236404001" };

  it("counts if the function's own role has sent it, in whatever session", () => {
    expect(receivesBy({ ...counted, SenderId: `${ownRole}:function` })).toMatchObject([
      { receives: { before: 1499, first: 1_774_230_000_000 } },
    ]);
  });

  it.each([
    "AROAANOTHERROLE:function",
    `${ownRole}2:function`,
    `AROAANOTHERROLE:${ownRole}:`,
    ownRole,
    "AIDAIENQZJOLO23YVJ4VO",
    "",
    7,
    undefined,
  ])("counts for nothing if %j has sent it, and the message is read all the same", (SenderId) => {
    expect(receivesBy({ ...counted, SenderId })).toMatchObject([
      {
        receives: { before: 0, first: 1_774_236_404_001 },
        content: { kind: "terminating" },
      },
    ]);
  });
});

describe("a queue record without a usable receive count or time", () => {
  it.each([
    [null],
    [{}],
    [{ ApproximateFirstReceiveTimestamp: "2026-03-23T03:26:44Z" }],
    [{ ApproximateFirstReceiveTimestamp: "-1774236404001" }],
    [{ ApproximateFirstReceiveTimestamp: 1_774_236_404_001 }],
    [{ ApproximateFirstReceiveTimestamp: "12345678901234567890" }],
    [{ ApproximateReceiveCount: "many" }],
    [{ ApproximateReceiveCount: "0" }],
  ])("loses no notice (%j)", (attributes) => {
    expect(delivered({ Records: [{ ...queueRecord(terminating), attributes }] })).toEqual([
      expect.objectContaining({
        receives: { ofMessage: 1, before: 0, first: never },
        content: expect.objectContaining({ kind: "terminating" }),
      }),
    ]);
  });
});

describe("a malformed message", () => {
  const poisons: readonly unknown[] = [
    queueRecord("not JSON"),
    queueRecord('{"LifecycleTransition":"autoscaling:EC2_INSTANCE_TERMINATING"}'),
    queueRecord(JSON.stringify(snsEnvelope("not JSON"))),
    { ...queueRecord(terminating), body: null },
    { ...queueRecord(terminating), messageId: 7 },
    { Sns: null },
    null,
    [],
  ];

  it.each(poisons.map((poison, index) => [index, poison] as const))(
    "harms none of its neighbours (%i)",
    (_, poison) => {
      const healthy = queueRecord(terminating);
      const read = kindsIn({ Records: [healthy, poison, healthy] });
      expect(read).toEqual([
        "terminating",
        expect.stringMatching(/^event\.malformed: reading Records\[1\].*: expected /),
        "terminating",
      ]);
    },
  );

  it("has an id of the function where it has none", () => {
    const [{ messageId } = { messageId: "" }] = delivered({ Records: null });
    expect(messageId).toBe("event");
  });

  it("is no defect of the function, which is thrown", () => {
    const reader = () => {
      throw new TypeError("a defect");
    };
    expect(() => deliveries(raw("{}"), { reader, roleId: "" })).toThrow("a defect");
  });

  it("in the queue keeps its id and its whole record for the dead letters, even if its body is odd", () => {
    const odd = { ...queueRecord(terminating, "odd"), body: 7 };
    expect(delivered({ Records: [odd] })).toEqual([
      expect.objectContaining({
        via: "queue",
        messageId: "odd",
        body: JSON.stringify(odd),
        content: expect.any(Fault),
      }),
    ]);
  });
});

describe("the fault of a malformed event names the path and what was found there", () => {
  const record = queueRecord(terminating);
  const { body: _body, ...bodiless } = record;
  const notice = "a lifecycle hook's message or an EventBridge event";
  const kinds = "a record of SQS (with a body) or of SNS (with Sns)";

  it.each<readonly [string, unknown]>([
    [`the event: expected ${notice}, got nothing`, undefined],
    [`the event: expected ${notice}, got null`, null],
    [`the event: expected ${notice}, got "text"`, "text"],
    [`the event: expected ${notice}, got 42`, 42],
    [`the event: expected ${notice}, got an empty list`, []],
    [`the event: expected ${notice}, got an empty object`, {}],
    [`the event: expected ${notice}, got an object of "Foo, Bar"`, { Foo: 1, Bar: 2 }],
    ["Records: expected a list of records, got an empty list", { Records: [] }],
    ["Records: expected a list of records, got null", { Records: null }],
    ['Records: expected a list of records, got an object of "0"', { Records: { 0: record } }],
    [`Records[0]: expected ${kinds}, got null`, { Records: [null] }],
    [`Records[0]: expected ${kinds}, got a list`, { Records: [[record]] }],
    ["Records[0].Sns: expected an object, got an empty list", { Records: [{ Sns: [] }] }],
    [
      "Records[0].Sns.Message: expected a text, got nothing",
      { Records: [{ Sns: { MessageId: "a" } }] },
    ],
    [
      'Records[0].Sns.Message: expected JSON, got "hello"',
      { Records: [{ Sns: { MessageId: "a", Message: "hello" } }] },
    ],
    ["Type: expected Notification, got nothing", { Message: terminating }],
    [
      "Records[0].messageId: expected the id of a message, got null",
      { Records: [{ ...record, messageId: null }] },
    ],
    [
      "Records[0].body: expected a text, got an empty object",
      { Records: [{ ...record, body: {} }] },
    ],
    ["Records[0].body: expected a text, got nothing", { Records: [bodiless] }],
    [
      "Records[0].messageId: expected the id of a message, got nothing",
      { Records: [{ body: terminating }] },
    ],
    ['kind: expected put-back, got "other"', { kind: "other" }],
    ["kind: expected put-back, got nothing", { time: "2026-03-23T03:26:43Z" }],
    [
      "Records[0].body.Message: expected a text, got nothing",
      raw(JSON.stringify({ Type: "Notification", TopicArn: "arn:aws:sns:us-west-2:1:t" })),
    ],
    ['Records[0].body: expected JSON, got "hello"', raw("hello")],
    ['Records[0].body: expected JSON, got ""', raw("")],
    [`Records[0].body: expected ${notice}, got "{}"`, raw('"{}"')],
    ['Records[0].body.Message: expected JSON, got "hello"', enveloped("hello")],
    [
      'Records[0].body.Type: expected Notification, got "SubscriptionConfirmation"',
      raw(JSON.stringify({ ...snsEnvelope(terminating), Type: "SubscriptionConfirmation" })),
    ],
    [
      `Records[0].body.Message: expected ${notice}, got an object of "Type, Message"`,
      enveloped(JSON.stringify({ Type: "Notification", Message: terminating })),
    ],
  ])("%s", (complaint, event) => {
    expect(kindsIn(event)).toEqual([`event.malformed: reading ${complaint}`]);
  });
});

describe("the time of a first receive", () => {
  const received = instant(1_774_236_404_001);
  const message = {
    via: "queue",
    messageId: "1",
    receiptHandle: "handle",
    body: "",
    content: new Fault("event.malformed", "no"),
  } as const;
  const vouched = (
    receives: Readonly<Record<"before" | "first" | "ofMessage", number>>,
    after: number,
  ) =>
    vouchesFor(later(received, milliseconds(after)), {
      ...message,
      receives: { ...receives, first: instant(receives.first) },
    });
  const first = { ofMessage: 1, before: 0, first: received };

  it.each([
    [-2001, false],
    [-2000, true],
    [0, true],
    [2000, true],
    [2001, false],
  ])("vouches for a clock that is %i ms later: %s", (after, is) => {
    expect(vouched(first, after)).toBe(is);
  });

  it("vouches for no clock once the notice has been received before", () => {
    expect(vouched({ ...first, ofMessage: 2 }, 0)).toBe(false);
    expect(vouched({ ...first, before: 20 }, 0)).toBe(false);
  });

  it("vouches for none where the queue does not say it, or there is no queue", () => {
    expect(vouched({ ...first, first: never }, 0)).toBe(false);
    const { content } = message;
    expect(vouchesFor(received, { via: "direct", messageId: "1", content })).toBe(false);
  });
});
