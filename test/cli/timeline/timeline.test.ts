import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { main } from "../../../cli/main.ts";
import {
  hours,
  type Instant,
  later,
  milliseconds,
  minutes,
  seconds,
  timestamp,
} from "../../../lambda/base/time.ts";
import { terminateAction } from "../../../sandbox/scenarios/demo-action.ts";
import { demoNode } from "../../../sandbox/scenarios/demo-ng.ts";
import { upgradeLog } from "../../world/upgrade-log.ts";
import { type CapturedIo, capturedIo } from "../captured-io.ts";
import { aSite } from "../connect/a-site.ts";
import { folderForTest } from "../folder-for-test.ts";
import { jsonLines } from "../json-lines-schema.ts";
import { replayed } from "../replay/replayed.ts";
import {
  aSiteWithUpgrades,
  upgradeLog as upgradeLogGroup,
} from "../upgrade/a-site-with-upgrades.ts";
import { begin, drainLog, namesOf } from "./drain-log.ts";

const { instance } = namesOf({ number: 7 });
const pod = "shop/checkout-6b8f";
const linesFrom = (from: Instant) => drainLog({ number: 7, from, pod, end: "drained" });
const lines = linesFrom(begin);
const logGroup = `/aws/lambda/${demoNode.names.function}`;

/** A folder with the log of a drain in it, among lines of Lambda's. */
function aFolder() {
  const noise = ["START RequestId: 8f507cfc", "REPORT RequestId: 8f507cfc Duration: 3 ms"];
  const tailed = lines.map((line) => `2026-03-23T09:14:05+00:00 2026/03/23/[$LATEST]4f2a ${line}`);
  const log = [...noise, ...tailed, ""].join("\n");
  return capturedIo({ cwd: folderForTest({ "drain.log": log, "other.log": "a line\n" }) });
}

/** An account with the log of a drain that began an hour ago, and of another instance. */
async function anAccount() {
  const site = await aSite();
  const from = later(site.aws.timeline.now(), milliseconds(-hours(1)));
  const other = drainLog({ number: 8, from, pod, end: "drained" });
  for (const line of [...linesFrom(from), ...other]) {
    const { at = "" } = JSON.parse(line) as { readonly at?: string };
    site.aws.logs.write(logGroup, line, Date.parse(at) as Instant);
  }
  return { ...site, from, io: capturedIo() };
}

const told = (io: CapturedIo) => io.out().trimEnd().split("\n");

