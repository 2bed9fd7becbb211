import { readFileSync } from "node:fs";
import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { describe, expect, it, vi } from "vitest";
import { main } from "../../../cli/main.ts";
import { seconds } from "../../../lambda/base/time.ts";
import { aServedAccount, stubAwsEnvironment, untilCalled } from "../../support/aws-account.ts";
import { capturedIo } from "../captured-io.ts";
import { jsonLines } from "../json-lines-schema.ts";

/** The body of the queue's message about a termination: SNS's notification. */
const notice = noticeIn(readFileSync("events/demo-ng-terminate.json", "utf8"));

function noticeIn(event: string): string {
  const { Records: [first] = [] } = JSON.parse(event) as { Records?: readonly { Sns: object }[] };
  return JSON.stringify(first?.Sns);
}
const malformed = "event.malformed: body: expected JSON";

/** A queue with its dead letters, in an account that the SDK finds by the environment. */
async function surroundings() {
  const { aws, server, key, sqs, timeline } = await aServedAccount();
  const dead = aws.sqs.createQueue({ name: "dead" });
  const redrive = { kind: "dead-letters", to: dead, maxReceives: 2 } as const;
  const queue = aws.sqs.createQueue({ name: "notices", redrive });
  stubAwsEnvironment(server.url, key);
  const bury = (MessageBody: string, reasons: Readonly<Record<string, string>>) =>
    sqs.send(
      new SendMessageCommand({
        QueueUrl: server.queueUrl("dead"),
        MessageBody,
        MessageAttributes: Object.fromEntries(
          Object.entries(reasons).map(([name, StringValue]) => [
            name,
            { DataType: "String", StringValue },
          ]),
        ),
      }),
    );
  const io = capturedIo();
  const url = server.queueUrl("notices");
  const run = (...options: readonly string[]) =>
    main(["dead-letters", "--queue-url", url, ...options], io);
  /** Lists them, while the time goes on for the long polls. */
  const list = async (...options: readonly string[]) => {
    const time = setInterval(() => timeline.pass(seconds(1)), 5);
    return run(...options).finally(() => clearInterval(time));
  };
  const toldOnce = (): Promise<void> => untilCalled(aws, "ListMessageMoveTasks");
  return { aws, dead, queue, server, timeline, bury, io, list, run, toldOnce };
}

