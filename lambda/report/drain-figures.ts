import { heartbeatAgeMetric } from "../base/contract.ts";
import {
  between,
  type Duration,
  earliest,
  type Instant,
  later,
  latest,
  tryInstantOf,
  wholeSeconds,
} from "../base/time.ts";
import type { DrainEntry } from "../drain/drain-entry.ts";
import { ofKinds } from "../notice/entry.ts";
import type { AnyOutcome } from "../notice/outcome.ts";
import {
  countIfAny,
  type FigureRow,
  type HeardPass,
  ofKind,
  one,
  outcomesOf,
  plain,
  type Values,
} from "./figure-row.ts";
import { type HeardEntry, isOutcome, type ReportedOutcome } from "./reported-entry.ts";

/** The metric that also tells of instances of others. */
export const faultsFigure = "Faults";

const drains = ["drained", "forced", "expired", "kept"] as const;

/** The total time of the work on a notice, if it ended with one of these outcomes. */
const timeTo =
  (...kinds: readonly ReportedOutcome["kind"][]) =>
  (pass: HeardPass): Values => {
    const ended = outcomesOf(pass).filter(isOutcome(...kinds));
    return plain(ended.map(() => wholeSeconds(between(pass.begun, pass.to))));
  };

/**
 * The longest time that the hook goes without a heartbeat: before the first pass, in this one, and in the wait after it. The
 * hook's timeout begins with its notice.
 */
function heartbeatAge(pass: HeardPass): Values {
  const sent = ofKind(pass, "heartbeat").map(({ at }) => at);
  if (sent.length === 0) return [];
  const beats = pass.receives === 1 ? [pass.begun, ...sent] : sent;
  const rest = ofKind(pass, "pass-ended").map(({ at, wait }) => later(at, wait));
  const ends = [...beats.slice(1), latest(pass.to, ...rest)];
  const gaps = beats.map((beat, index): Duration => between(beat, ends[index] ?? beat));
  return plain([wholeSeconds(gaps.toSorted((a, b) => b - a)[0] ?? between(pass.to, pass.to))]);
}

/** The time left before the deadline when a drain ended. */
function timeLeft(pass: HeardPass): Values {
  const [deadline] = ofKind(pass, "pods-seen").flatMap(
    ({ deadline: text }) => tryInstantOf(text) ?? [],
  );
  const tightened = ofKind(pass, "mark-tightened").flatMap(
    ({ deadline: text }) => tryInstantOf(text) ?? [],
  );
  const isOver = outcomesOf(pass).some(isOutcome(...drains));
  if (deadline === undefined || !isOver) return [];
  return plain([wholeSeconds(between(pass.to, earliest(deadline, ...tightened)))]);
}

const stuckIn = (outcome: AnyOutcome): number =>
  isOutcome("drained", "forced")(outcome) ? outcome.stuck.length : 0;

