import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Report, reportFor } from "../../../cli/progress/report.ts";
import { replayWords, summaryOf } from "../../../cli/replay/staged-replay.ts";
import { verdictOf } from "../../../cli/replay/verdict.ts";
import { glyphsFor, unicodeGlyphs } from "../../../cli/terminal/glyphs.ts";
import type { Happening } from "../../../journal/happening.ts";
import { Fault } from "../../../lambda/base/fault.ts";
import { podUid } from "../../../lambda/base/ids.ts";
import { seconds, timestamp } from "../../../lambda/base/time.ts";
import { EventLog, endOf } from "../../../sandbox/event-log.ts";
import { VirtualTimeline } from "../../../sandbox/timeline.ts";
import { type CapturedIo, capturedIo, type Surroundings } from "../captured-io.ts";
import { jsonLines } from "../json-lines-schema.ts";
import {
  action,
  aResult,
  at,
  drain,
  instance,
  node,
  seen,
  start,
  told,
} from "../replay/a-story.ts";
import { screenOf } from "../terminal/screen-of.ts";

const beginning = { ...replayWords, from: start, until: at(120) };

function begun(io: CapturedIo): Report {
  const report = reportFor("replay", "text", io);
  onTestFinished(() => report.close());
  report.start("the sandbox");
  report.begin(beginning);
  return report;
}

const ends = (report: Report, result = aResult()): void =>
  report.end(summaryOf(result, verdictOf(result)));

function reported(happenings: readonly Happening[], surroundings: Surroundings = {}): CapturedIo {
  const io = capturedIo(surroundings);
  const report = begun(io);
  for (const happening of happenings) report.tell(happening);
  return io;
}

const failed = {
  ...({ kind: "invocation-ended", how: "failed" } as const),
  error: "out of memory",
  code: "",
  handedBack: 1,
};

