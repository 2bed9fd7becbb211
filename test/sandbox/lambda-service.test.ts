import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { minutes, seconds } from "../../lambda/base/time.ts";
import type { LogLine } from "../../sandbox/lambda/invocation.ts";
import { type FunctionSpec, LambdaService } from "../../sandbox/lambda/lambda-service.ts";
import { WallTimeline } from "../../sandbox/timeline.ts";

const account = { partition: "aws", region: "eu-west-1", id: "123456789012" };

/** A function that does what its event says. */
const behaviour = `
let invocations = 0;
exports.handler = async (event) => {
  invocations += 1;
  switch (event.do) {
    case "count": return { invocations, pid: process.pid };
    case "throw": throw new TypeError("no such luck");
    case "throw a text": throw "just text";
    case "reject unheard": Promise.reject(new Error("unheard")); return await new Promise((done) => setTimeout(done, 60_000));
    case "throw unheard": setTimeout(() => { throw new RangeError("thrown"); }, 1); return await new Promise((done) => setTimeout(done, 60_000));
    case "hang": return await new Promise((done) => setTimeout(done, 60_000));
    case "never settle": return await new Promise(() => undefined);
    case "exit": process.exit(event.code);
    case "say": return "x".repeat(event.bytes - 2);
    case "log": console.log("hello %s", "you"); console.error("two\\nlines"); process.stdout.write('{"own":"line"}\\n'); return null;
  }
};
`;

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

interface Given extends Partial<FunctionSpec> {
  readonly code?: string;
}

function aFunction({ code = behaviour, ...given }: Given = {}) {
  const folder = mkdtempSync(join(tmpdir(), "function-"));
  writeFileSync(join(folder, "index.cjs"), code);
  const timeline = new WallTimeline();
  const lines: LogLine[] = [];
  const service = new LambdaService(
    {
      name: "drain",
      folder,
      handler: "index.handler",
      environment: { LOG_LEVEL: "debug" },
      timeout: minutes(1),
      memory: 512,
      concurrency: 2,
      ...given,
    },
    {
      timeline,
      account,
      credentials: () => ({
        accessKeyId: "ASIA",
        secretAccessKey: "secret",
        sessionToken: "token",
      }),
      log: (line) => lines.push(line),
    },
  );
  onTestFinished(() => {
    service.close();
    timeline.stop();
    rmSync(folder, { recursive: true });
  });
  return { service, lines, folder };
}

