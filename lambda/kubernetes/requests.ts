import type { V1Container, V1PodSpec } from "@kubernetes/client-node";
import { plus, type Resources } from "../drain/resources.ts";
import type { AsSent } from "./as-sent.ts";
import { amountOf } from "./quantity.ts";

/** Amounts as Kubernetes writes them. */
export type Amounts = Readonly<Record<string, string>>;

/** Reads amounts of resources. */
export const resourcesOf = (amounts: Amounts): Resources =>
  Object.fromEntries(
    Object.entries(amounts).map(([name, quantity]) => [name, amountOf(name, quantity)]),
  );

/**
 * What the scheduler counts for a pod: its containers together with the init containers that go on running, or the init
 * container that needs most while it runs, whichever is more; and its overhead. What the pod asks for as a whole overrules that.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/pods/init-containers/#resource-sharing-within-containers
 */
export function requestsOf(spec: AsSent<V1PodSpec>): Resources {
  const { containers, initContainers = [], overhead = {}, resources } = spec;
  const running = initContainers.filter(isSidecar).concat(containers);
  const whole = resourcesOf(resources?.requests ?? {});
  const counted = { ...most([sumOf(running), ...peaks(initContainers)]), ...whole };
  return { ...plus(counted, resourcesOf(overhead)), pods: 1 };
}

type Container = AsSent<V1Container>;

const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === "Always";

const sumOf = (containers: readonly Container[]): Resources =>
  containers.reduce(
    (sum: Resources, { resources }) => plus(sum, resourcesOf(resources?.requests ?? {})),
    {},
  );

/** What is asked for while each init container runs: its own and that of the sidecars that have started before. */
const peaks = (all: readonly Container[]): readonly Resources[] =>
  all.map((one, index) => sumOf([...all.slice(0, index).filter(isSidecar), one]));

const most = (all: readonly Resources[]): Resources => {
  const names = all.flatMap((one) => Object.keys(one));
  return Object.fromEntries(
    names.map((name) => [name, Math.max(...all.map((one) => one[name] ?? 0))]),
  );
};
