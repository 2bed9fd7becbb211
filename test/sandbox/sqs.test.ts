import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  ListMessageMoveTasksCommand,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageCommand,
  StartMessageMoveTaskCommand,
} from "@aws-sdk/client-sqs";
import { describe, expect, it } from "vitest";
import { hours, minutes, seconds } from "../../lambda/base/time.ts";
import type { QueueSpec } from "../../sandbox/aws/sqs.ts";
import { aServedAccount, untilCalled } from "../support/aws-account.ts";

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
        SenderId: key.principal.userId,
      },
    });
    expect(message?.ReceiptHandle).not.toBe(plain?.ReceiptHandle);
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
});

describe("a receiver", () => {
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
  it("brings each back to the queue that it was received from, as a new message", async () => {
    const { aws, sqs, receive, send, timeline } = await aQueue();
    const SourceArn = "arn:aws:sqs:eu-west-1:123456789012:dead";
    const to = aws.sqs.createQueue({ name: "dead" });
    const redrive = { kind: "dead-letters", to, maxReceives: 1 } as const;
    const queue = aws.sqs.createQueue({ name: "notices", visibility: minutes(1), redrive });
    await send("received too often");
    await receive();
    timeline.pass(minutes(1));
    await receive();

    await sqs.send(new StartMessageMoveTaskCommand({ SourceArn }));
    timeline.pass(seconds(1));

    expect(queue.contents()).toMatchObject([
      { message: { body: "received too often" }, handling: { receives: 0, deadLetterOf: "" } },
    ]);
    const { Results: tasks } = await sqs.send(new ListMessageMoveTasksCommand({ SourceArn }));
    expect(tasks).toMatchObject([{ Status: "COMPLETED" }]);
  });
});
