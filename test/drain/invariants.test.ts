import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { between, type Instant, later, seconds } from "../../lambda/base/time.ts";
import { budgetsOver } from "../../lambda/drain/budget.ts";
import { disruptionsLeft } from "../../lambda/drain/budget-allowance.ts";
import { tryGoverning } from "../../lambda/drain/eviction-plan.ts";
import { holdReason } from "../../lambda/drain/hold-reason.ts";
import { isTrusted, underWay } from "../../lambda/drain/ledger.ts";
import { noteRequest } from "../../lambda/drain/ledger-notes.ts";
import { nextStep } from "../../lambda/drain/next-step.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import { holdsNode, isCritical, podClassOf } from "../../lambda/drain/pod-class.ts";
import type { PodRequest, Snapshot, Step } from "../../lambda/drain/snapshot.ts";
import { anySnapshot } from "./any-snapshot.ts";

const asked = (step: Step): readonly PodRequest[] => (step.kind === "ask" ? step.requests : []);
const holding = (snapshot: Snapshot) => snapshot.pods.filter((pod) => holdsNode(pod, snapshot));

// An API server may take as long to answer.
const answerTime = seconds(2);

/** Whether a pod may be forced: its grace, or what is left of it, ends after the deadline. */
const timeIsUp = ({ grace, termination }: Pod, { now, deadline, settings }: Snapshot) =>
  settings.force === "at-deadline" &&
  deadline <
    (termination.kind === "terminating"
      ? termination.until - answerTime
      : now + Math.max(grace, seconds(1)));

function hasChanged(pod: Pod, { budgets, ledger }: Snapshot): boolean {
  const attempt = ledger.attempts.get(pod.uid);
  const budget = tryGoverning(pod, budgets);
  return attempt?.answer.kind === "blocked" && budget?.resourceVersion !== attempt.budgetVersion;
}

function goesWithItsNamespace({ namespace }: Pod, { now, ledger }: Snapshot): boolean {
  const since = ledger.terminatingNamespaces.get(namespace);
  return since !== undefined && between(since, now) >= seconds(30);
}

/** The promises that every request keeps. */
const ofRequests: Readonly<Record<string, (request: PodRequest, snapshot: Snapshot) => boolean>> = {
  "names a pod of the node": ({ pod }, { pods }) => pods.includes(pod),

  "names no mirror, ended, skipped, returned or stuck pod": ({ pod }, snapshot) =>
    ["evictable", "protected", "leaving", "daemonset"].includes(podClassOf(pod, snapshot)),

  "names a DaemonSet's pod only where the settings want it and nothing holds the node, and never by force":
    ({ verb, pod }, snapshot) =>
      podClassOf(pod, snapshot) !== "daemonset" ||
      (snapshot.settings.daemonSets === "evict" &&
        verb === "evict" &&
        holding(snapshot).length === 0),

  "evicts only pods that nothing protects and that were not told to end": (
    { verb, pod },
    snapshot,
  ) => verb === "delete" || ["evictable", "daemonset"].includes(podClassOf(pod, snapshot)),

  "names no protected pod whose grace still fits before the deadline": ({ pod }, snapshot) =>
    podClassOf(pod, snapshot) !== "protected" || timeIsUp(pod, snapshot),

  "names no terminating pod that ends in time": ({ pod }, snapshot) =>
    podClassOf(pod, snapshot) !== "leaving" || timeIsUp(pod, snapshot),

  "names no critical pod while an ordinary one holds the node and has time, unless its own time is up":
    ({ pod }, snapshot) =>
      snapshot.settings.tiers === "none" ||
      snapshot.now - snapshot.marked >=
        Math.floor(((snapshot.deadline - snapshot.marked) * snapshot.settings.tierPercent) / 100) ||
      timeIsUp(pod, snapshot) ||
      !isCritical(pod) ||
      holding(snapshot).every(isCritical),

  "gives no grace of 0, and none that is longer than the pod's own": ({ pod, grace }) =>
    grace === "own" || (grace >= seconds(1) && grace <= Math.max(pod.grace, seconds(1))),

  "shortens no grace that fits before the deadline, except on an unreachable node": (
    { pod, grace },
    { node, now, deadline },
  ) =>
    grace === "own" ||
    grace >= pod.grace ||
    now + pod.grace > deadline ||
    node.readiness === "unreachable",

  "names no pod whose last request has no answer yet": ({ pod }, { ledger }) =>
    ledger.attempts.get(pod.uid)?.answer.kind !== "pending",

  "names no pod before it has rested, unless its budget has changed or its time is up": (
    { pod },
    snapshot,
  ) =>
    (snapshot.ledger.attempts.get(pod.uid)?.notBefore ?? 0) <= snapshot.now ||
    hasChanged(pod, snapshot) ||
    timeIsUp(pod, snapshot),

  "deletes nothing where the settings rule out force": ({ verb }, { settings }) =>
    settings.force === "at-deadline" || verb === "evict",

  "deletes only pods whose time is up, or whose namespace is being deleted": (
    { verb, pod },
    snapshot,
  ) => verb === "evict" || timeIsUp(pod, snapshot) || goesWithItsNamespace(pod, snapshot),

  "names only pods whose time is up during a pause": ({ pod }, snapshot) =>
    snapshot.now >= snapshot.ledger.pausedUntil || timeIsUp(pod, snapshot),

  "is not made where a deployment only cordons": (_, { settings }) => settings.mode === "evict",
};