describe("timeline", () => {
  it("shows a drain of three passes from a file, and counts what is no entry", async () => {
    const io = aFolder();

    expect(await main(["timeline", "drain.log"], io)).toBe(0);

    expect(told(io)[0]).toBe(
      `${instance} of workers, node ip-192-168-18-7.eu-west-1.compute.internal: drained, after 5 min 52 s; 9 min 8 s before its deadline`,
    );
    expect(io.out()).toMatch(/shop\/checkout-6b8f +▒+█+ +held by shop\/checkout 1\.5 s, evicted/);
    expect(io.out()).toContain("▚ awaited  ─ pass  · heartbeat  ● done  ✖ fault");
    expect(io.err()).toBe("2 lines are no entries of the function's journal\n");
  });

  it("reads the standard input", async () => {
    const io = capturedIo({ input: lines.join("\n") });

    expect(await main(["timeline", "-"], io)).toBe(0);
    expect(io.out()).toContain("drained, after 5 min 52 s");
    expect(io.err()).toBe("");
  });

  it("tells programs the same, with the reason of each stretch", async () => {
    const io = aFolder();

    expect(await main(["timeline", "drain.log", "--json"], io)).toBe(0);

    const [drain, log] = jsonLines(io);
    expect(drain).toMatchObject({ kind: "drain", instance, state: "done", from: timestamp(begin) });
    const rows = Object(drain).rows as readonly { label: string; spans: readonly object[] }[];
    expect(rows.find(({ label }) => label === pod)?.spans[1]).toEqual({
      kind: "held",
      from: "2026-03-23T09:14:06.500Z",
      to: "2026-03-23T09:18:55.000Z",
      reason: "held by shop/checkout, 3 healthy of 3 desired, 0 allowed",
    });
    expect(log).toEqual({ version: 1, kind: "log", entries: lines.length, others: 2 });
  });

  it("leaves out what a file has from before a time", async () => {
    const io = aFolder();

    expect(await main(["logs", "drain.log", "--since", "2026-03-23T09:19:57Z"], io)).toBe(0);
    expect(told(io)).toHaveLength(3);
  });

  it("draws a page into a file, with --json too", async () => {
    const io = aFolder();

    expect(await main(["timeline", "drain.log", "--html", "drain.html", "--json"], io)).toBe(0);

    expect(readFileSync(join(io.cwd, "drain.html"), "utf8")).toContain(
      `<h1>Work on ${instance}</h1>`,
    );
    expect(io.err()).toContain("the page is drain.html\n");
    expect(jsonLines(io)).toHaveLength(2);
  });

  it("shows a drain of the function itself, from its log group in the sandbox", async () => {
    const { sandbox } = await replayed();
    const log = sandbox.aws.logs.find(logGroup).map(({ message }) => message);
    const io = capturedIo({ input: log.join("\n") });

    expect(await main(["timeline", "-", "--json"], io)).toBe(0);

    const [drain] = jsonLines(io);
    expect(drain).toMatchObject({ state: "done", instance: terminateAction.instance });
    const rows = Object(drain).rows as readonly { kind: string; state: string }[];
    expect(rows.map(({ kind, state }) => `${kind} ${state}`)).toEqual([
      "node done",
      "ordinary gone",
      "critical gone",
      "hook done",
    ]);
  });

  it("shows an upgrade of a group, from the log of the upgrade function that the stack names", async () => {
    const { aws } = await aSiteWithUpgrades();
    const log = await upgradeLog("at once");
    for (const line of log) aws.logs.write(upgradeLogGroup, line, aws.timeline.now());
    const others = log.map((line) => line.replaceAll('"workers"', '"others"'));
    for (const line of others) aws.logs.write(upgradeLogGroup, line, aws.timeline.now());
    const since = ["--since", "2026-01-01T00:00:00Z"];
    const argv = ["timeline", "workers", "--cluster", demoNode.clusterName, ...since];
    const [io, json] = [aFolder(), aFolder()];
    // A folder of the same name is no log.
    mkdirSync(join(io.cwd, "workers"));

    expect(await main(argv, io)).toBe(0);
    expect(await main([...argv, "--html", "upgrade.html", "--json"], json)).toBe(0);

    expect(io.out()).toMatch(/^workers: upgrade 0badcafe: done, all nodes are new/m);
    expect(io.out()).toMatch(/^ip-10-0-0-1 .*replaced at/m);
    const [upgrade, ...rest] = jsonLines(json);
    expect(upgrade).toMatchObject({ kind: "upgrade-timeline", id: "0badcafe", state: "done" });
    expect(rest.at(-1)).toMatchObject({ kind: "log", entries: log.length });
    expect(readFileSync(join(json.cwd, "upgrade.html"), "utf8")).toContain("Old nodes");
  });

  it("reads the lines of one instance from CloudWatch, whose log group the stack names", async () => {
    const { io } = await anAccount();

    expect(await main(["timeline", instance, "--cluster", demoNode.clusterName], io)).toBe(0);

    expect(told(io)[0]).toContain(`${instance} of workers`);
    expect(io.out()).toContain("drained, after 5 min 52 s");
    expect(io.out()).not.toContain(namesOf({ number: 8 }).instance);
  });

  it.each([[["--since", "30m"]], [["--since", "2999-01-01T00:00:00Z"]]])(
    "is not done where nothing is in the log since a time, and says which: %j",
    async (since) => {
      const { io } = await anAccount();

      expect(await main(["timeline", instance, "--log-group", logGroup, ...since], io)).toBe(3);
      expect(io.out()).toBe("");
      expect(io.err()).toMatch(
        /^no entry of i-07e9ea9eb19a67307 is in the log since \d{4}-\d\d-\d\d \d\d:\d\d UTC; look/,
      );
    },
  );

  it.each(["timeline", "logs"])(
    "that finds no entry says of a function that does not start so, with the last reason: %s",
    async (command) => {
      const { io, aws, from } = await anAccount();
      const started = (key: string, ago: Instant) =>
        JSON.stringify({
          at: timestamp(ago),
          kind: "fault",
          code: "config.invalid",
          message: `config.invalid: reading ${key}: expected a name, got nothing`,
          retryable: false,
        });
      const stranger = "i-0123456789abcdef0";
      for (const [key, minute] of Object.entries({ CLUSTER_NAME: 1, QUEUE_URL: 2 })) {
        const at = later(from, minutes(minute));
        aws.logs.write(logGroup, started(key, at), at);
      }

      expect(await main([command, stranger, "--log-group", logGroup], io)).toBe(3);

      expect(told({ ...io, out: io.err }).at(-1)).toBe(
        `at ${timestamp(later(from, minutes(2)))
          .slice(0, 16)
          .replace(
            "T",
            " ",
          )} UTC the function did not start: config.invalid: reading QUEUE_URL: expected a name, got nothing; correct the function's environment (docs/runbook.md#configinvalid)`,
      );
    },
  );

  it.each([
    [["timeline", instance], 2, "give --cluster or --log-group"],
    [["timeline", "drain.log", "--since", "tomorrow"], 2, "Give a timestamp such as"],
    [["timeline", "drain.log", "--since", "-5m"], 2, "Give a timestamp such as"],
    [["timeline", "drain.log", "--since", "90"], 2, "Give a timestamp such as"],
    [["timeline", "nowhere.log"], 1, "cannot read the log nowhere.log: ENOENT"],
    [["logs", "nope"], 1, "name an instance, or a file that is there and that you may read; for"],
    [["timeline", "workers"], 1, "of an Auto Scaling group, give --cluster or --log-group"],
    [["logs", "other.log"], 3, "other.log has no entry of the function's journal; give it lines"],
    [
      ["timeline", "drain.log", "--html", "no/where.html"],
      1,
      "cannot write the page no/where.html",
    ],
    [["logs", "drain.log", "--follow"], 2, "--follow goes with an instance"],
    [
      ["logs", instance, "--log-group", "/aws/lambda/other"],
      1,
      "name the right log group (--log-group)",
    ],
    [["logs", instance, "--cluster", "other"], 1, "or the log group with --log-group"],
  ])("says what to do: %j", async (argv, code, words) => {
    await aSite();
    const io = aFolder();

    expect(await main(argv, io)).toBe(code);
    expect(io.err()).toContain(words);
  });

  it("names the right that is missing", async () => {
    const { aws, io } = await anAccount();
    aws.authorize = () => "denied";

    expect(await main(["logs", instance, "--log-group", logGroup], io)).toBe(1);
    expect(io.err()).toContain("allow logs:FilterLogEvents");
  });
});