describe("a report for people", () => {
  it("has a line for each event, with the time since the start", () => {
    expect(reported(drain).out()).toMatchInlineSnapshot(`
      "starting the sandbox
        0.5 s  pass 1      terminating i-1 of workers
        1.0 s  heartbeat   Terminate-LC-Hook goes on holding i-07e9ea9eb19a67337
        1.0 s  node found  ip-192-168-18-230.eu-west-1.compute.internal is i-07e9ea9eb19a67337
        1.0 s  labelled    node.kubernetes.io/exclude-from-external-load-balancers
        1.0 s  cordoned    ip-192-168-18-230.eu-west-1.compute.internal: terminating, to be drained by 2026-03-23T09:14:46.218Z
        1.0 s  to evict    demo/web
        1.0 s  to evict    kube-system/dns
        1.0 s  left alone  kube-system/proxy
        2.0 s  evicted     demo/web, grace 30 s
        3.0 s  running     demo/web-2 on ip-1, for demo/web
        4.0 s  gone        demo/web, in 2 s
        4.0 s  evicted     kube-system/dns, grace 30 s
        5.0 s  gone        kube-system/dns, in 1 s
        6.0 s  running     kube-system/dns-2 on ip-2, for kube-system/dns
       10.0 s  completed   Terminate-LC-Hook of i-07e9ea9eb19a67337: CONTINUE, token 3f1c0d52-8a4e-4b0e-9f6d-5b7c2e91a604
       10.0 s  done        drained
      "
    `);
  });

  it("is coloured on a terminal, unless the user wants it otherwise", () => {
    const coloured = (surroundings: Surroundings) =>
      reported(drain, surroundings).out().includes("\u001b[3");

    expect(coloured({ isTTY: true })).toBe(true);
    expect(coloured({ isTTY: true, env: { NO_COLOR: "" } })).toBe(true);
    expect(coloured({ isTTY: true, env: { NO_COLOR: "1" } })).toBe(false);
    expect(coloured({ isTTY: true, env: { TERM: "dumb" } })).toBe(false);
    expect(coloured({})).toBe(false);
    expect(coloured({ env: { FORCE_COLOR: "1" } })).toBe(true);
    expect(coloured({ isTTY: true, env: { FORCE_COLOR: "0" } })).toBe(false);
    expect(coloured({ env: { FORCE_COLOR: "1", NO_COLOR: "1" } })).toBe(false);
  });

  const refusal = { kind: "pod-refused", pod: "demo/web", why: "blocked" } as const;

  it("shows a refusal once, however often it comes, and again when it changes", () => {
    const refused = (seconds: number, message: string) =>
      told(seconds, { ...refusal, verb: "evict", past: "", message });

    const io = reported([refused(1, "needs 3"), refused(2, "needs 3"), refused(3, "needs 2")]);

    expect(io.out().split("\n").slice(1)).toEqual([
      "  1.0 s  blocked     demo/web: needs 3",
      "  3.0 s  blocked     demo/web: needs 2",
      "",
    ]);
  });

  it("shows what a refused deletion would have gone past, though the eviction was refused with the same words", () => {
    const io = reported([
      told(1, { ...refusal, verb: "evict", past: "", message: "no" }),
      told(2, {
        ...refusal,
        verb: "delete",
        past: "budget demo/web (maxUnavailable 1)",
        message: "no",
      }),
    ]);

    expect(io.out().split("\n").slice(1)).toEqual([
      "  1.0 s  blocked     demo/web: no",
      "  2.0 s  blocked     demo/web: its deletion past budget demo/web (maxUnavailable 1) was refused: no",
      "",
    ]);
  });

  it("says once what protects a pod, though every pass finds it, and again when the reason changes", () => {
    const uid = podUid("1b2c");
    const by = (second: number, why: string) =>
      told(second, { kind: "pods-protected", node, pods: [{ pod: "demo/web", uid, why }] });

    const lines = reported([by(1, "annotation"), by(21, "annotation"), by(41, "stop")]).out();

    expect(lines.match(/careful.*demo\/web: \w+/g)).toHaveLength(2);
  });

  it("shows a fault once, although Lambda repeats it in its own words", () => {
    const errorMessage = "event.malformed: reading Message: expected JSON, got nothing";
    const error = { errorType: "Fault", errorMessage, trace: [] };
    const log = new EventLog(new VirtualTimeline(at(1)));
    const { code, message, retryable } = new Fault("event.malformed", errorMessage.slice(17));
    const entry = { kind: "fault", at: timestamp(at(1)), code, message, retryable };
    log.hear({ source: "function", text: JSON.stringify(entry) });
    log.hear({ source: "function", text: `ERROR Invoke Error ${JSON.stringify(error)}` });
    log.tell(endOf({ kind: "error", error }, 0));

    const said = reported(log.happenings).out().split("\n").slice(1);
    expect(said).toEqual([`  1.0 s  fault       ${errorMessage}`, ""]);
  });

  it("has words for every other event", () => {
    const tight = { budget: "demo/web", healthy: 3, desired: 3, allowed: 0 };
    const io = reported([
      seen(0, { kind: "published", to: "topic t, to queue q" }),
      told(1, {
        kind: "node-marked",
        node,
        labelled: "theirs",
        cordoned: "theirs",
        reason: "terminating",
        deadline: "",
      }),
      told(1, {
        kind: "pods-held",
        node,
        pods: ["demo/a", "demo/b", "demo/c", "demo/d"],
        owners: [],
        ...tight,
      }),
      told(2, { kind: "pods-freed", node, by: "budget", pods: ["demo/a"], ...tight, allowed: 1 }),
      told(2, { kind: "pods-freed", node, by: "deadline", pods: ["demo/b"], ...tight, allowed: 0 }),
      told(2, { kind: "warning", about: "demo/web", warnings: ["is bare", "is local"] }),
      told(3, {
        kind: "pod-deleted",
        pod: "demo/web",
        node,
        graceSeconds: 7,
        past: "budget demo/web",
        uid: podUid("a"),
      }),
      told(4, { kind: "volumes-awaited", node, volumes: ["pv-1", "pv-2"] }),
      told(5, {
        kind: "pass-ended",
        left: [{ about: "demo/web", why: "ending" }],
        wait: seconds(5),
      }),
      seen(6, {
        kind: "action-ended",
        hook: action.hook,
        instance,
        token: action.token,
        result: "CONTINUE",
        by: "heartbeat-timeout",
      }),
      seen(7, { kind: "output", text: "a word of a library", code: "" }),
      seen(8, failed),
      seen(9, { kind: "pod-running", pod: "demo/new", node: "ip-1.x", replaces: "" }),
    ]);

    expect(io.out()).toMatchInlineSnapshot(`
      "starting the sandbox
        0.0 s  published   topic t, to queue q
        1.0 s  labelled    node.kubernetes.io/exclude-from-external-load-balancers, by somebody else before
        1.0 s  cordoned    ip-192-168-18-230.eu-west-1.compute.internal, by somebody else before: terminating
        1.0 s  held        demo/a, demo/b, demo/c, 1 more: budget demo/web, 3 healthy of 3 desired, 0 allowed
        2.0 s  freed       demo/a: budget demo/web, 3 healthy of 3 desired, 1 allowed
        2.0 s  overdue     demo/b: budget demo/web, 3 healthy of 3 desired, 0 allowed, which force no longer waits for
        2.0 s  careful     demo/web: is bare; is local
        3.0 s  deleted     demo/web, grace 7 s, by force, past budget demo/web
        4.0 s  volume      pv-1 is still attached
        4.0 s  volume      pv-2 is still attached
        5.0 s  not done    comes back in 5 s
        5.0 s              demo/web: ending
        6.0 s  released    Terminate-LC-Hook: CONTINUE, heartbeat-timeout
        7.0 s  output      a word of a library
        8.0 s  failed      out of memory
        9.0 s  running     demo/new on ip-1
      "
    `);
  });
});

