import { describe, expect, it, onTestFinished } from "vitest";
import { instant, minutes, seconds } from "../../lambda/base/time.ts";
import type { Queue } from "../../sandbox/aws/queue.ts";
import { Sqs } from "../../sandbox/aws/sqs.ts";
import {
  EventSourceMapping,
  failedMessages,
  type MappingSettings,
} from "../../sandbox/lambda/event-source-mapping.ts";
import type { InvocationResult } from "../../sandbox/lambda/invocation.ts";
import { VirtualTimeline } from "../../sandbox/timeline.ts";

const account = { partition: "aws", region: "eu-west-1", id: "123456789012" };
const start = instant(Date.parse("2026-03-23T10:00:00Z"));
const ok = (payload: unknown): InvocationResult => ({ kind: "ok", payload });
const failed: InvocationResult = {
  kind: "error",
  error: { errorType: "Error", errorMessage: "no", trace: [] },
};

interface SqsEvent {
  readonly Records: readonly {
    readonly messageId: string;
    readonly body: string;
    readonly attributes: { readonly ApproximateReceiveCount: string };
  }[];
}

/** Lets everything run that is ready. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((next) => setImmediate(next));
};

const send = (queue: Queue, ...bodies: string[]): void => {
  for (const body of bodies) queue.send({ body, senderId: "me", attributes: {}, traceHeader: "" });
};

type Respond = (event: SqsEvent) => InvocationResult | Promise<InvocationResult>;

function aMapping(respond: Respond, settings: Partial<MappingSettings> = {}) {
  const timeline = new VirtualTimeline(start);
  const sqs = new Sqs(timeline, account);
  const dead = sqs.createQueue({ name: "dead" });
  const redrive = { kind: "dead-letters", to: dead, maxReceives: 3 } as const;
  const queue = sqs.createQueue({ name: "notices", visibility: minutes(1), redrive });
  const events: SqsEvent[] = [];
  const invoke = async (event: unknown) => {
    events.push(event as SqsEvent);
    return await respond(event as SqsEvent);
  };
  const mapping = new EventSourceMapping(
    { timeline, queue, target: { invoke } },
    {
      batchSize: 10,
      window: seconds(0),
      maximumConcurrency: 2,
      responses: "report-batch-item-failures",
      ...settings,
    },
  );
  onTestFinished(() => mapping.stop());
  const pass = async (duration = minutes(1)) => {
    timeline.pass(duration);
    await settled();
  };
  const bodies = () => events.map(({ Records: records }) => records.map(({ body }) => body));
  return { timeline, queue, dead, mapping, events, pass, bodies };
}

describe("a mapping", () => {
  it("sends the function the same event as Lambda", async () => {
    const { mapping, queue, events } = aMapping(() => ok(null));
    queue.send({
      body: "hello",
      senderId: "AIDA",
      attributes: { kind: { DataType: "String", StringValue: "test" } },
      traceHeader: "Root=1-2-3",
    });

    mapping.start();
    await settled();

    expect(events).toEqual([
      {
        Records: [
          {
            messageId: expect.stringMatching(/^[0-9a-f-]{36}$/),
            receiptHandle: expect.stringMatching(/^AQEB/),
            body: "hello",
            attributes: {
              ApproximateReceiveCount: "1",
              AWSTraceHeader: "Root=1-2-3",
              SentTimestamp: String(start),
              SenderId: "AIDA",
              ApproximateFirstReceiveTimestamp: String(start),
            },
            messageAttributes: {
              kind: {
                stringValue: "test",
                stringListValues: [],
                binaryListValues: [],
                dataType: "String",
              },
            },
            md5OfBody: "5d41402abc4b2a76b9719d911017c592",
            eventSource: "aws:sqs",
            eventSourceARN: "arn:aws:sqs:eu-west-1:123456789012:notices",
            awsRegion: "eu-west-1",
          },
        ],
      },
    ]);
    expect(queue.contents()).toEqual([]);
  });

  it("keeps the messages that the function reports as failed, and delivers only them again", async () => {
    const { mapping, queue, pass, bodies } = aMapping(({ Records: records }) => {
      const bad = records.filter(({ body }) => body === "bad");
      return ok({
        batchItemFailures: bad.map(({ messageId: itemIdentifier }) => ({ itemIdentifier })),
      });
    });
    send(queue, "good", "bad");

    mapping.start();
    await settled();
    expect(queue.contents().map(({ message }) => message.body)).toEqual(["bad"]);

    await pass();
    expect(bodies()).toEqual([["good", "bad"], ["bad"]]);
  });

  it("gives up a message after as many receives as the queue allows", async () => {
    const { mapping, queue, dead, pass, events } = aMapping(() => failed);
    send(queue, "poison");

    mapping.start();
    await settled();
    for (const _ of [1, 2, 3]) await pass();

    const counts = events.map(
      ({ Records: [record] }) => record?.attributes.ApproximateReceiveCount,
    );
    expect(counts).toEqual(["1", "2", "3"]);
    expect(queue.contents()).toEqual([]);
    expect(dead.contents().map(({ message }) => message.body)).toEqual(["poison"]);
  });

  it("keeps to its maximum concurrency and batch size", async () => {
    const waiting: (() => void)[] = [];
    const respond = () =>
      new Promise<InvocationResult>((done) => waiting.push(() => done(ok(null))));
    const { mapping, queue, bodies } = aMapping(respond, { batchSize: 2 });
    send(queue, "a", "b", "c", "d", "e");

    mapping.start();
    await settled();
    expect(bodies()).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);

    for (const done of waiting.splice(0)) done();
    await settled();
    expect(bodies()).toHaveLength(3);
    for (const done of waiting.splice(0)) done();
  });

  it("gathers a batch for as long as its window says", async () => {
    const settings = { window: seconds(10), maximumConcurrency: 1 };
    const { mapping, queue, pass, bodies } = aMapping(() => ok(null), settings);
    mapping.start();

    send(queue, "a");
    await settled();
    await pass(seconds(6));
    send(queue, "b");
    await settled();
    expect(bodies()).toEqual([]);

    await pass(seconds(4));
    expect(bodies()).toEqual([["a", "b"]]);
  });

  it("receives nothing more once it is stopped, and finishes the batches in work", async () => {
    let done: () => void = () => undefined;
    const respond = () =>
      new Promise<InvocationResult>((resolve) => {
        done = () => resolve(ok(null));
      });
    const { mapping, queue, events } = aMapping(respond);
    send(queue, "a");
    mapping.start();
    await settled();

    const stopped = mapping.stop();
    send(queue, "b");
    done();
    await stopped;

    expect(events).toHaveLength(1);
    expect(queue.contents().map(({ message }) => message.body)).toEqual(["b"]);
  });
});

describe("an answer of a function", () => {
  const reported = (payload: unknown) => [
    ...failedMessages(ok(payload), ["1", "2"], "report-batch-item-failures"),
  ];

  it.each([
    ["nothing", null],
    ["an empty object", {}],
    ["an empty list", { batchItemFailures: [] }],
    ["no list", { batchItemFailures: null }],
  ])("of %s means that every message is done", (_, payload) => {
    expect(reported(payload)).toEqual([]);
  });

  it.each([
    ["a text", "done"],
    ["something that is no list", { batchItemFailures: "2" }],
    ["an empty identifier", { batchItemFailures: [{ itemIdentifier: "" }] }],
    ["no identifier", { batchItemFailures: [{ itemIdentifier: null }] }],
    ["an identifier under another name", { batchItemFailures: [{ id: "1" }] }],
    [
      "an unknown identifier",
      { batchItemFailures: [{ itemIdentifier: "1" }, { itemIdentifier: "3" }] },
    ],
  ])("with %s means that no message is done", (_, payload) => {
    expect(reported(payload)).toEqual(["1", "2"]);
  });
});
