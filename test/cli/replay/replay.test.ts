import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { assert, describe, it, type TestContext } from "vitest";
import { main } from "../../../cli/main.ts";
import { capturedIo } from "../captured-io.ts";
import { jsonLines } from "../json-lines-schema.ts";

const event = "events/demo-ng-terminate.json";
const program = fileURLToPath(new URL("../../../bin/eks-node-lifecycle.ts", import.meta.url));
const patience = { timeout: 60_000 };

function fileWith(
  content: string,
  { onTestFinished }: Pick<TestContext, "onTestFinished">,
): string {
  const folder = mkdtempSync(join(tmpdir(), "event-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "event.json");
  writeFileSync(file, content);
  return file;
}

/** Starts the command line as a process, in a process group of its own. */
function started(...argv: readonly string[]) {
  const child = spawn(process.execPath, [program, ...argv], { detached: true });
  const { pid = 0, stdout, stderr } = child;
  stdout.setEncoding("utf8");
  const complaint = text(stderr);
  const said = async (word: string): Promise<void> => {
    for await (const chunk of stdout.iterator({ destroyOnReturn: false }))
      if (String(chunk).includes(word)) return;
  };
  const closed = once(child, "exit").then(([code]) => Number(code));
  return { child, pid, said, closed, complaint };
}

/** Whether any process of a group is still alive. */
function lives(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

// These tests spend most of their time waiting.
describe("a replay on the command line", { concurrent: true }, () => {
  it("draws a page of it", async ({ expect, onTestFinished }) => {
    const page = fileWith("", { onTestFinished });
    const io = capturedIo();

    expect(await main(["replay", event, "--via", "direct", "--html", page], io)).toBe(0);

    expect(io.err()).toBe(`the page is ${page}\n`);
    expect(io.out()).toContain(`replaying ${event} by direct invocation\n`);
    const html = readFileSync(page, "utf8");
    expect(html).toContain(`<h1>Replay of ${event}</h1>`);
    expect(html).toContain('<span class="badge done">done</span>');
    expect(html).toMatch(/evicted \d+\.\d s, gone \d+\.\d s, again on ip-/);
    const atTerminal = [...io.out().matchAll(/^ +(\d+\.\d s) {2}evicted/gm)].map(([, at]) => at);
    const onPage = [...html.matchAll(/evicted (\d+\.\d s)/g)].map(([, at]) => at);
    expect(new Set(onPage)).toEqual(new Set(atTerminal));
  });

  it("reports the drain line by line, draws its timeline and sums it up", async ({ expect }) => {
    const io = capturedIo({ columns: 200, isTTY: true, env: { NO_COLOR: "1", TERM: "dumb" } });

    expect(await main(["replay", event], io)).toBe(0);

    expect(io.err()).toBe("");
    const lines = io.out().trimEnd().split("\n");
    expect(lines[0]).toBe("replaying events/demo-ng-terminate.json through topic and queue");
    const verbs = lines.flatMap((line) => /^ +\d+\.\d s {2}(\w+(?: \w+)?)/.exec(line)?.[1] ?? []);
    expect(lines[1]).toBe("starting the sandbox");
    expect(verbs.filter((verb) => verb !== "running")).toEqual([
      "published",
      "pass 1",
      "heartbeat",
      "node found",
      "labelled",
      "cordoned",
      "to evict",
      "to evict",
      "left alone",
      "left alone",
      "evicted",
      "gone",
      "evicted",
      "gone",
      "completed",
      "done",
    ]);
    expect(verbs.filter((verb) => verb === "running")).toHaveLength(2);
    expect(lines.filter((line) => line.includes("█"))).toHaveLength(3); // two pods and the legend
    expect(lines.at(-1)).toMatch(
      /^drained ip-192-168-18-230 in \d+\.\d s: 2 pods gone, 2 running elsewhere, Terminate-LC-Hook completed with CONTINUE$/,
    );
  });

  it("prints only JSON for programs, and sums up in the last line", async ({ expect }) => {
    const io = capturedIo();

    expect(await main(["replay", event, "--json", "--via", "direct"], io)).toBe(0);

    expect(io.err()).toBe("");
    const objects = jsonLines(io);
    expect(objects.at(-1)).toMatchObject({
      kind: "summary",
      exitCode: 0,
      outcomes: [{ kind: "drained" }],
      completed: [{ hook: "Terminate-LC-Hook", result: "CONTINUE" }],
      gone: ["demo/nginx-demo-deployment-7587998bf4-dkd5t", "kube-system/coredns-5947f47f5f-t4f89"],
    });
    expect(
      objects.slice(0, -1).every(({ elapsed, at, kind }) => elapsed !== undefined && at && kind),
    ).toBe(true);
  });

  it.each([
    ["faulted", 1, ["--break", "token-refused"]],
    ["timed-out", 3, ["--timeout", "1"]],
    ["answered", 3, ["--break", "no-node"]],
  ])("sums up for programs however it ends: %s", async (ending, exitCode, options) => {
    const io = capturedIo();

    await main(["replay", event, "--json", ...options], io);

    assert.deepInclude(jsonLines(io).at(-1), { version: 1, kind: "summary", ending, exitCode });
  });

  it("ends with one line on standard error when it is not done", async ({ expect }) => {
    const io = capturedIo();

    expect(await main(["replay", event, "--break", "token-refused"], io)).toBe(1);

    expect(io.out()).toContain("broken on purpose: the function's role is not mapped in aws-auth");
    expect(io.err()).toMatch(
      /^cluster\.unauthorized: [^\n]*the message waits in queue demo-lifecycle, received once\n$/,
    );
  });

  it("takes an event from standard input", async ({ expect }) => {
    const input = readFileSync("events/sns-asg-test-notification.json", "utf8");
    const io = capturedIo({ input });

    expect(await main(["replay", "-"], io)).toBe(0);

    expect(io.out()).toContain("acknowledged");
  });

  it("names a file that is not an event and its flaw, and sends nothing", async (context) => {
    const { expect } = context;
    const io = capturedIo();
    const file = fileWith("nonsense", context);

    expect(await main(["replay", file], io)).toBe(1);

    expect(io.out()).toBe("");
    expect(io.err()).toBe(
      `${file}: event.malformed: reading the event: expected JSON, got "nonsense"; correct the event (docs/runbook.md#eventmalformed); it was not sent\n`,
    );
  });

  it("sends nothing when it is interrupted before it has begun", async ({ expect }) => {
    const io = capturedIo();
    io.interrupt();

    expect(await main(["replay", event], io)).toBe(3);

    expect(io.out()).toBe(
      "replaying events/demo-ng-terminate.json through topic and queue\nstarting the sandbox\n",
    );
    expect(io.err()).toBe("interrupted after 0 s\n");
  });

  it("ends at Ctrl-C, with every process that it has started", async ({ expect }) => {
    const { pid, said, closed, complaint, child } = started("replay", event);
    await said("evicted");
    expect(lives(pid)).toBe(true);

    child.kill("SIGINT");

    expect(await closed).toBe(3);
    expect(await complaint).toMatch(/^interrupted after [^\n]*; still there: [^\n]*\n$/);
    await expect.poll(() => lives(pid), patience).toBe(false);
  });

  it("ends when nobody reads its output any more", async ({ expect }) => {
    const { pid, said, closed, child } = started("replay", event);
    await said("replaying");

    child.stdout.destroy();

    expect(await closed).toBe(3);
    await expect.poll(() => lives(pid), patience).toBe(false);
  });
});
