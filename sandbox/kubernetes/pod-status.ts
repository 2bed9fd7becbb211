import type { Instant } from "../../lambda/base/time.ts";
import { type StatusCondition, withCondition } from "./kube-object.ts";
import { wireTime } from "./kube-time.ts";
import type { ContainerStatus, Pod, PodStatus } from "./pod.ts";

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
export function endedStatus(pod: Pod, now: Instant): PodStatus {
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