describe("dead-letters", () => {
  it("tells what each is about, and why it is there", async () => {
    const { bury, io, list } = await surroundings();
    await bury(notice, { Fault: "aws.refused: completing the hook: HTTP 400" });
    await bury("{", { Fault: malformed });
    await bury("[]", {});

    expect(await list()).toBe(0);

    expect(io.out()).toMatch(/Z terminating i-\w+ of [\w-]+, message \S{36}\n {2}aws.refused: /);
    expect(io.out()).toContain(`Z unreadable, message `);
    expect(io.out()).toContain(`\n  ${malformed}\n`);
    expect(io.out()).toContain("\n  no reason is given: ");
    expect(io.out()).toMatch(/\n3 in all; --redrive moves them\n$/);
  });

  it("names the group of each command to upgrade, because a purge deletes those of all groups", async () => {
    const { bury, io, list } = await surroundings();
    const to = { kind: "as-it-is" };
    await bury(JSON.stringify({ upgrade: "start", id: "0a1b2c3d", group: "workers", to }), {});
    await bury(
      JSON.stringify({ upgrade: "resume", id: "4e5f6a7b", group: "gpu", of: "0a1b2c3d" }),
      {},
    );
    await bury('{"kind": "repair", "time": "2026-11-20T10:00:00Z"}', {});

    expect(await list()).toBe(0);

    expect(io.out()).toContain("Z start of upgrade 0a1b2c3d of workers, message ");
    expect(io.out()).toContain("Z resume of upgrade 0a1b2c3d of gpu, message ");
    expect(io.out()).toContain("Z look for instances to repair, message ");
  });

  it("gives programs each of them, however many there are, and leaves all of them visible", async () => {
    const { bury, dead, io, list } = await surroundings();
    await bury(notice, { Fault: malformed });
    await bury("{", { ErrorCode: "KMS.DisabledException", ErrorMessage: "the key is disabled" });
    for (let number = 0; number < 10; number += 1) await bury("{}", {});

    expect(await list("--json")).toBe(0);

    const lines = jsonLines(io);
    expect(lines).toHaveLength(13);
    expect(lines).toMatchObject([
      { kind: "dead-letter", instance: expect.stringMatching(/^i-/), reason: malformed },
      { kind: "dead-letter", title: "unreadable", instance: "", reason: "the key is disabled" },
      ...lines.slice(2, 12).map(() => ({ reason: "" })),
      { kind: "dead-letters", count: 12 },
    ]);
    expect(dead.visible()).toHaveLength(12);
  });

  it("finds the queue by the name of the cluster", async () => {
    const { aws, bury, io, server, timeline } = await surroundings();
    aws.records.addStack("EksNodeLifecycle-demo", { QueueUrl: server.queueUrl("notices") });
    await bury("{", { Fault: malformed });

    const time = setInterval(() => timeline.pass(seconds(1)), 5);
    const code = await main(["dead-letters", "demo"], io).finally(() => clearInterval(time));

    expect({ code, out: io.out() }).toMatchObject({
      code: 0,
      out: expect.stringMatching(/1 in all/),
    });
  });

  it("says what to name when the cluster has no stack of that name", async () => {
    const { io } = await surroundings();

    expect(await main(["dead-letters", "demo"], io)).toBe(1);
    expect(io.err()).toMatch(
      /^not deployed: there is no stack EksNodeLifecycle-demo; .*--stack.*--queue-url/,
    );
  });

  it("says when there are none", async () => {
    const { io, list } = await surroundings();

    expect(await list()).toBe(0);
    expect(io.out()).toBe("no dead letters\n");
  });

  it("moves them back into the queue, and tells the progress", async () => {
    const { bury, dead, io, queue, run, timeline, toldOnce } = await surroundings();
    await bury(notice, { Fault: malformed });
    await bury("{", { Fault: malformed });

    const ended = run("--redrive", "--json");
    await toldOnce();
    timeline.pass(seconds(1));

    expect(await ended).toBe(0);

    expect(queue.contents().map(({ message }) => message.body)).toEqual([notice, "{"]);
    expect(dead.contents()).toEqual([]);
    const lines = jsonLines(io);
    expect(lines.at(0)).toMatchObject({ kind: "redrive", status: "RUNNING", moved: 0, toMove: 2 });
    expect(lines.at(-1)).toMatchObject({ kind: "redrive", status: "COMPLETED", moved: 2 });
  });

  it("leaves a move to SQS when somebody interrupts it", async () => {
    const { bury, io, run } = await surroundings();
    await bury("{", {});
    io.interrupt();

    expect(await run("--redrive")).toBe(3);
    expect(io.out()).toBe("running: about 0 of 1 moved\n");
    expect(io.err()).toBe("not done; where a move still runs, SQS goes on with it\n");
  });

  it("says which queue to give instead of the dead letters' own", async () => {
    const { io, server } = await surroundings();
    const url = server.queueUrl("dead");

    expect(await main(["dead-letters", "--queue-url", url], io)).toBe(1);
    expect(io.err()).toBe(
      `the queue ${url} has no dead letters; give the URL in the stack's output QueueUrl\n`,
    );
  });

  it("says what to do when AWS does not know the caller", async () => {
    const { io, run } = await surroundings();
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIANOBODY");

    expect(await run("--json")).toBe(1);
    expect(jsonLines(io)).toMatchObject([
      { kind: "error", code: "aws.denied", remedy: "sign in again, or give --profile" },
    ]);
  });
});