describe("logs", () => {
  it("tells each line with its day, its time and its instance", async () => {
    const io = aFolder();

    expect(await main(["logs", "drain.log"], io)).toBe(0);

    expect(told(io).slice(0, 3)).toEqual([
      "2026-03-23, UTC",
      `09:14:05.0 ${instance}  pass 1      terminating ${instance} of workers`,
      `09:14:05.4 ${instance}  heartbeat   Terminate-LC-Hook goes on holding ${instance}`,
    ]);
    expect(told(io).at(-1)).toBe(`09:19:57.0 ${instance}  done        drained`);
  });

  it("reads pages of CloudWatch, and tells programs each entry", async () => {
    const { io } = await anAccount();

    expect(await main(["logs", instance, "--log-group", logGroup, "--json"], io)).toBe(0);

    const entries = jsonLines(io);
    expect(entries).toHaveLength(lines.length + 1);
    expect(entries[0]).toMatchObject({ kind: "pass-started", elapsed: 0, instance });
    expect(entries.at(-1)).toMatchObject({ kind: "log", entries: lines.length, others: 0 });
  });

  it("follows the log until somebody interrupts, and tells no line twice", async () => {
    const { io, aws, from } = await anAccount();
    const late =
      lines.at(-1)?.replace(timestamp(later(begin, seconds(352))), timestamp(from)) ?? "";

    const end = "done        drained";
    const done = main(["logs", instance, "--log-group", logGroup, "--follow"], io);
    await vi.waitUntil(() => io.out().includes(end), { timeout: 60_000 });
    // A line that reaches CloudWatch some seconds late.
    aws.logs.write(logGroup, late, later(from, seconds(345)));
    await vi.waitUntil(() => io.out().split(end).length === 3, { timeout: 60_000 });
    io.interrupt();

    expect(await done).toBe(0);
    for (const once of ["pass 1 ", "completed "]) expect(io.out().split(once)).toHaveLength(2);
  });
});
