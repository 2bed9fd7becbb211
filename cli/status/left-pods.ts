import type { PodUid } from "../../lambda/base/ids.ts";
import {
  between,
  type Instant,
  instant,
  later,
  latest,
  milliseconds,
  never,
  seconds,
  wholeSeconds,
} from "../../lambda/base/time.ts";
import { type Budget, budgetsHolding, budgetTitle } from "../../lambda/drain/budget.ts";
import { type Cause, tryCause } from "../../lambda/drain/cause.ts";
import type { DrainSettings } from "../../lambda/drain/drain-policy.ts";
import type { Eviction } from "../../lambda/drain/eviction.ts";
import { holdReason, overruled } from "../../lambda/drain/hold-reason.ts";
import { type Ledger, ledgerWithLimit, type PodAttempt } from "../../lambda/drain/ledger.ts";
import {
  lateSinceAnnotation,
  markedAtAnnotation,
  tryWrittenAt,
} from "../../lambda/drain/marking.ts";
import type { Node } from "../../lambda/drain/node.ts";
import { forcedFrom } from "../../lambda/drain/overdue.ts";
import { type Pod, podTitle } from "../../lambda/drain/pod.ts";
import { holdsNode, isStuck, podClassOf } from "../../lambda/drain/pod-class.ts";
import { rowOf } from "../../lambda/drain/reason.ts";
import type { Snapshot } from "../../lambda/drain/snapshot.ts";
import { drainReasons } from "../../lambda/drain-reasons.ts";
import { interruptedLengths } from "../../lambda/interruption/event-bounds.ts";
import { usualWarning } from "../../lambda/interruption/event-notice.ts";
import type { LeftPod } from "./left-pod-schema.ts";
import type { Refusal, Refusals } from "./under-way.ts";

/** A node with its pods. */
export interface NodeScene {
  readonly node: Node;
  readonly pods: readonly Pod[];
  readonly budgets: readonly Budget[];
  readonly orphaned: ReadonlySet<string>;
  readonly settings: DrainSettings;
  readonly now: Instant;
  /** The last refused request for each pod, by its title. */
  readonly refusals: Refusals;
}

/** The pods that a drain of the node waits for, and those that it gave up as stuck, each with the drain's reason. */
export function leftPods(scene: NodeScene): readonly LeftPod[] {
  const snapshot = snapshotOf(scene);
  return scene.pods
    .filter((pod) => holdsNode(pod, snapshot) || isStuck(pod, snapshot))
    .map((pod) => leftPod(pod, snapshot));
}

function leftPod(pod: Pod, snapshot: Snapshot): LeftPod {
  const budgets = pod.termination.kind === "active" ? budgetsHolding(pod, snapshot.budgets) : [];
  return {
    pod: podTitle(pod),
    uid: pod.uid,
    class: podClassOf(pod, snapshot),
    overdue: pod.termination.kind === "terminating" && pod.termination.until < snapshot.now,
    reason: holdReason(pod, snapshot),
    budgets: budgets.map((budget) => ({
      budget: budgetTitle(budget),
      healthy: budget.currentHealthy,
      desired: budget.desiredHealthy,
      allowed: budget.disruptionsAllowed,
    })),
    finalizers: pod.finalizers,
    deletedInSeconds: deletedIn(pod, snapshot),
  };
}

/** In how many seconds the drain overrides what holds the pod; `null` if it never does, or nothing holds the pod. */
function deletedIn(pod: Pod, snapshot: Snapshot): number | null {
  const { deadline, settings } = snapshot;
  const isForced = settings.mode === "evict" && settings.force !== "never" && deadline !== never;
  return !isForced || overruled(pod, snapshot) === ""
    ? null
    : Math.max(0, wholeSeconds(between(snapshot.now, forcedFrom(pod, snapshot))));
}

/** The node as a pass of a drain would see it now. */
function snapshotOf(scene: NodeScene): Snapshot {
  const { node, pods, budgets, orphaned, settings, now } = scene;
  const cause = tryCause(node, drainReasons);
  const marked = tryWrittenAt(node, markedAtAnnotation) ?? now;
  // Until a pass has written a deadline, the time of the drain does not run.
  const { reason, deadline } = cause ?? { reason: "terminating", deadline: never };
  return {
    node,
    pods,
    budgets,
    orphaned,
    settings,
    now,
    marked,
    mark: "set",
    othersLease: instant(0),
    budgetGrace: rowOf(reason, drainReasons).budgetGrace,
    begun: begunOf(node, { marked, reason, deadline }),
    deadline,
    triesUntil: deadline,
    listed: now,
    ledger: { ...ledgerWithLimit(settings.concurrency), attempts: attemptsOf(scene) },
    volumes: { kind: "none" },
    accounts: new Map(),
    unread: new Map(),
    room: new Map(),
    seenSinceMark: new Set(pods.map(({ uid }) => uid)),
  };
}

/** The last answers that the function's log has, as a pass remembers its own. Budgets are read, and tell more than an answer. */
const attemptsOf = ({ pods, refusals }: NodeScene): Ledger["attempts"] =>
  new Map(
    pods.flatMap((pod): readonly (readonly [PodUid, PodAttempt])[] => {
      const refusal = refusals.get(podTitle(pod));
      // An older pod had the same name.
      if (refusal === undefined || refusal.at < pod.created) return [];
      const answer = answerOf(refusal);
      if (answer === undefined) return [];
      const { at: asked, verb } = refusal;
      return [[pod.uid, { verb, asked, answer, refusals: 1, notBefore: asked, budgetVersion: "" }]];
    }),
  );

function answerOf({ why, message }: Pick<Refusal, "message" | "why">): Eviction | undefined {
  switch (why) {
    case "conflict":
    case "denied":
    case "invalid":
    case "namespace-terminating":
      return { kind: why, message };
    case "throttled":
    case "unclear":
      return { kind: why, message, retryAfter: "unsaid" };
    default:
      return undefined;
  }
}

/** When the drain of a node began, as far as its mark says. A mark may be far older than a Spot interruption. */
function begunOf(
  node: Node,
  { marked, reason, deadline }: Cause & { readonly marked: Instant },
): Instant {
  const late = tryWrittenAt(node, lateSinceAnnotation) ?? marked;
  const { toDeadline } = interruptedLengths({ warning: usualWarning }, seconds(0));
  const noticed = reason === "interrupted" ? later(deadline, milliseconds(-toDeadline)) : marked;
  return latest(marked, late, noticed);
}