const held = told(2, {
  kind: "pods-held",
  node,
  pods: ["kube-system/dns"],
  owners: [],
  budget: "kube-system/dns",
  healthy: 2,
  desired: 2,
  allowed: 0,
});

describe("a report on a terminal", () => {
  function aTerminal(columns: number) {
    vi.useFakeTimers({ now: start });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    return capturedIo({ columns, isTTY: true, env: { NO_COLOR: "1" } });
  }

  it("says at once that the sandbox starts, and each second that it goes on", () => {
    const io = aTerminal(80);
    const report = reportFor("replay", "text", io);
    onTestFinished(() => report.close());

    report.start("the sandbox");
    expect(screenOf(io.out()).at(-1)).toBe("  0.0 s  starting    the sandbox");
    vi.advanceTimersByTime(1000);
    expect(screenOf(io.out()).at(-1)).toBe("  1.0 s  starting    the sandbox");
  });

  it("shows who holds the node, for how long, and how much time is left", () => {
    const io = aTerminal(120);
    const report = begun(io);
    for (const happening of drain.slice(0, 8)) report.tell(happening);
    report.tell(held);
    vi.advanceTimersByTime(11_000);

    expect(screenOf(io.out()).slice(-2)).toEqual([
      "         held        kube-system/dns: by budget kube-system/dns, 2 healthy of 2 desired, 9 s",
      " 11.0 s  waiting     1 of 2 pods gone; the drain ends in 30 s at the latest",
    ]);
  });

  it("shows the two minutes' clock of a Spot instance once its notice has tightened the mark", () => {
    const io = aTerminal(120);
    const report = begun(io);
    for (const happening of drain.slice(0, 8)) report.tell(happening);
    const deadline = timestamp(at(21));
    const nearer = { reason: "interrupted", deadline, markOf: "drain" } as const;
    report.tell(told(5, { kind: "mark-tightened", node, ...nearer }));
    report.tell(held);
    vi.advanceTimersByTime(11_000);

    expect(screenOf(io.out()).at(-1)).toContain("; the drain ends in 10 s at the latest");
  });

  it("keeps what it complains of, above what it shows below", () => {
    const io = aTerminal(0);
    const report = begun(io);
    report.tell(held);
    const ignored = aResult({
      happenings: [],
      outcomes: [{ kind: "ignored", why: "other", reason: "not ours" }],
    });
    ends(report, ignored);

    expect(screenOf(io.both()).join("\n")).toMatch(/ignored: not ours; .*\n$/);
  });

  it("leaves nothing of that when it ends", () => {
    const io = aTerminal(80);
    const report = begun(io);
    report.tell(held);
    ends(report);
    vi.advanceTimersByTime(5000);

    expect(io.out()).toContain("waiting");
    expect(screenOf(io.out()).join("\n")).not.toContain("waiting");
  });

  it.each([40, 60, 80, 120])("breaks no word that fits, at %i columns", (columns) => {
    const io = aTerminal(columns);
    const report = begun(io);
    for (const happening of [...drain, held]) report.tell(happening);
    ends(report);

    const lines = screenOf(io.out());
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(columns);
    const words = lines.join(" ").split(/ +/);
    expect(words).toEqual(
      expect.arrayContaining(["kube-system/dns-2", "i-07e9ea9eb19a67337", "completed"]),
    );
  });

  it.each([
    [{}, unicodeGlyphs.ending],
    [{ LANG: "en_GB.UTF-8" }, unicodeGlyphs.ending],
    [{ LANG: "en_GB.UTF-8", LC_ALL: "C" }, "#"],
    [{ LANG: "POSIX" }, "#"],
  ])("draws with the signs that the locale has: %j", (env, sign) => {
    expect(glyphsFor({ env }).ending).toBe(sign);
  });
});

it.each([
  ["replay", /^nothing to drain: [^\n]+\n$/],
  ["drain", /^$/],
] as const)("a report for programs of a %s says %s on standard error, too", (work, says) => {
  const io = capturedIo({ isTTY: true });

  ends(reportFor(work, "json", io), aResult({ outcomes: [{ kind: "no-node" }] }));

  expect(jsonLines(io)).toMatchObject([{ kind: "summary", outcomes: [{ kind: "no-node" }] }]);
  expect(io.err()).toMatch(says);
});
