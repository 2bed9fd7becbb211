import { type Instant, instant, later, milliseconds, seconds } from "../../lambda/base/time.ts";
import { type StatusCondition, terminating, withCondition } from "./kube-object.ts";
import { readTime, wireTime } from "./kube-time.ts";
import { type ContainerStatus, type Pod, type PodStatus, podFinished } from "./pod.ts";

type Stated = readonly [type: string, status: "True" | "False", reason?: string];

const serving: readonly Stated[] = [
  ["PodReadyToStartContainers", "True"],
  ["Initialized", "True"],
  ["Ready", "True"],
  ["ContainersReady", "True"],
];
const unready: readonly Stated[] = [
  ["PodReadyToStartContainers", "True"],
  ["Initialized", "True"],
  ["Ready", "False", "ContainersNotReady"],
  ["ContainersReady", "False", "ContainersNotReady"],
];
const completed: readonly Stated[] = [
  ["PodReadyToStartContainers", "False"],
  ["Initialized", "True", "PodCompleted"],
  ["Ready", "False", "PodCompleted"],
  ["ContainersReady", "False", "PodCompleted"],
];

const conditionsOf = (
  pod: Pod,
  now: Instant,
  news: readonly Stated[],
): readonly StatusCondition[] =>
  news.reduce<readonly StatusCondition[]>(
    (conditions, [type, status, reason]) =>
      withCondition(conditions, {
        type,
        observedGeneration: pod.metadata.generation,
        status,
        lastProbeTime: null,
        lastTransitionTime: wireTime(now),
        ...(reason === undefined ? {} : { reason }),
      }),
    pod.status.conditions ?? [],
  );

const containers = (pod: Pod, state: ContainerStatus["state"], ready: boolean) =>
  pod.spec.containers.map(({ name, image = "" }) => ({
    name,
    state,
    lastState: {},
    ready,
    restartCount: 0,
    image,
    imageID: image,
    started: state.running !== undefined,
  }));

/** The status of a pod whose containers run, ready or not. */
export function runningStatus(
  pod: Pod,
  { startedAt, ready }: { readonly startedAt: Instant; readonly ready: boolean },
  now: Instant,
): PodStatus {
  return {
    ...pod.status,
    observedGeneration: pod.metadata.generation,
    phase: "Running",
    conditions: conditionsOf(pod, now, ready ? serving : unready),
    startTime: pod.status.startTime ?? wireTime(startedAt),
    containerStatuses: containers(pod, { running: { startedAt: wireTime(startedAt) } }, ready),
  };
}

/** The status of a pod whose containers have ended; they always exit with code 0. */
function endedStatus(pod: Pod, now: Instant): PodStatus {
  const startedAt = pod.status.containerStatuses?.[0]?.state.running?.startedAt;
  const terminated = { exitCode: 0, startedAt, finishedAt: wireTime(now) };
  return {
    ...pod.status,
    observedGeneration: pod.metadata.generation,
    phase: "Succeeded",
    conditions: conditionsOf(pod, now, completed),
    containerStatuses: containers(pod, { terminated }, false),
  };
}

/** A kubelet's memory of a pod, to the millisecond. */
export interface Acquaintance {
  /** When its containers start; it may be in the past. */
  readonly startedAt: Instant;
  /** When its containers end; never, while the pod is not terminating. */
  readonly endsAt: Instant;
}

const never = instant(Number.POSITIVE_INFINITY);

const annotation = (pod: Pod, name: string): string | undefined =>
  pod.metadata.annotations?.[`hollow/${name}`];

/** The seconds in an annotation: `otherwise` without it, infinite if it is not a number. */
function secondsOf(pod: Pod, name: string, otherwise: number): number {
  const text = annotation(pod, name);
  if (text === undefined) return otherwise;
  return Number.isFinite(Number(text)) ? Number(text) : Number.POSITIVE_INFINITY;
}

/** When a pod's containers end after SIGTERM: at the latest when its grace period is over. */
export function endOf(pod: Pod, since: Instant): Instant {
  const grace = pod.metadata.deletionGracePeriodSeconds ?? 0;
  return later(since, seconds(Math.min(secondsOf(pod, "term-seconds", 1), grace)));
}

/** When a pod's containers start; an init container without an annotation never ends. */
export function startOf(pod: Pod, earliest: Instant): Instant {
  const started = pod.status.containerStatuses?.[0]?.state.running?.startedAt;
  if (started !== undefined) return readTime(started);
  return (pod.spec.initContainers ?? []).reduce(
    (at, { name }) => later(at, seconds(secondsOf(pod, `exit.${name}`, Number.POSITIVE_INFINITY))),
    earliest,
  );
}

/** When all containers have exited by themselves; never, if the kubelet restarts them. */
function completionOf(pod: Pod, startedAt: Instant): Instant {
  if (pod.spec.restartPolicy === "Always") return never;
  const ends = pod.spec.containers.map(({ name }) =>
    later(startedAt, seconds(secondsOf(pod, `exit.${name}`, Number.POSITIVE_INFINITY))),
  );
  return instant(Math.max(...ends));
}

const readyFrom = (pod: Pod, startedAt: Instant): Instant =>
  annotation(pod, "ready") === "false"
    ? never
    : later(startedAt, seconds(secondsOf(pod, "ready-after", 0)));

/** The next step of a kubelet: the status it reports, whether it deletes the pod, the next look. */
export interface Care {
  readonly status: PodStatus;
  readonly over: boolean;
  readonly lookAgain: Instant;
}

const soonest = (now: Instant, ...times: readonly Instant[]): Instant =>
  instant(Math.min(...times.filter((at) => at > now), never));

/** The time from the end of a pod's containers to the deletion of the pod. */
export const podRemoval = milliseconds(300);

function careForLeaving(pod: Pod, { endsAt }: Acquaintance, now: Instant): Care {
  const { status } = pod;
  const ended = endsAt <= now;
  const goneAt = later(endsAt, podRemoval);
  const over = status.phase === "Pending" || (ended ? goneAt <= now : podFinished(pod));
  const last = ended && status.phase === "Running" ? endedStatus(pod, now) : status;
  return { status: last, over, lookAgain: soonest(now, endsAt, goneAt) };
}

function careForStarted(pod: Pod, startedAt: Instant, now: Instant): Care {
  const completion = completionOf(pod, startedAt);
  if (completion <= now) return { status: endedStatus(pod, now), over: false, lookAgain: never };
  const readyAt = readyFrom(pod, startedAt);
  const status = runningStatus(pod, { startedAt, ready: readyAt <= now }, now);
  return { status, over: false, lookAgain: soonest(now, completion, readyAt) };
}

/** Computes the present state of a pod from its annotations and what its kubelet remembers. */
export function careFor(pod: Pod, known: Acquaintance, now: Instant): Care {
  const { status } = pod;
  if (terminating(pod)) return careForLeaving(pod, known, now);
  if (podFinished(pod)) return { status, over: false, lookAgain: never };
  const { startedAt } = known;
  if (startedAt > now) return { status, over: false, lookAgain: startedAt };
  return careForStarted(pod, startedAt, now);
}
