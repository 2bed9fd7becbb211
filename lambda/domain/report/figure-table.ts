import type { Dated, Entry, Figure } from "../entry.ts";
import type { Outcome } from "../notice/outcome.ts";
import { brakeKinds } from "../repair/repair-brakes.ts";
import {
  between,
  type Duration,
  earliest,
  type Instant,
  later,
  latest,
  tryInstantOf,
  wholeSeconds,
} from "../time.ts";
import type { UpgradeEnd } from "../upgrade/upgrade-entry.ts";
import { blockedSeconds } from "./blocked-seconds.ts";
import { ignoredBecause } from "./ignored-because.ts";
import type { Task } from "./story.ts";

/** A pass that is over, and the entries that the journal got about it, in their order. */
export interface HeardPass {
  readonly notice: Task;
  readonly receives: number;
  readonly entries: readonly Dated[];
  /** From when on the time of its work counts. */
  readonly begun: Instant;
  /** When it was over. */
  readonly to: Instant;
}

/** A row of the table of metrics. */
export interface FigureRow extends Pick<Figure, "name" | "unit" | "dimension"> {
  /** What it means, for the list in the documents. */
  readonly meaning: string;
  /** How many time series it makes at most. */
  readonly series: number;
  /** The values of its dimension, and the data points; no points where there is nothing to say. */
  values(pass: HeardPass): readonly (readonly [of: string, value: number])[];
}

type DatedOf<K extends Entry["kind"]> = Extract<Dated, { readonly kind: K }>;

const ofKind = <K extends Entry["kind"]>({ entries }: HeardPass, kind: K): readonly DatedOf<K>[] =>
  entries.filter((entry): entry is DatedOf<K> => entry.kind === kind);

const outcomesOf = (pass: HeardPass): readonly Outcome[] =>
  ofKind(pass, "notice-done").map(({ outcome }) => outcome);

type Values = ReturnType<FigureRow["values"]>;

const plain = (values: readonly number[]): Values => values.map((value) => ["", value]);

const counted = (count: number): Values => (count === 0 ? [] : plain([count]));

/** The whole time of the work on a notice, if it came to one of these outcomes. */
const timeTo =
  (...kinds: readonly Outcome["kind"][]) =>
  (pass: HeardPass): Values => {
    const ended = outcomesOf(pass).filter(({ kind }) => kinds.includes(kind));
    return plain(ended.map(() => wholeSeconds(between(pass.begun, pass.to))));
  };

const stuckIn = (outcome: Outcome): number => ("stuck" in outcome ? outcome.stuck.length : 0);

/** How long the hook goes without a heartbeat at most, in this pass and in the rest that follows it. */
function heartbeatAge(pass: HeardPass): Values {
  const beats = ofKind(pass, "heartbeat").map(({ at }) => at);
  if (beats.length === 0) return [];
  const rest = ofKind(pass, "pass-ended").map(({ at, wait }) => later(at, wait));
  const ends = [...beats.slice(1), latest(pass.to, ...rest)];
  const gaps = beats.map((beat, index): Duration => between(beat, ends[index] ?? beat));
  return plain([wholeSeconds(gaps.toSorted((a, b) => b - a)[0] ?? between(pass.to, pass.to))]);
}

function timeLeft(pass: HeardPass): Values {
  const [deadline] = ofKind(pass, "pods-seen").flatMap(({ deadline: text }) => {
    const at = tryInstantOf(text);
    return at === undefined ? [] : [at];
  });
  const tightened = ofKind(pass, "mark-tightened").flatMap(
    ({ deadline: text }) => tryInstantOf(text) ?? [],
  );
  const isOver = outcomesOf(pass).some(({ kind }) => drains.includes(kind));
  if (deadline === undefined || !isOver) return [];
  return plain([wholeSeconds(between(pass.to, earliest(deadline, ...tightened)))]);
}

function endOf(end: UpgradeEnd): Values {
  if (end.kind === "ended") return [[end.outcome, 1]];
  return end.kind === "refused" ? [[end.kind, 1]] : [];
}

const nodesIn = (pass: HeardPass, deed: "blocked" | "replaced"): number =>
  ofKind(pass, "upgrade-nodes").reduce(
    (sum, one) => sum + (one.deed === deed ? one.nodes.length : 0),
    0,
  );

const drains: readonly Outcome["kind"][] = ["drained", "forced", "expired", "kept"];
const one = { dimension: "", series: 1 } as const;