function takesTooMuch(step: Step, snapshot: Snapshot): boolean {
  const { pods, budgets, ledger } = snapshot;
  const taken = asked(step)
    // Of what was accepted, the pod is only looked at.
    .filter(({ verb, pod: { uid } }) => verb === "evict" && !isTrusted(ledger.attempts.get(uid)))
    .map(({ pod }) => tryGoverning(pod, budgets));
  return budgets.some((budget) => {
    const governed = pods.filter((pod) => budgetsOver(pod, [budget]).length > 0);
    return (
      taken.filter((one) => one === budget).length > disruptionsLeft(budget, governed, snapshot)
    );
  });
}

function asksTwice(step: Step, snapshot: Snapshot): boolean {
  const { now } = snapshot;
  const ledger = asked(step).reduce(
    (noted, request) => noteRequest(noted, { ...request, now }),
    snapshot.ledger,
  );
  const again = asked(nextStep({ ...snapshot, ledger })).map(({ pod }) => pod);
  const pods = asked(step).map(({ pod }) => pod);
  return new Set(pods).size < pods.length || again.some((pod) => pods.includes(pod));
}

const isOutcome = (step: Step, outcome: "drained" | "expired") =>
  step.kind === "finish" && step.outcome === outcome;

const endsBy = ({ termination }: Pod, deadline: Instant): boolean =>
  termination.kind === "terminating" && termination.until <= deadline + answerTime;

const mindsVolumes = ({ settings, node }: Snapshot): boolean =>
  settings.volumeTimeout > 0 && node.readiness !== "unreachable";

/** Whether volumes are still to be detached, or nobody has looked yet. */
function awaitsVolumes(snapshot: Snapshot): boolean {
  const { volumes, now } = snapshot;
  if (volumes.kind === "none" || !mindsVolumes(snapshot)) return false;
  return volumes.kind === "unread" || (volumes.attached.length > 0 && now < volumes.until);
}

/** The promises that every step keeps. */
const ofSteps: Readonly<Record<string, (step: Step, snapshot: Snapshot) => boolean>> = {
  "has no more requests under way than there is room for": (step, { ledger }) =>
    asked(step).length <= Math.max(0, ledger.limit - underWay(ledger)),

  "has at most one request under way during a pause": (step, { now, ledger }) =>
    now >= ledger.pausedUntil ||
    asked(step).length === 0 ||
    asked(step).length + underWay(ledger) === 1,

  "takes no more disruptions of a budget than it allows": (step, snapshot) =>
    !takesTooMuch(step, snapshot),

  "requests no pod twice, not even when the next step follows at once": (step, snapshot) =>
    !asksTwice(step, snapshot),

  "looks again later than now, and at the latest by the deadline, the end of the wait for volumes or, where the node is empty, when the mark has settled":
    (step, snapshot) => {
      const { now, deadline, marked, settings, volumes } = snapshot;
      if (step.kind !== "ask") return true;
      const settled = later(marked, settings.settle);
      if (holding(snapshot).length === 0 && now < settled) return step.recheck === settled;
      const latest = now < deadline ? deadline : later(deadline, seconds(4));
      const until = volumes.kind === "read" && mindsVolumes(snapshot) ? volumes.until : latest;
      return step.recheck > now && (step.recheck <= latest || step.recheck <= until);
    },

  "finds a node drained only if nothing holds it, according to a list made after the mark has settled":
    (step, snapshot) => {
      const settled = later(snapshot.marked, snapshot.settings.settle);
      return (
        !isOutcome(step, "drained") ||
        (holding(snapshot).length === 0 && snapshot.listed >= settled && snapshot.now >= settled)
      );
    },

  "does not finish while a volume is attached whose time is not up": (step, snapshot) =>
    step.kind !== "finish" || !awaitsVolumes(snapshot),

  "gives up at the deadline if pods hold the node, and never before": (step, snapshot) => {
    const { now, deadline } = snapshot;
    if (isOutcome(step, "expired")) return now >= deadline;
    if (now < deadline || holding(snapshot).length === 0 || awaitsVolumes(snapshot)) return true;
    return now < deadline + seconds(4) && holding(snapshot).every((pod) => endsBy(pod, deadline));
  },

  "has a reason for each pod that holds the node, in one line": (_, snapshot) =>
    holding(snapshot).every((pod) => /^[^\n]{8,}$/.test(holdReason(pod, snapshot))),
};

/** The promises that a step breaks. */
function broken(step: Step, snapshot: Snapshot): readonly string[] {
  const steps = Object.entries(ofSteps).filter(([, kept]) => !kept(step, snapshot));
  const requests = Object.entries(ofRequests).filter(
    ([, kept]) => !asked(step).every((request) => kept(request, snapshot)),
  );
  return [...steps, ...requests].map(([promise]) => promise);
}

describe("whatever a node looks like, the next step of its drain", () => {
  it("keeps every promise", () => {
    fc.assert(
      fc.property(anySnapshot, (snapshot) => {
        expect(broken(nextStep(snapshot), snapshot)).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