/** The metrics of notices, of the drains and launches that they cause, and of faults. */
export const drainFigures: readonly FigureRow[] = [
  {
    ...one,
    name: "DrainSeconds",
    unit: "Seconds",
    meaning: "How long a drain took, from its notice to its outcome.",
    values: timeTo(...drains),
  },
  {
    ...one,
    name: "TimeLeftSeconds",
    unit: "Seconds",
    meaning: "How long before its deadline a drain was over; negative when it was late.",
    values: timeLeft,
  },
  {
    ...one,
    name: "LaunchSeconds",
    unit: "Seconds",
    meaning: "How long a launch was held, from its notice to its outcome.",
    values: timeTo("joined", "registered", "not-registered", "not-joined"),
  },
  {
    ...one,
    name: "PodsEvicted",
    unit: "Count",
    meaning: "Pods that were evicted or deleted.",
    values: (pass) =>
      countIfAny(ofKind(pass, "pod-evicted").length + ofKind(pass, "pod-deleted").length),
  },
  {
    ...one,
    name: "PodsForced",
    unit: "Count",
    meaning: "Pods that were deleted past a budget or a protection, or whose grace was cut.",
    values: (pass) =>
      countIfAny(
        ofKind(pass, "pod-deleted").filter(({ past }) => past !== "").length +
          ofKind(pass, "grace-cut").length,
      ),
  },
  {
    ...one,
    name: "PodsStuck",
    unit: "Count",
    meaning: "Pods that did not end in time, and that a drain left behind.",
    values: (pass) => countIfAny(outcomesOf(pass).reduce((sum, it) => sum + stuckIn(it), 0)),
  },
  {
    ...one,
    name: heartbeatAgeMetric,
    unit: "Seconds",
    meaning:
      "The longest time that a hook goes without a heartbeat: from its notice to the first heartbeat, in a pass, and in the rest after it. An instance is lost when it reaches the hook's timeout.",
    values: heartbeatAge,
  },
  {
    name: "BudgetBlockedSeconds",
    unit: "Seconds",
    dimension: "Namespace",
    series: 21,
    meaning:
      "How long budgets of a namespace have held pods, in a pass and until the next one. Of more than twenty namespaces, the others are together in `others`.",
    values: (pass) => [...blockedSeconds(pass)],
  },
  {
    name: "Outcomes",
    unit: "Count",
    dimension: "Outcome",
    series: 17,
    meaning: "Notices that are done, by their outcome; the runbook has a heading for each.",
    values: (pass) => outcomesOf(pass).map(({ kind }) => [kind, 1]),
  },
  {
    name: "Notices",
    unit: "Count",
    dimension: "Kind",
    series: 8,
    meaning:
      "Notices about instances of the managed groups, by their kind; without those that test a hook.",
    values: ({ notice: { kind }, receives }) =>
      receives === 1 && kind !== "group" ? [[kind, 1]] : [],
  },
  {
    name: "IgnoredNotices",
    unit: "Count",
    dimension: "Reason",
    series: 5,
    meaning:
      "Notices about instances of the managed groups about which nothing was done, by the reason: `not held`, `dry run`, `in warm pool`, `untrue`, `other`.",
    values: (pass) =>
      outcomesOf(pass).flatMap((found) =>
        isOutcome("ignored")(found) ? [[found.why, 1] as const] : [],
      ),
  },
  {
    name: faultsFigure,
    unit: "Count",
    dimension: "Code",
    series: 15,
    meaning: "Faults that passes have met, those that may pass included, by their code.",
    values: (pass) => {
      const codes = Map.groupBy(ofKind(pass, "fault"), ({ code }) => code);
      return Array.from(codes, ([code, faults]) => [code, faults.length]);
    },
  },
];

const isAboutBudget = ofKinds<DrainEntry>()("pods-held", "pods-freed");
const isPassEnd = ofKinds<DrainEntry>()("pass-ended");

/**
 * The held pods of a namespace: the time since the current hold, and the length of earlier ones.
 */
interface Count {
  readonly held: number;
  readonly since: Instant;
  readonly seconds: number;
}

/**
 * The time for which budgets held pods, in seconds by namespace. If they still hold pods when the
 * pass ends, the wait after it counts too.
 */
function blockedSeconds({
  entries,
  to,
}: {
  readonly entries: readonly HeardEntry[];
  readonly to: Instant;
}): ReadonlyMap<string, number> {
  const counts = new Map<string, Count>();
  for (const entry of entries) {
    if (!isAboutBudget(entry)) continue;
    const [namespace = ""] = entry.budget.split("/", 1);
    const change = entry.kind === "pods-held" ? entry.pods.length : -entry.pods.length;
    counts.set(namespace, advanced(counts.get(namespace), change, entry.at));
  }
  const rests = entries.flatMap((entry) => (isPassEnd(entry) ? [later(entry.at, entry.wait)] : []));
  const end = latest(to, ...rests);
  return new Map(
    Array.from(counts, ([namespace, count]) => [
      namespace,
      advanced(count, -count.held, end).seconds,
    ]),
  );
}

function advanced(before: Count | undefined, change: number, at: Instant): Count {
  const { held, since, seconds } = before ?? { held: 0, since: at, seconds: 0 };
  const passed = held > 0 ? between(since, at) : between(at, at);
  return { held: Math.max(0, held + change), since: at, seconds: seconds + passed / 1000 };
}
