import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListMessageMoveTasksCommand,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageCommand,
  SQSClient,
  StartMessageMoveTaskCommand,
} from "@aws-sdk/client-sqs";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { hours, milliseconds, minutes, seconds } from "../../lambda/base/time.ts";
import type { QueueSpec } from "../../sandbox/aws/sqs/sqs.ts";
import { aServedAccount, untilCalled } from "./aws-account.ts";

async function aQueue(spec: Partial<QueueSpec> = {}) {
  const account = await aServedAccount();
  const { aws, server, sqs } = account;
  const queue = aws.sqs.createQueue({ name: "notices", visibility: minutes(5), ...spec });
  const QueueUrl = server.queueUrl("notices");
  const send = (MessageBody: string) => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  const receive = async (request: Partial<ReceiveMessageCommandInput> = {}) => {
    const { Messages: messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, ...request }),
    );
    return messages;
  };
  const bodies = async () => (await receive()).map(({ Body }) => Body);
  const change = (ReceiptHandle: string | undefined, VisibilityTimeout: number) =>
    sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
  const remove = (ReceiptHandle: string | undefined) =>
    sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  return { ...account, queue, QueueUrl, send, receive, bodies, change, remove };
}

describe("a queue", () => {
  it("is called at the host in its URL, whatever the client's endpoint", async () => {
    const { QueueUrl, key } = await aQueue();
    vi.stubEnv("AWS_ENDPOINT_URL", "http://127.0.0.1:1");
    onTestFinished(() => void vi.unstubAllEnvs());

    const client = new SQSClient({ region: "eu-west-1", credentials: key, logger: silent });
    const found = await client.send(new ReceiveMessageCommand({ QueueUrl }));

    expect(found.$metadata.httpStatusCode).toBe(200);
  });

  it("returns its URL and its attributes", async () => {
    const { sqs, QueueUrl, send, receive, queue } = await aQueue();
    await send("a");
    await send("b");
    await receive({ MaxNumberOfMessages: 1 });

    const { QueueUrl: found } = await sqs.send(new GetQueueUrlCommand({ QueueName: "notices" }));
    const { Attributes: attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }),
    );
    const { Attributes: one } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] }),
    );

    expect(found).toBe(QueueUrl);
    expect(one).toEqual({ QueueArn: queue.settings.arn });
    expect(attributes).toMatchObject({
      ApproximateNumberOfMessages: "1",
      ApproximateNumberOfMessagesNotVisible: "1",
      VisibilityTimeout: "300",
      MessageRetentionPeriod: "345600",
    });
  });

  it("delivers a message with the requested attributes, and the SDK accepts its digest", async () => {
    const { receive, sqs, QueueUrl, timeline, key } = await aQueue();
    const text = "Grüße, <&> 🌊";
    await sqs.send(
      new SendMessageCommand({
        QueueUrl,
        MessageBody: text,
        MessageAttributes: { kind: { DataType: "String", StringValue: "test" } },
        MessageSystemAttributes: {
          AWSTraceHeader: {
            DataType: "String",
            StringValue: "Root=1-5759e988-bd862e3fe1be46a994272793",
          },
        },
      }),
    );
    timeline.pass(seconds(7));

    const [plain] = await receive({ VisibilityTimeout: 0 });
    const [message] = await receive({
      MessageSystemAttributeNames: ["All"],
      MessageAttributeNames: ["All"],
    });

    expect(plain).toMatchObject({ Body: text });
    expect(plain?.Attributes).toBeUndefined();
    expect(message).toMatchObject({
      Body: text,
      MessageId: plain?.MessageId,
      MessageAttributes: { kind: { StringValue: "test" } },
      Attributes: {
        ApproximateReceiveCount: "2",
        SentTimestamp: String(Date.parse("2026-03-23T10:00:00Z")),
        ApproximateFirstReceiveTimestamp: String(Date.parse("2026-03-23T10:00:07Z")),
        AWSTraceHeader: "Root=1-5759e988-bd862e3fe1be46a994272793",
        SenderId: key.principal.arn,
      },
    });
    expect(message?.ReceiptHandle).not.toBe(plain?.ReceiptHandle);
  });

  it("hides a received message for the visibility timeout, then delivers it again", async () => {
    const { send, bodies, timeline } = await aQueue();
    await send("a");

    expect(await bodies()).toEqual(["a"]);
    timeline.pass(milliseconds(minutes(5) - 1));
    expect(await bodies()).toEqual([]);
    timeline.pass(milliseconds(1));
    expect(await bodies()).toEqual(["a"]);
  });

  it("deletes a message by its newest receipt, and by no older one", async () => {
    const { send, receive, bodies, remove, timeline, queue } = await aQueue();
    await send("a");
    const [first] = await receive();
    timeline.pass(minutes(5));
    const [second] = await receive();

    await remove(first?.ReceiptHandle);
    expect(queue.contents()).toHaveLength(1);

    await remove(second?.ReceiptHandle);
    await remove(second?.ReceiptHandle);
    timeline.pass(minutes(5));
    expect(await bodies()).toEqual([]);
    await expect(remove("nonsense")).rejects.toMatchObject({
      name: "ReceiptHandleIsInvalid",
      $metadata: { httpStatusCode: 404 },
    });
  });

  it("delivers a message again after a changed timeout, counted from the change", async () => {
    const { send, receive, bodies, change, timeline } = await aQueue();
    await send("a");
    const [message] = await receive();

    timeline.pass(minutes(4));
    await change(message?.ReceiptHandle, 600);
    timeline.pass(milliseconds(minutes(10) - 1));
    expect(await bodies()).toEqual([]);

    await change(message?.ReceiptHandle, 0);
    expect(await bodies()).toEqual(["a"]);
  });

  it("keeps no message invisible for more than 12 hours, counted from its receipt", async () => {
    const { send, receive, change, timeline } = await aQueue({ visibility: hours(1) });
    await send("a");
    timeline.pass(hours(20));
    const [message] = await receive();
    const handle = message?.ReceiptHandle;

    await change(handle, 43_200);
    timeline.pass(hours(6));
    await change(handle, 21_600);
    await expect(change(handle, 21_601)).rejects.toMatchObject({
      name: "InvalidParameterValue",
      message:
        "Value 21601 for parameter VisibilityTimeout is invalid. Reason: Total VisibilityTimeout for the message is beyond the limit [43200 seconds]",
    });
    await expect(change(handle, 43_201)).rejects.toThrow(
      "Value 43201 for parameter VisibilityTimeout is invalid. Reason: Must be >= 0 and <= 43200, if provided.",
    );
    await expect(change(handle, -1)).rejects.toMatchObject({ name: "InvalidParameterValue" });

    timeline.pass(hours(6));
    const [again] = await receive();
    await change(again?.ReceiptHandle, 43_200);
  });

  it("refuses to change the timeout of a message that is not in flight", async () => {
    const { send, receive, change, remove, timeline } = await aQueue();
    await send("a");
    const [first] = await receive();

    timeline.pass(minutes(5));
    await expect(change(first?.ReceiptHandle, 60)).rejects.toMatchObject({
      name: "MessageNotInflight",
    });

    const [second] = await receive();
    const unavailable = {
      name: "InvalidParameterValue",
      message: expect.stringContaining(
        "Message does not exist or is not available for visibility timeout change.",
      ),
    };
    await expect(change(first?.ReceiptHandle, 60)).rejects.toMatchObject(unavailable);
    await remove(second?.ReceiptHandle);
    await expect(change(second?.ReceiptHandle, 60)).rejects.toMatchObject(unavailable);
  });

  it("answers a batch entry by entry", async () => {
    const { send, receive, sqs, QueueUrl, queue } = await aQueue();
    await send("a");
    await send("b");
    const [a, b] = await receive();

    const changed = await sqs.send(
      new ChangeMessageVisibilityBatchCommand({
        QueueUrl,
        Entries: [
          { Id: "1", ReceiptHandle: a?.ReceiptHandle, VisibilityTimeout: 60 },
          { Id: "2", ReceiptHandle: b?.ReceiptHandle, VisibilityTimeout: 99_999 },
        ],
      }),
    );
    const deleted = await sqs.send(
      new DeleteMessageBatchCommand({
        QueueUrl,
        Entries: [
          { Id: "1", ReceiptHandle: a?.ReceiptHandle },
          { Id: "2", ReceiptHandle: "nonsense" },
        ],
      }),
    );

    expect(changed.Successful).toEqual([{ Id: "1" }]);
    expect(changed.Failed).toMatchObject([{ Id: "2", Code: "InvalidParameterValue" }]);
    expect(deleted.Successful).toEqual([{ Id: "1" }]);
    expect(deleted.Failed).toMatchObject([{ Id: "2", Code: "ReceiptHandleIsInvalid" }]);
    expect(queue.contents()).toHaveLength(1);
  });

  it.each([
    ["nothing", [], "EmptyBatchRequest"],
    ["an id twice", [{ Id: "1" }, { Id: "1" }], "BatchEntryIdsNotDistinct"],
    [
      "eleven",
      Array.from({ length: 11 }, (_, i) => ({ Id: `${i}` })),
      "TooManyEntriesInBatchRequest",
    ],
  ])("refuses a batch of %s", async (_, entries, name) => {
    const { sqs, QueueUrl } = await aQueue();
    const Entries = entries.map(({ Id }) => ({ Id, ReceiptHandle: "x" }));

    const sent = sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));

    await expect(sent).rejects.toMatchObject({ name });
  });

  it("that does not exist causes an error that the SDK knows", async () => {
    const { receive, QueueUrl } = await aQueue();

    await expect(receive({ QueueUrl: `${QueueUrl}-not` })).rejects.toMatchObject({
      name: "QueueDoesNotExist",
      $metadata: { httpStatusCode: 400 },
    });
  });

  it("forgets messages after the retention time", async () => {
    const { send, bodies, timeline } = await aQueue();
    await send("a");

    timeline.pass(hours(4 * 24));

    expect(await bodies()).toEqual([]);
  });
});

