import { describe, expect, it } from "vitest";
import { exitCodes } from "../../../cli/exit-code.ts";
import type { ReplayResult } from "../../../cli/replay/replay-request.ts";
import { verdictOf } from "../../../cli/replay/verdict.ts";
import type { Happening } from "../../../journal/happening.ts";
import { rowOf, runbookAnchor } from "../../../journal/outcome-table.ts";
import { faultCodes } from "../../../lambda/base/fault.ts";
import { minutes, timestamp } from "../../../lambda/base/time.ts";
import { sampleOutcomes } from "../../journal/sample-outcomes.ts";
import { aResult, at, drain, node, seen, told } from "./a-story.ts";

const waiting = { ...aResult().whereabouts, waiting: [2] };
const deadLettered = { ...aResult().whereabouts, deadLetters: 1 };

const fault = (code: string, retryable = true): Happening =>
  told(1, { kind: "fault", code, message: `${code}: doing it: HTTP 500`, retryable });

const failed = (error: string, code = ""): Happening =>
  seen(2, { kind: "invocation-ended", how: "failed", error, code, handedBack: 1 });

const verdict = (differing: Partial<ReplayResult>) => verdictOf(aResult(differing));

describe("the verdict on a replay", () => {
  it("is done when the node was drained", () => {
    expect(verdict({})).toEqual({
      exitCode: 0,
      line: "drained ip-192-168-18-230 in 10.0 s: 2 pods gone, 2 running elsewhere, Terminate-LC-Hook completed with CONTINUE",
    });
  });

  it("counts a pod once, though two notices of its node tell of it", () => {
    const { happenings } = aResult();
    const again = happenings.filter(({ kind }) => kind === "pod-gone");

    expect(verdict({ happenings: [...happenings, ...again] }).line).toContain(
      ": 2 pods gone, 2 running elsewhere",
    );
  });

  it("is done when a test notification was acknowledged", () => {
    const outcomes = [{ kind: "tested" }] as const;

    expect(verdict({ outcomes, happenings: [], to: at(1) })).toEqual({
      exitCode: 0,
      line: "acknowledged in 1.0 s",
    });
  });

  it("has the time to the deadline when no hook held the instance", () => {
    const happenings = drain.filter(({ kind }) => kind !== "hook-completed");

    expect(verdict({ happenings }).line).toBe(
      "drained ip-192-168-18-230 in 10.0 s, 31 s before its deadline: 2 pods gone, 2 running elsewhere",
    );
  });

  it("says when a node is opened again that is only cordoned", () => {
    const until = timestamp(at(3600));

    expect(
      verdict({
        outcomes: [{ kind: "cordoned", node }],
        happenings: [told(1, { kind: "node-cordoned", node, until })],
      }),
    ).toEqual({
      exitCode: 0,
      line: `${node} is cordoned, and opened again if nothing happens, at ${until}`,
    });
  });

  it("is not done when a notice rests, and says what it waits for", () => {
    const left = [{ about: "", why: "a node of i-1 that is left then is removed" }];
    const happenings = [told(1, { kind: "pass-ended", left, wait: minutes(5) })];

    expect(verdict({ ending: "resting", outcomes: [], happenings, whereabouts: waiting })).toEqual({
      exitCode: 3,
      line: "nothing to do for 5 min; a node of i-1 that is left then is removed",
    });
  });

  it.each([
    [
      { kind: "ignored", why: "not managed", reason: "group x is not managed here" },
      "ignored: group x is not managed here; nothing was touched",
    ],
    [{ kind: "no-node" }, "nothing to drain: no node of the cluster is i-07e9ea9eb19a67337"],
    [{ kind: "instance-ended" }, "not drained to the end: the instance had ended, "],
    [
      { kind: "expired", left: [{ about: "demo/web", why: "held" }] },
      "not drained in time: demo/web: held; ",
    ],
    [{ kind: "released-elsewhere" }, "not drained to the end: somebody else completed the hook"],
    [
      { kind: "not-joined", reason: "never registered", result: "ABANDON" },
      "not joined in time: never registered; the hook was completed with ABANDON; ",
    ],
    [{ kind: "unfinished" }, "not finished within one invocation: demo/web: ending; "],
  ] as const)("is not done when the outcome is %o", (outcome, beginning) => {
    const { exitCode, line } = verdict({ outcomes: [outcome], left: ["demo/web: ending"] });

    expect(exitCode).toBe(3);
    expect(line.slice(0, beginning.length)).toBe(beginning);
    expect(line).not.toContain("\n");
  });

  it.each(Object.values(sampleOutcomes))("follows the table of outcomes: $kind", (outcome) => {
    const { exitCode, line } = verdict({ outcomes: [outcome] });
    const row = rowOf(outcome);

    expect(exitCode).toBe(exitCodes[row.exit]);
    const found = `(docs/runbook.md#${runbookAnchor(outcome.kind)})`;
    if (row.exit === "notDone")
      expect(line).toBe(`${row.advice(outcome, aResult().happenings)} ${found}`);
    else expect(line).not.toContain(found);
  });

  it("is not done when one of several notices is not", () => {
    const outcomes = [{ kind: "drained", attached: [], stuck: [] }, { kind: "no-node" }] as const;

    expect(verdict({ outcomes }).exitCode).toBe(3);
  });

  it("says after a fault where the message waits, what to do and where to read more", () => {
    const happenings = [fault("cluster.unauthorized")];

    expect(verdict({ ending: "faulted", happenings, whereabouts: waiting })).toEqual({
      exitCode: 1,
      line: "cluster.unauthorized: doing it: HTTP 500; give the function's role an access entry, or an entry in aws-auth, in group eks-node-lifecycle (docs/runbook.md#clusterunauthorized); the message waits in queue notices, received 2 times",
    });
  });

  it.each(faultCodes)("says what to do about %s", (code) => {
    const { line } = verdict({ ending: "faulted", happenings: [fault(code)] });

    expect(line).toContain(`(docs/runbook.md#${code.replace(".", "")})`);
  });

  it("says that the message is in the dead letters when it can never succeed", () => {
    const happenings = [fault("event.malformed", false)];

    const { exitCode, line } = verdict({ outcomes: [], happenings, whereabouts: deadLettered });

    expect(exitCode).toBe(1);
    expect(line).toMatch(/; the message waits in the dead letters, dead-notices$/);
  });

  it("says that nothing repeats a message that came without a queue", () => {
    const happenings = [fault("cluster.refused")];

    const { line } = verdict({ ending: "faulted", happenings, via: "direct" });

    expect(line).toMatch(
      /; it did not come through a queue, so nothing delivers it again: replay it$/,
    );
  });

  it("ignores a fault that the pass survived", () => {
    const happenings = [fault("cluster.refused"), ...aResult().happenings];

    expect(verdict({ happenings }).exitCode).toBe(0);
  });

  it("shows the error of a function that logged no fault", () => {
    const happenings = [failed("Sandbox.Timedout: Task timed out after 120.00 seconds")];

    const { exitCode, line } = verdict({ ending: "faulted", happenings, whereabouts: waiting });

    expect(exitCode).toBe(1);
    expect(line).toBe(
      "Sandbox.Timedout: Task timed out after 120.00 seconds; look at the lines above; the message waits in queue notices, received 2 times",
    );
  });

  it("has the remedy of the fault that a function did not start for", () => {
    const happenings = [failed("Fault: reading CLUSTER_NAME", "config.invalid")];

    expect(verdict({ ending: "faulted", happenings }).line).toContain(
      "correct the function's environment (docs/runbook.md#configinvalid)",
    );
  });

  it("is not done, and says what holds the node, when the time of the replay is up", () => {
    const left = ["demo/web: budget demo/web allows no disruption"];

    expect(verdict({ ending: "timed-out", outcomes: [], left, whereabouts: waiting })).toEqual({
      exitCode: 3,
      line: "not done after 10 s; still there: demo/web: budget demo/web allows no disruption; the message waits in queue notices, received 2 times; give the replay longer with --timeout, or the drain less time with --drain-timeout",
    });
  });

  it("is not done when the user interrupts", () => {
    expect(verdict({ ending: "interrupted", outcomes: [], whereabouts: waiting })).toEqual({
      exitCode: 3,
      line: "interrupted after 10 s; the message waits in queue notices, received 2 times",
    });
  });

  it("counts the messages that wait", () => {
    const { line } = verdict({
      ending: "interrupted",
      whereabouts: { ...waiting, waiting: [0, 3], deadLetters: 2 },
    });

    expect(line).toContain("2 messages wait in queue notices, received 3 times");
    expect(line).toContain("2 messages wait in the dead letters, dead-notices");
  });
});

describe("a fault in a saved event", () => {
  const fault = {
    kind: "fault",
    code: "event.malformed",
    retryable: false,
    message: "event.malformed: reading Records[0].body.Message.EC2InstanceId: expected an id",
  } as const;
  const named = (...places: readonly string[]) => {
    const messages = places.map((place) => ({ subject: "", message: "{}", place }));
    const result = aResult({ ending: "faulted", outcomes: [], happenings: [told(1, fault)] });
    return verdictOf(result, { event: "my.json", messages }).line;
  };

  it.each([
    ["", "; the message is my.json; correct the event"],
    ["Records[0].Sns.Message", "; the message is Records[0].Sns.Message of my.json; "],
    ["Messages[0].Body", "; the message is Messages[0].Body of my.json; "],
  ])("is told with the place of the message in the file, at %j", (place, words) => {
    expect(named(place)).toContain(`${fault.message}${words}`);
  });

  it("is told as the function tells it if the file has several messages", () => {
    expect(named("Records[0].body", "Records[1].body")).toContain(`${fault.message}; correct`);
  });
});