describe("a function", () => {
  it("takes as many events at a time as its concurrency allows, each in a process of its own", async () => {
    const { service } = aFunction();

    const results = await Promise.all([1, 2, 3].map(() => service.invoke({ do: "count" })));

    expect(results.map(({ kind }) => kind)).toEqual(["ok", "ok", "throttled"]);
    const [one, two] = results.map((result) => Object(result.kind === "ok" && result.payload).pid);
    expect(one).not.toBe(two);
  });

  it("fails with the error that its handler throws, and its process keeps running", async () => {
    const { service } = aFunction();

    expect(await service.invoke({ do: "throw" })).toEqual({
      kind: "error",
      error: {
        errorType: "TypeError",
        errorMessage: "no such luck",
        trace: expect.arrayContaining(["TypeError: no such luck"]),
      },
    });
    expect(await service.invoke({ do: "throw a text" })).toMatchObject({
      error: { errorType: "string", errorMessage: "just text" },
    });
    expect(await service.invoke({ do: "count" })).toMatchObject({ payload: { invocations: 3 } });
  });

  it.each([
    ["a rejection that nothing catches", "reject unheard", "with error: exit status 1"],
    ["an exception that nothing catches", "throw unheard", "with error: exit status 1"],
    ["a promise that can never settle", "never settle", "without providing a reason"],
  ])("fails with %s, and its process ends", async (_, what, why) => {
    const { service } = aFunction();

    expect(await service.invoke({ do: what })).toMatchObject({
      kind: "error",
      error: {
        errorType: "Runtime.ExitError",
        errorMessage: expect.stringContaining(`Error: Runtime exited ${why}`),
      },
    });
    expect(await service.invoke({ do: "count" })).toMatchObject({ payload: { invocations: 1 } });
  });

  it("is killed at its timeout, and starts cold for the next event", async () => {
    const { service, lines } = aFunction({ timeout: seconds(3) });

    const result = await service.invoke({ do: "hang" });

    expect(result).toMatchObject({
      kind: "error",
      error: {
        errorType: "Sandbox.Timedout",
        errorMessage: expect.stringMatching(
          /^RequestId: \S+ Error: Task timed out after 3\.00 seconds$/,
        ),
      },
    });
    expect(lines.at(-3)?.text).toContain("Task timed out after 3.00 seconds");
    expect(await service.invoke({ do: "count" })).toMatchObject({ payload: { invocations: 1 } });
  });

  it("does not spend its timeout on loading", async () => {
    const slow = `const end = Date.now() + 3500; while (Date.now() < end); ${behaviour}`;
    const { service } = aFunction({ code: slow, timeout: seconds(3) });

    expect(await service.invoke({ do: "count" })).toMatchObject({ kind: "ok" });
  });

  it.each([
    [0, "without providing a reason"],
    [1, "with error: exit status 1"],
    [7, "with error: exit status 7"],
  ])("that exits with status %i has failed", async (code, why) => {
    const { service } = aFunction();

    expect(await service.invoke({ do: "exit", code })).toMatchObject({
      kind: "error",
      error: {
        errorType: "Runtime.ExitError",
        errorMessage: expect.stringContaining(`Error: Runtime exited ${why}`),
      },
    });
    expect(await service.invoke({ do: "count" })).toMatchObject({ kind: "ok" });
  });

  it("fails with a response that is too large, and its process keeps running", async () => {
    const { service } = aFunction();
    const most = 6_291_556;

    expect(await service.invoke({ do: "say", bytes: most })).toMatchObject({ kind: "ok" });
    expect(await service.invoke({ do: "say", bytes: most + 1 })).toEqual({
      kind: "error",
      error: {
        errorType: "Function.ResponseSizeTooLarge",
        errorMessage:
          "Response payload size exceeded maximum allowed payload size (6291556 bytes).",
        trace: [],
      },
    });
    expect(await service.invoke({ do: "count" })).toMatchObject({ payload: { invocations: 3 } });
  });

  it("fails if its process is killed during an event", async () => {
    const { service, lines } = aFunction();

    const running = service.invoke({ do: "hang" });
    while (lines.length === 0) await new Promise((next) => setTimeout(next, 5));

    expect(service.crash()).toBe(1);
    expect(await running).toMatchObject({
      error: {
        errorType: "Runtime.ExitError",
        errorMessage: expect.stringContaining("Runtime exited with error: signal: killed"),
      },
    });
  });

  it("ends its process when Lambda is gone", async () => {
    const { folder } = aFunction();
    const modules = pathToFileURL(join(process.cwd(), "sandbox/")).href;
    writeFileSync(
      join(folder, "lambda.mts"),
      `
      import { LambdaService } from "${modules}lambda/lambda-service.ts";
      import { WallTimeline } from "${modules}timeline.ts";
      const credentials = () => ({ accessKeyId: "A", secretAccessKey: "s", sessionToken: "t" });
      const account = { partition: "aws", region: "eu-west-1", id: "123456789012" };
      const world = { timeline: new WallTimeline(), account, credentials, log: () => {} };
      const spec = { name: "x", folder: "${folder}", handler: "index.handler", environment: {}, timeout: 60000, memory: 256, concurrency: 1 };
      const { payload } = await new LambdaService(spec, world).invoke({ do: "count" });
      process.stdout.write(String(payload.pid), () => process.kill(process.pid, "SIGKILL"));
      `,
    );

    const said = spawnSync(process.execPath, [join(folder, "lambda.mts")], { encoding: "utf8" });
    const pid = Number(said.stdout);

    expect(pid).toBeGreaterThan(0);
    await expect.poll(() => isRunning(pid), { timeout: 60_000 }).toBe(false);
  });

  it("reports its output line by line: console lines as Lambda formats them, others unchanged", async () => {
    const { service, lines } = aFunction();

    await service.invoke({ do: "log" });

    const [start, hello, two, own, end, report] = lines.map(({ text }) => text);
    const id = start?.match(/^START RequestId: (\S+) Version: \$LATEST$/)?.[1];
    expect(hello).toMatch(new RegExp(`^\\S+Z\\t${id}\\tINFO\\thello you$`));
    expect(two).toMatch(/\tERROR\ttwo\rlines$/);
    expect(own).toBe('{"own":"line"}');
    expect(end).toBe(`END RequestId: ${id}`);
    expect(report).toMatch(/^REPORT RequestId: \S+\tDuration: [\d.]+ ms\tMemory Size: 512 MB$/);
    expect(lines.map(({ source }) => source)).toEqual([
      "platform",
      "function",
      "function",
      "function",
      "platform",
      "platform",
    ]);
  });
});