describe("a receiver", () => {
  it("waits for a message exactly as long as it requests", async () => {
    const { receive, aws, timeline } = await aQueue();

    const waiting = receive({ WaitTimeSeconds: 20 });
    await untilCalled(aws, "ReceiveMessage");
    timeline.pass(seconds(19));
    expect(aws.calls.of("ReceiveMessage")[0]?.outcome.kind).toBe("open");
    timeline.pass(seconds(1));

    expect(await waiting).toEqual([]);
  });

  it("that waits gets a message as soon as it is sent or becomes visible again", async () => {
    const { receive, send, aws, timeline, queue } = await aQueue({ visibility: seconds(5) });

    const first = receive({ WaitTimeSeconds: 20 });
    await untilCalled(aws, "ReceiveMessage");
    await send("a");
    expect(await first).toMatchObject([{ Body: "a" }]);

    const second = receive({ WaitTimeSeconds: 20 });
    await untilCalled(aws, "ReceiveMessage", 2);
    timeline.pass(seconds(5));
    expect(await second).toMatchObject([{ Body: "a" }]);
    expect(queue.contents()[0]?.handling.receives).toBe(2);
  });

  it("that disconnects takes no message", async () => {
    const { QueueUrl, sqs, send, aws, queue } = await aQueue();
    const leaving = new AbortController();

    const waiting = sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }), {
      abortSignal: leaving.signal,
    });
    await untilCalled(aws, "ReceiveMessage");
    leaving.abort();
    await expect(waiting).rejects.toThrow();
    while (aws.calls.of("ReceiveMessage")[0]?.outcome.kind === "open")
      await new Promise((next) => setImmediate(next));
    await send("a");

    expect(queue.contents()[0]?.handling.receives).toBe(0);
  });

  it.each([
    ["MaxNumberOfMessages", { MaxNumberOfMessages: 11 }, "Must be >= 1 and <= 10, if provided."],
    ["WaitTimeSeconds", { WaitTimeSeconds: 21 }, "Must be >= 0 and <= 20, if provided."],
    ["VisibilityTimeout", { VisibilityTimeout: 43_201 }, "Must be >= 0 and <= 43200, if provided."],
  ])("cannot request a %s out of range", async (name, request, reason) => {
    const { receive } = await aQueue();

    await expect(receive(request)).rejects.toMatchObject({
      name: "InvalidParameterValue",
      message: expect.stringMatching(`for parameter ${name} is invalid. Reason: ${reason}`),
    });
  });
});