/** The table of all metrics; `npm run generate` writes docs/metrics.md from it. */
export const figureTable: readonly FigureRow[] = [
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
    values: timeTo("joined", "registered", "not-joined"),
  },
  {
    ...one,
    name: "PodsEvicted",
    unit: "Count",
    meaning: "Pods that were evicted or deleted.",
    values: (pass) =>
      counted(ofKind(pass, "pod-evicted").length + ofKind(pass, "pod-deleted").length),
  },
  {
    ...one,
    name: "PodsForced",
    unit: "Count",
    meaning: "Pods that were deleted past a budget or a protection, or whose grace was cut.",
    values: (pass) =>
      counted(
        ofKind(pass, "pod-deleted").filter(({ past }) => past !== "").length +
          ofKind(pass, "grace-cut").length,
      ),
  },
  {
    ...one,
    name: "PodsStuck",
    unit: "Count",
    meaning: "Pods that did not end in time, and that a drain left behind.",
    values: (pass) => counted(outcomesOf(pass).reduce((sum, it) => sum + stuckIn(it), 0)),
  },
  {
    ...one,
    name: "HeartbeatAgeSeconds",
    unit: "Seconds",
    meaning:
      "The longest time that a hook goes without a heartbeat, in a pass and until the next one. An instance is lost when it reaches the hook's timeout.",
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
    meaning: "Notices that came in, by their kind; without those that test a hook.",
    values: ({ notice: { kind }, receives }) =>
      receives === 1 && kind !== "upgraded" && kind !== "repair" ? [[kind, 1]] : [],
  },
  {
    name: "IgnoredNotices",
    unit: "Count",
    dimension: "Reason",
    series: 7,
    meaning: "Notices about which nothing was done, by the reason.",
    values: (pass) =>
      outcomesOf(pass).flatMap((found) =>
        found.kind === "ignored" ? [[ignoredBecause(pass.notice, found.reason), 1] as const] : [],
      ),
  },
  {
    name: "Faults",
    unit: "Count",
    dimension: "Code",
    series: 15,
    meaning: "Faults that passes have met, those that may pass included, by their code.",
    values: (pass) => {
      const codes = Map.groupBy(ofKind(pass, "fault"), ({ code }) => code);
      return Array.from(codes, ([code, faults]) => [code, faults.length]);
    },
  },
  {
    name: "Upgrades",
    unit: "Count",
    dimension: "End",
    series: 5,
    meaning: "Upgrades that have ended or were refused, by how.",
    values: (pass) => ofKind(pass, "upgrade-answered").flatMap(({ end }) => endOf(end)),
  },
  {
    ...one,
    name: "UpgradeNodesReplaced",
    unit: "Count",
    meaning: "Old nodes whose instances an upgrade has terminated.",
    values: (pass) => counted(nodesIn(pass, "replaced")),
  },
  {
    ...one,
    name: "UpgradeNodesBlocked",
    unit: "Count",
    meaning: "Turns of old nodes whose pods did not leave in time; a node has two turns.",
    values: (pass) => counted(nodesIn(pass, "blocked")),
  },
  {
    name: "UpgradeSeconds",
    unit: "Seconds",
    dimension: "Phase",
    series: 5,
    meaning: "How long a phase of an upgrade took, pauses included.",
    values: (pass) =>
      ofKind(pass, "upgrade-phase-over").map(({ phase, took }) => [phase, wholeSeconds(took)]),
  },
  {
    ...one,
    name: "IllInstances",
    unit: "Count",
    meaning:
      "Instances of the managed groups whose node is ill, or that have none, where repairs are on.",
    values: (pass) => plain(ofKind(pass, "repair-pass").map(({ ill }) => ill)),
  },
  {
    name: "RepairsStarted",
    unit: "Count",
    dimension: "Action",
    series: 2,
    meaning: "Repairs that have begun, by what they do: `replace` or `reboot`.",
    values: (pass) => ofKind(pass, "repair-begun").map(({ action }) => [action, 1]),
  },
  {
    name: "RepairsHeld",
    unit: "Count",
    dimension: "Brake",
    series: brakeKinds.length,
    meaning:
      "Instances that a brake keeps from being repaired, by the brake; docs/repair.md lists them.",
    values: (pass) =>
      ofKind(pass, "repair-held").map(({ brake, instances }) => [brake, instances.length]),
  },
];

/** The data points of a pass. */
export const figuresOf = (pass: HeardPass): readonly Figure[] =>
  figureTable.flatMap(({ name, unit, dimension, values }) =>
    values(pass).map(([of, value]) => ({ name, unit, dimension, of, value })),
  );
