import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LinkFinding, reportLines, reportOf } from "../../cli/doctor/report.ts";
import { endOf } from "../../cli/drain/drain-verdict.ts";
import { nodePage } from "../../cli/plan/node-page.ts";
import { repairLines } from "../../cli/repair/repair-case.ts";
import type { RepairCase } from "../../cli/repair/repair-schema.ts";
import { verdictOf } from "../../cli/replay/verdict.ts";
import type { Gap } from "../../cli/status/gap-schema.ts";
import { codeOf } from "../../cli/status/status-command.ts";
import { statusLines } from "../../cli/status/status-lines.ts";
import { statusPage } from "../../cli/status/status-page.ts";
import type { ClusterStatus, MarkedNode } from "../../cli/status/status-schema.ts";
import type { Line } from "../../cli/terminal/lines.ts";
import { drainsOf } from "../../journal/drains.ts";
import type { Entry } from "../../journal/entry.ts";
import { type Happening, ofKind, tryWhyLeft } from "../../journal/happening.ts";
import type { Outcome } from "../../journal/outcome.ts";
import { rowOf, wordsOfOutcome } from "../../journal/outcome-table.ts";
import { pictureOf } from "../../journal/picture.ts";
import { progressLines } from "../../journal/progress-line.ts";
import { eventTable } from "../../journal/report-tables.ts";
import { podUid } from "../../lambda/base/ids.ts";
import { seconds } from "../../lambda/base/time.ts";
import { eventsOf } from "../../lambda/report/event-table.ts";
import type { PassFacts } from "../../lambda/report/pass-facts.ts";
import { aResult, at, drain, instance, node, seen, start, told } from "../cli/replay/a-story.ts";
import { aForecastInput, aResident, forecastOf } from "../forecast/a-forecast-input.ts";
import { anExhaustedBudget, aPod } from "../support/builders.ts";
import { sampleEntries } from "./sample-entries.ts";
import { sampleOutcomes } from "./sample-outcomes.ts";

/** What people are told in words, and the names of volumes and load balancers: nobody may decide by what these say. */
const sentences = [
  "about",
  "advice",
  "attached",
  "error",
  "message",
  "notice",
  "past",
  "reasons",
  "remedy",
  "found",
  "source",
  "text",
  "volumes",
  "warnings",
  "why",
  "words",
];
/** Lines for people. */
const lines = ["evicted", "forced", "held", "targets"];
/** Fields whose text is a word of the product, and no sentence, by the kind of what they stand in. */
const codes: Readonly<Record<string, readonly string[]>> = {
  "mark-tightened": ["reason"],
  "node-marked": ["reason"],
  ignored: ["why"],
  // What is left is told by what it is; a status has its parts without a kind.
  "": ["about"],
};

/** The same with other words in the place of every sentence; what was the same before still is. */
function reworded<T>(value: T, words: string): T {
  const known = new Map<string, string>();
  const other = (text: string) =>
    known.get(text) ?? known.set(text, `${words}${known.size}`).get(text);
  const texts = (one: string, key: string) =>
    sentences.includes(key) || lines.includes(key) ? other(one) : one;
  const field = (kind: string, [name, its]: readonly [string, unknown]) => {
    if (codes[kind]?.includes(name) === true) return [name, its];
    return [name, walk(its, name === "reason" ? "why" : name)];
  };
  const fields = (one: object) => {
    const kind = "kind" in one ? String(one.kind) : "";
    return Object.entries(one).map((entry) => field(kind, entry));
  };
  const walk = (one: unknown, key: string): unknown => {
    if (typeof one === "string") return texts(one, key);
    if (Array.isArray(one)) return one.map((item) => walk(item, key));
    return typeof one === "object" && one !== null ? Object.fromEntries(fields(one)) : one;
  };
  return walk(value, "") as T;
}

const dns = "kube-system/dns";
const refused = {
  verb: "evict",
  past: "",
  pod: dns,
  why: "blocked",
  message: "needs 3, has 2 or is not managed here",
} as const;
const stuck = [{ pod: dns, uid: podUid("dns"), why: "stuck since 09:18" }];
const noise: readonly Happening[] = [
  told(2, { kind: "pod-refused", ...refused }),
  told(3, {
    kind: "pod-deleted",
    pod: dns,
    node,
    graceSeconds: 1,
    past: "a budget",
    uid: podUid("d"),
  }),
  told(3, { kind: "warning", about: dns, warnings: ["and 7 more pods"] }),
  told(4, {
    kind: "pass-ended",
    left: [{ about: dns, why: "ending, its grace lasts 3 s" }],
    wait: seconds(5),
  }),
  seen(5, { kind: "output", text: "Task timed out", code: "" }),
  told(6, { kind: "pods-stuck", node, pods: stuck }),
];
const unended = drain.filter((one) => !(one.kind === "pod-gone" && one.pod === dns));
const story = (outcome: Outcome): readonly Happening[] =>
  [
    ...unended.slice(0, -1),
    ...noise,
    told(10, { kind: "notice-done", notice: `terminating ${instance}`, outcome }),
  ].map((one) => (one.source === "function" ? { ...one, instance } : one));

/** All that programs get, and all that is chosen by: codes, states, kinds, times, and which advice is given. */
function decisions(happenings: readonly Happening[], outcome: Outcome) {
  const [from, to] = [start, at(10)];
  const row = rowOf(outcome);
  const words = wordsOfOutcome(outcome);
  const advice = row.exit === "done" ? "" : row.advice(outcome, happenings);
  const ending = { kind: "outcome", outcome } as const;
  const { end } = endOf({ node, from, to, happenings, ending, taints: [], remedies: {} });
  return {
    pictures: drainsOf(happenings).map((one) => {
      const { state, rows } = pictureOf(one);
      const shapes = rows.map(({ kind, label, state: its, spans, marks }) => ({
        kind,
        label,
        state: its,
        marks: marks.map((mark) => mark.kind),
        spans: spans.map((span) => [span.kind, span.from, span.to]),
      }));
      return { state, shapes };
    }),
    replay: verdictOf(aResult({ happenings, outcomes: [outcome] })).exitCode,
    drain: [end.exitCode, end.ending, end.left.length, end.forced.length],
    told: [/--adopt/, /volumes still attached/, /load balancers not done/].map((which) =>
      which.test(`${words} ${advice}`),
    ),
    isExplained: ofKind(happenings, "pass-ended").some(
      ({ left }) => tryWhyLeft(dns, left) !== undefined,
    ),
    counts: words.match(/^dry run.*left alone/)?.[0],
  };
}

const outcomes: readonly Outcome[] = [
  ...Object.values(sampleOutcomes),
  {
    kind: "drained",
    attached: ["pv 1"],
    targets: [{ about: "web", why: "draining" }],
    stuck: [{ about: dns, why: "stuck since 09:18" }],
  },
  { kind: "ignored", why: "not held", reason: "instance i-1 is in no Auto Scaling group" },
  {
    ...sampleOutcomes["dry-run"],
    evicted: ["demo/a", "and 7 more pods"],
    counts: { evicted: 8, held: 1, left: 0 },
  },
];

/** Sentences that would mislead whoever reads them. */
const anyWords = fc.oneof(
  fc.string(),
  fc.constantFrom("and 7 more pods", " ", ": ", "drained", "x: y", "Auto Scaling", "nodes"),
);

/** What is decided by a value, whatever its sentences say. */
function decidedAlike<T>(value: T, decided: (value: T) => unknown): void {
  const before = decided(value);
  const same = fc.property(anyWords, (words) => {
    expect(decided(reworded(value, words))).toEqual(before);
  });
  fc.assert(same, { numRuns: 20 });
}

const pass: PassFacts = {
  instance,
  receives: 1,
  node,
  reason: "terminating",
  mark: "set now",
  deadline: "",
};
const entryDecisions = (entry: Entry) => ({
  lines: progressLines({ ...entry, at: start, source: "function" }).map(({ tone }) => tone),
  events: eventsOf(eventTable, entry, pass).map(({ reason, type, regarding }) => [
    reason,
    type,
    regarding,
  ]),
});

const noPod = {
  class: "evictable",
  overdue: false,
  budgets: [],
  finalizers: [],
  deletedInSeconds: 9,
} as const;
const marked: MarkedNode = {
  node,
  readiness: "ready",
  cause: "terminating",
  markedAt: "2026-03-23T10:00:00Z",
  instanceState: "Terminating",
  lateSince: "",
  deadline: "2026-03-23T10:15:00Z",
  secondsLeft: 9,
  plannedWork: [],
  pods: [{ ...noPod, pod: dns, uid: "1", reason: "held; its deadline 10:00" }],
  volumes: [],
};
const statusWith = (hides: Gap["hides"]): ClusterStatus => ({
  kind: "status",
  cluster: "demo",
  at: "2026-03-23T10:04:18Z",
  broken: [],
  held: [],
  marked: [marked],
  queue: null,
  clockAheadSeconds: 0,
  repairs: [],
  room: [],
  upgrades: [],
  settings: [],
  faults: [{ at: "2026-03-23T10:04:18Z", code: "aws.denied", message: "no", count: 1 }],
  gaps: [{ source: "the log", hides, why: "no", remedy: "yes" }],
});
const statusDecisions = (status: ClusterStatus) => ({
  exit: codeOf(status),
  lines: statusLines(status).map(({ tone, depth }) => [tone, depth]),
  page: statusPage(status).drains.map(({ state, rows }) => [state, rows.map((row) => row.state)]),
});

const shapeOf = (lines: readonly Line[]) => lines.map(({ tone, depth }) => [tone, depth]);
const findings: readonly LinkFinding[] = [
  { link: "queue", state: "ok", found: "fine", remedy: "" },
  { link: "hooks", state: "broken", found: "no hook", remedy: "put it" },
  { link: "fences", state: "absent", found: "there is no stack", remedy: "put it" },
  { link: "rbac", state: "unknown", found: "what was read cannot be judged", remedy: "" },
];
const examined = { cluster: "demo", region: "eu-west-1", which: "each" } as const;
const ill: RepairCase = {
  instance,
  node,
  group: "workers",
  zone: "a",
  condition: "Ready",
  reason: "no",
  message: "",
  since: "2026-03-23T10:00:00Z",
  due: "2026-03-23T10:30:00Z",
  action: "reboot",
  verdict: "held",
  words: "held: a maintenance window is closed",
  brakes: ["window"],
};

describe("whatever the sentences say", () => {
  it("is the same to a doctor, a plan and repairs", () => {
    decidedAlike(findings, (its) => {
      const { exitCode, links, ...report } = reportOf(examined, its);
      const states = links.map(({ link, state }) => [link, state]);
      return [exitCode, states, shapeOf(reportLines({ ...report, exitCode, links }))];
    });
    decidedAlike([ill], (cases) => shapeOf(repairLines(cases)));
    const pods = [aPod({ name: "a" }), aPod({ name: "b", mirror: true })];
    const budgets = [anExhaustedBudget()];
    const forecast = forecastOf(
      aForecastInput(
        pods.map((pod) => aResident(pod)),
        { budgets, rooms: [] },
      ),
    );
    decidedAlike(forecast, (its) => shapeOf(nodePage(its)));
  });

  it.each(outcomes)("is decided alike: $kind", (outcome) => {
    decidedAlike({ happenings: story(outcome), outcome }, ({ happenings, outcome: other }) =>
      decisions(happenings, other),
    );
  });

  it.each(Object.values(sampleEntries))("is told alike: $kind", (entry) => {
    decidedAlike<Entry>(entry, entryDecisions);
  });

  it.each(["instances", "nodes", "name", "details"] as const)(
    "is the same to a status that hides %s",
    (hides) => {
      decidedAlike(statusWith(hides), statusDecisions);
      expect(codeOf(statusWith(hides))).toBe(hides === "details" ? 0 : 1);
    },
  );
});