describe("a message that SQS refuses", () => {
  const full = "x".repeat(1_048_576);
  const sent = async (MessageBody: string, StringValue: string) => {
    const { sqs, QueueUrl, queue } = await aQueue();
    const MessageAttributes = { Fault: { DataType: "String", StringValue } };
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageAttributes }));
    return queue.contents().length;
  };

  it("is larger than 1 MiB with its attributes", async () => {
    const message =
      "One or more parameters are invalid. Reason: Message must be shorter than 1048576 bytes.";
    await expect(sent(full, "a")).rejects.toMatchObject({ name: "InvalidParameterValue", message });
    await expect(sent(full.slice("FaultString".length + 1), "a")).resolves.toBe(1);
  });

  it.each(["\u0000", "\u000b", "\ufffe", "\uffff"])(
    "has a character outside the allowed set: %j",
    async (character) => {
      const name = "InvalidMessageContents";
      await expect(sent(character, "a")).rejects.toMatchObject({ name });
      await expect(sent("a", character)).rejects.toMatchObject({ name });
      await expect(sent("\t\r\n\u0085\ufffd\u{10ffff}", "a")).resolves.toBe(1);
    },
  );
});

describe("a message that is received too often", () => {
  it("goes to the dead-letter queue unchanged, with the ARN of its source queue", async () => {
    const { aws, receive, send, sqs, server, timeline } = await aQueue();
    const dead = aws.sqs.createQueue({ name: "dead" });
    aws.sqs.createQueue({
      name: "notices",
      visibility: minutes(1),
      redrive: { kind: "dead-letters", to: dead, maxReceives: 2 },
    });
    const { MessageId: sent } = await send("poison");

    for (const count of [1, 1, 0]) {
      expect(await receive()).toHaveLength(count);
      timeline.pass(minutes(1));
    }

    const { Messages: messages } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: server.queueUrl("dead"),
        MessageSystemAttributeNames: ["All"],
      }),
    );
    expect(messages).toMatchObject([
      {
        MessageId: sent,
        Body: "poison",
        Attributes: {
          DeadLetterQueueSourceArn: "arn:aws:sqs:eu-west-1:123456789012:notices",
          SentTimestamp: String(Date.parse("2026-03-23T10:00:00Z")),
        },
      },
    ]);
  });
});

