import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endOf } from "../../cli/drain/drain-verdict.ts";
import { verdictOf } from "../../cli/replay/verdict.ts";
import { drainsOf } from "../../journal/drains.ts";
import type { Happening } from "../../journal/happening.ts";
import { rowOf, wordsOfOutcome } from "../../journal/outcome-table.ts";
import { pictureOf } from "../../journal/picture.ts";
import { podUid } from "../../lambda/base/ids.ts";
import { seconds } from "../../lambda/base/time.ts";
import type { Outcome } from "../../lambda/notice/outcome.ts";
import { aResult, at, drain, instance, node, seen, start, told } from "../cli/replay/a-story.ts";
import { sampleOutcomes } from "./sample-outcomes.ts";

/** What people are told in words, and the names of volumes and load balancers: nobody may decide by what these say. */
const sentences = ["about", "attached", "error", "message", "past", "text", "warnings", "why"];
/** Lines for people. */
const lines = ["evicted", "forced", "held", "targets"];
/** Kinds whose reason is a word of the product, and no sentence, as the `why` of `ignored` is. */
const causes = ["mark-tightened", "node-marked"];

/** The same with other words in the place of every sentence; what was the same before still is. */
function reworded<T>(value: T, words: string): T {
  const known = new Map<string, string>();
  const other = (text: string) =>
    known.get(text) ?? known.set(text, `${words}${known.size}`).get(text);
  const texts = (one: string, key: string) =>
    sentences.includes(key) || lines.includes(key) ? other(one) : one;
  const field = (kind: string, [name, its]: readonly [string, unknown]) => {
    const isName = (kind === "ignored" && name === "why") || (kind === "" && name === "about");
    if (isName) return [name, its];
    return [name, walk(its, name === "reason" && !causes.includes(kind) ? "why" : name)];
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
const refused = { pod: dns, why: "blocked", message: "needs 3, has 2 or is not managed here" };
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
  seen(5, { kind: "output", text: "Task timed out" }),
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
  const end = endOf({ node, from, to, happenings, ending: { kind: "outcome", outcome } });
  return {
    pictures: drainsOf(happenings).map((one) => {
      const { state, rows } = pictureOf(one);
      const shapes = rows.map(({ kind, label, state: its, spans, marks }) => ({
        ...{ kind, label, state: its, marks: marks.map((mark) => mark.kind) },
        spans: spans.map((span) => [span.kind, span.from, span.to]),
      }));
      return { state, shapes };
    }),
    replay: verdictOf(aResult({ happenings, outcomes: [outcome] })).exitCode,
    drain: [end.exitCode, end.ending, end.left.length, end.forced.length],
    told: [/--adopt/, /volumes still attached/, /load balancers not done/].map((which) =>
      which.test(`${words} ${advice}`),
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

describe("whatever the sentences say", () => {
  it.each(outcomes)("is decided alike: $kind", (outcome) => {
    const before = decisions(story(outcome), outcome);
    const same = fc.property(
      fc.oneof(fc.string(), fc.constantFrom("and 7 more pods", " ", ": ", "drained", "x: y")),
      (words) => {
        const other = reworded({ happenings: story(outcome), outcome }, words);
        expect(decisions(other.happenings, other.outcome)).toEqual(before);
      },
    );
    fc.assert(same, { numRuns: 20 });
  });
});
