import { counted, someOf } from "../base/counted.ts";
import { spoken } from "../base/time.ts";
import type { DrainEntry } from "../drain/drain-entry.ts";
import type { PodNote } from "../drain/pod.ts";
import { holdEvents } from "./hold-events.ts";
import { type EventRow, onNode, onPod, row } from "./kube-event.ts";
import type { PassFacts } from "./pass-facts.ts";

const drains = { type: "Normal", action: "Drain", on: "node", series: "once" } as const;
const warns = { ...drains, type: "Warning" } as const;
const waits = { ...drains, series: "in each pass" } as const;
const isStopped = { ...waits, type: "Warning" } as const;
const podWarns = { type: "Warning", action: "Evict", on: "pod", series: "once" } as const;
const podStops = { ...podWarns, series: "in each pass" } as const;

const by = (deadline: string): string => (deadline === "" ? "" : ` by ${deadline}`);

const titles = (pods: readonly PodNote[]): string => someOf(pods.map(({ pod }) => pod));

type PodsSeen = Extract<DrainEntry, { readonly kind: "pods-seen" }>;

/** The note of the Event that a drain has started. */
export function startNote(
  { holding, skipped, deadline }: PodsSeen,
  { instance, reason }: PassFacts,
): string {
  const left = `${counted(holding.length, "pod has", "pods have")} to leave${by(deadline)}, ${counted(skipped.length, "stays", "stay")}`;
  return `instance ${instance} (${reason}): ${left}`;
}

const isBeginning = ({ receives, mark }: PassFacts): boolean =>
  receives === 1 || mark === "set now";

const begins = {
  ...drains,
  reason: "DrainStarted",
  meaning:
    "The drain begins: why, until when, and how many pods have to leave. There is one for each reason, such as a Spot interruption and the hook.",
} as const;

export const drainEvents: readonly EventRow[] = [
  row("pods-seen", begins, (seen, story) =>
    isBeginning(story) ? onNode(seen.node, startNote(seen, story), story.reason) : [],
  ),
  row("pass-ended", begins, ({ onlyMarked, wait }, { node, instance, reason, deadline }) => {
    const note = `instance ${instance} (${reason}): its pods are asked to leave in ${spoken(wait)}, and have to${by(deadline)}`;
    return onlyMarked ? onNode(node, note, reason) : [];
  }),
  row(
    "mark-tightened",
    {
      ...warns,
      reason: "DrainHurried",
      meaning: "A further notice leaves the drain less time than it had.",
    },
    ({ node, reason, deadline, markOf }) =>
      markOf !== "drain"
        ? []
        : onNode(node, `${reason}: to be drained${by(deadline)}`, `${reason} ${deadline}`),
  ),
  row(
    "drain-late",
    {
      ...warns,
      reason: "DrainLate",
      meaning: "A pass began too late for the drain's deadline; it evicts all the same.",
    },
    ({ node, deadline }) => onNode(node, `late: pods are evicted all the same${by(deadline)}`),
  ),
  ...holdEvents,
  row(
    "pods-protected",
    {
      ...isStopped,
      reason: "WaitingForProtectedPods",
      meaning: "Pods hold the node that an annotation or a setting protects.",
    },
    ({ node, pods }) =>
      onNode(node, `${counted(pods.length, "pod is", "pods are")} protected: ${titles(pods)}`),
  ),
  row(
    "pods-protected",
    { ...podStops, reason: "PodProtected", meaning: "The same, at each of these pods: by what." },
    ({ node, pods }, { deadline }) =>
      pods.map(({ pod, uid, why }) =>
        onPod(pod, uid, `${why}, so it holds node ${node}, which has to be drained${by(deadline)}`),
      ),
  ),
  row(
    "pods-stuck",
    {
      ...isStopped,
      reason: "PodsStuck",
      meaning: "Pods should long have ended; the drain no longer waits for them.",
    },
    ({ node, pods }) =>
      onNode(node, `${counted(pods.length, "pod does", "pods do")} not end: ${titles(pods)}`),
  ),
  row(
    "pods-stuck",
    { ...podStops, reason: "PodStuck", meaning: "The same, at each of these pods: since when." },
    ({ pods }) => pods.map(({ pod, uid, why }) => onPod(pod, uid, why)),
  ),
  row(
    "pod-deleted",
    {
      ...podWarns,
      reason: "PodForced",
      meaning: "The deadline was near, so the pod was deleted past a budget or a protection.",
    },
    ({ pod, uid, node, past, graceSeconds }) =>
      past === ""
        ? []
        : [onPod(pod, uid, `deleted past ${past}, with ${graceSeconds} s, to drain node ${node}`)],
  ),
  row(
    "grace-cut",
    {
      ...podWarns,
      reason: "GraceCut",
      meaning: "The node has less time than the pod asks for to end.",
    },
    ({ pod, uid, graceSeconds, ownSeconds }) => [
      onPod(pod, uid, `it gets ${graceSeconds} s of its ${ownSeconds} s to end`),
    ],
  ),
  row(
    "volumes-awaited",
    {
      ...waits,
      reason: "WaitingForVolumes",
      meaning: "The pods have left, and their volumes are still attached.",
    },
    ({ node, volumes }) => onNode(node, `still attached: ${someOf(volumes)}`),
  ),
  row(
    "targets-awaited",
    {
      ...waits,
      reason: "WaitingForLoadBalancers",
      meaning: "Load balancers have not deregistered the instance yet.",
    },
    ({ node, targets }) => onNode(node, someOf(targets)),
  ),
  row(
    "targets-deregistered",
    {
      ...drains,
      reason: "TargetsDeregistered",
      meaning: "Nobody else took the instance out of these load balancers, so the drain has.",
    },
    ({ node, targets }) => onNode(node, someOf(targets)),
  ),
  row(
    "fault",
    {
      ...isStopped,
      reason: "DrainFault",
      meaning:
        "A pass met a fault; the log has its message, and the runbook a heading for its code.",
    },
    ({ code }, { node }) =>
      node === "" ? [] : onNode(node, `${code}: docs/runbook.md says what to do`, code),
  ),
];