describe("a move of dead letters", () => {
  const DestinationArn = "arn:aws:sqs:eu-west-1:123456789012:notices";
  const SourceArn = "arn:aws:sqs:eu-west-1:123456789012:dead";

  async function aMove() {
    const { aws, sqs, receive, send, server, timeline } = await aQueue();
    const to = aws.sqs.createQueue({ name: "dead" });
    const redrive = { kind: "dead-letters", to, maxReceives: 1 } as const;
    const queue = aws.sqs.createQueue({ name: "notices", visibility: minutes(1), redrive });
    const QueueUrl = server.queueUrl("dead");
    const bury = (MessageBody: string) =>
      sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
    const start = (more: object = {}) =>
      sqs.send(new StartMessageMoveTaskCommand({ SourceArn, ...more }));
    const tasks = async () => {
      const asked = new ListMessageMoveTasksCommand({ SourceArn, MaxResults: 10 });
      return (await sqs.send(asked)).Results;
    };
    const failing = async () => {
      await send("received too often");
      await receive();
      timeline.pass(minutes(1));
      await receive();
    };
    return { bury, failing, queue, start, tasks, timeline };
  }

  it("brings each back to the queue that it was received from, as a new message", async () => {
    const { failing, queue, start, tasks, timeline } = await aMove();
    await failing();
    await start();
    timeline.pass(seconds(1));

    expect(queue.contents()).toMatchObject([
      { message: { body: "received too often" }, handling: { receives: 0, deadLetterOf: "" } },
    ]);
    expect(await tasks()).toMatchObject([{ Status: "COMPLETED" }]);
  });

  it("fails for a message that somebody has sent there, unless it is told where to", async () => {
    const { bury, queue, start, tasks, timeline } = await aMove();
    await bury("sent");
    await start();
    timeline.pass(seconds(1));
    expect(await tasks()).toMatchObject([
      { Status: "FAILED", FailureReason: "CouldNotDetermineMessageSource" },
    ]);
    expect(queue.contents()).toEqual([]);

    await start({ DestinationArn });
    expect(await tasks()).toMatchObject([
      { Status: "RUNNING", TaskHandle: expect.any(String), DestinationArn },
      { Status: "FAILED" },
    ]);
    timeline.pass(seconds(1));
    expect(queue.contents()).toHaveLength(1);
  });

  it("is refused while another runs, and out of a queue that has no dead letters", async () => {
    const { start } = await aMove();
    await start();

    await expect(start()).rejects.toThrow("There is already a task running.");
    await expect(start({ SourceArn: DestinationArn })).rejects.toThrow("as a Dead Letter Queue");
    await expect(start({ SourceArn: `${SourceArn}s` })).rejects.toThrow("doesn't exist");
  });
});

describe("a topic", () => {
  it("delivers to a queue in SNS's envelope, or the bare message", async () => {
    const { aws, queue } = await aQueue();
    const raw = aws.sqs.createQueue({ name: "raw" });
    const topic = aws.sns.createTopic("lifecycle");
    aws.sns.subscribe(topic, { kind: "queue", queue, delivery: "enveloped" });
    aws.sns.subscribe(topic, { kind: "queue", queue: raw, delivery: "raw" });

    aws.sns.publish(topic, { subject: "two  spaces", message: '{"a":1}' });
    aws.sns.publish(topic, { subject: "", message: "plain" });

    const [first, second] = queue.contents().map(({ message }) => message.body);
    expect(first).toMatch(
      /^\{\n {2}"Type" : "Notification",\n {2}"MessageId" : "[0-9a-f-]{36}",\n/,
    );
    expect(JSON.parse(first ?? "")).toMatchObject({
      TopicArn: topic,
      Subject: "two  spaces",
      Message: '{"a":1}',
      Timestamp: "2026-03-23T10:00:00.000Z",
      SignatureVersion: "1",
      SigningCertURL: expect.stringContaining("https://sns.eu-west-1.amazonaws.com/"),
      UnsubscribeURL: expect.stringContaining(`SubscriptionArn=${topic}:`),
    });
    expect(second).not.toContain("Subject");
    expect(raw.contents().map(({ message }) => message.body)).toEqual(['{"a":1}', "plain"]);
  });
});

const nothing = () => undefined;
const silent = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };
