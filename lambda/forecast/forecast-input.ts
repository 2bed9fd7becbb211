import type { PodUid } from "../base/ids.ts";
import {
  type Duration,
  type Instant,
  instant,
  later,
  longest,
  milliseconds,
  never,
  seconds,
} from "../base/time.ts";
import type { Budget } from "../drain/budget.ts";
import { boundsFrom, type DrainLengths } from "../drain/drain-bounds.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";
import { ledgerWithLimit } from "../drain/ledger.ts";
import type { Node } from "../drain/node.ts";
import type { Placement } from "../drain/placement.ts";
import { holdsNode } from "../drain/pod-class.ts";
import { everyGrace } from "../drain/reason.ts";
import type { Snapshot } from "../drain/snapshot.ts";
import type { Target } from "../drain/target.ts";
import { departure, endsFor } from "./answered.ts";
import type { ForecastPod, SurgeRound } from "./forecast-pod.ts";
import { tryHold } from "./hold.ts";
import type { Pace } from "./pace.ts";
import {
  type EvictionRefusal,
  ends,
  leaves,
  type SimulatedEvent,
  type Simulation,
  targetsBecome,
} from "./simulation.ts";

/** A node whose instance might end now, with all that decides how its drain would go. */
export interface ForecastInput {
  readonly now: Instant;
  readonly node: Node;
  readonly forecastPods: readonly ForecastPod[];
  /** The budgets of the pods' namespaces. */
  readonly budgets: readonly Budget[];
  /** The keys of DaemonSets that own pods of the node but no longer exist. */
  readonly orphaned: ReadonlySet<string>;
  readonly placements: ReadonlyMap<PodUid, Placement>;
  readonly targets: readonly Target[];
  /** The API server's answers that refuse the eviction of a pod for good; empty if it was not asked. */
  readonly refusals: ReadonlyMap<PodUid, EvictionRefusal>;
  readonly settings: DrainSettings;
  readonly lengths: DrainLengths;
  /** The longest possible drain of its instance, whatever the settings. */
  readonly longestDrain: Duration;
  /** The length of one pass. */
  readonly pass: Duration;
}

/** The drain as it begins: the node has just been marked. */
export function beginning(
  input: ForecastInput,
  pace: Pace,
  force: DrainSettings["force"],
): Simulation {
  const { now, pass, lengths, forecastPods, placements, targets, refusals } = input;
  const { heldUntil, longestRest } = boundsFrom(now, lengths);
  const snapshot = firstSnapshot(input, pace, force);
  const known = new Map(forecastPods.map((forecastPod) => [forecastPod.pod.uid, forecastPod]));
  const setting = { forecastPods: known, placements, refusals, pace, heldUntil, pass, longestRest };
  const start: Simulation = {
    setting,
    snapshot,
    targets,
    passEnds: later(now, pass),
    coming: [],
    spent: [{ on: "the mark", budget: "", time: pace.mark }],
    asked: new Map(),
    holds: new Map(),
  };
  return { ...start, coming: [...unasked(start), ...deregistration(start)] };
}

function firstSnapshot(
  { now, node, forecastPods, budgets, orphaned, lengths, ...rest }: ForecastInput,
  pace: Pace,
  force: DrainSettings["force"],
): Snapshot {
  const { mode } = rest.settings;
  const { deadline } = boundsFrom(now, lengths);
  // A forecast of a dry run shows what a drain would do.
  const settings = { ...rest.settings, force, mode: mode === "dry-run" ? "evict" : mode };
  const marked = later(now, pace.mark);
  const pods = forecastPods.map(({ pod }) => pod);
  const evictable = forecastPods.some(({ attached }) => attached.length > 0);
  return {
    now: marked,
    marked,
    listed: marked,
    begun: now,
    node,
    orphaned,
    settings,
    pods,
    budgets,
    mark: "set",
    othersLease: instant(0),
    budgetGrace: everyGrace,
    deadline,
    triesUntil: deadline,
    ledger: ledgerWithLimit(settings.concurrency),
    accounts: new Map(),
    unread: new Map(),
    room: new Map(),
    volumes: { kind: evictable ? "unread" : "none" },
    seenSinceMark: new Set(pods.map(({ uid }) => uid)),
  };
}

/** The pods that leave without a request: those that are ending, that are let go, and perhaps those that leave by themselves. */
const unasked = (start: Simulation): readonly SimulatedEvent[] =>
  [...start.setting.forecastPods.values()]
    .filter(({ pod }) => holdsNode(pod, start.snapshot))
    .flatMap((forecastPod) => leavesAlone(forecastPod, start));

function leavesAlone(forecastPod: ForecastPod, start: Simulation): readonly SimulatedEvent[] {
  const { pod, room } = forecastPod;
  const { snapshot, setting } = start;
  if (pod.termination.kind === "terminating") return departure(pod, pod.termination.until, start);
  if (room !== "none") return letGo(forecastPod, room, start);
  const isMoving = ["own-end", "operator"].includes(tryHold(forecastPod, snapshot)?.kind ?? "");
  return isMoving && setting.pace.ownEnd === "at once"
    ? [{ at: snapshot.now, to: leaves(pod) }]
    : [];
}

// Room is made for a budget that has allowed nothing for so long.
const beforeSurge = seconds(3);

/** A pod goes as soon as the one that is made for it is ready, after those of the rounds before. */
function letGo(
  { pod, readyAfter }: ForecastPod,
  { round }: SurgeRound,
  { snapshot, setting: { pace } }: Simulation,
): readonly SimulatedEvent[] {
  const ready = readyAfter === "unknown" ? pace.ready : readyAfter;
  const begins = later(snapshot.marked, milliseconds((round + 1) * (beforeSurge + ready)));
  const at = endsFor(pod, snapshot) ? later(begins, pace.ending(pod.grace)) : never;
  return [
    { at: begins, to: ends(new Map([[pod.uid, later(begins, pod.grace)]])) },
    { at, to: leaves(pod) },
  ];
}

/** The mark takes the instance out of its load balancers. */
function deregistration({
  snapshot,
  setting: { pace },
  targets,
}: Simulation): readonly SimulatedEvent[] {
  const [first, ...others] = targets.map(({ delay }) => delay);
  if (first === undefined) return [];
  const draining = later(snapshot.marked, pace.targets);
  const out = later(draining, pace.ending(longest(first, ...others)));
  return [
    { at: draining, to: targetsBecome("draining") },
    { at: out, to: targetsBecome("out") },
  ];
}
