import type {
  V1Container,
  V1NodeSelector,
  V1NodeSelectorTerm,
  V1Pod,
  V1PodSpec,
} from "@kubernetes/client-node";
import type { Requirement } from "../drain/budget.ts";
import type { NodeDemand, NodeTerm, ReschedulablePod } from "../drain/reschedulable-pod.ts";
import { addTo, plus, type Resources } from "../drain/resources.ts";
import type { AsSent } from "./as-sent.ts";
import { podOf } from "./pod-of.ts";

/** Reads of a pod of the Kubernetes API what decides where it may go; nothing is known of the volumes behind its claims. */
export const reschedulablePodOf = (sent: AsSent<V1Pod>): ReschedulablePod => ({
  pod: podOf(sent),
  requests: requestsOf(sent.spec ?? { containers: [] }),
  demands: demandsOf(sent.spec ?? { containers: [] }),
});

/** Amounts as Kubernetes writes them. */
type Amounts = Readonly<Record<string, string>>;

export const resourcesOf = (amounts: Amounts): Resources =>
  Object.fromEntries(
    Object.entries(amounts).map(([name, quantity]) => [name, amountOf(name, quantity)]),
  );

/**
 * The resources that the scheduler counts for a pod: its containers together with the init
 * containers that go on running, or the init container that needs most while it runs, whichever is
 * more; and its overhead. What the pod asks for as a whole overrules that.
 * @see https://kubernetes.io/docs/concepts/workloads/pods/init-containers/#resource-sharing-within-containers
 */
export function requestsOf(spec: AsSent<V1PodSpec>): Resources {
  const { containers, initContainers = [], overhead = {}, resources } = spec;
  const running = new Map<string, number>();
  const peaks = peaksOf(initContainers, running);
  for (const one of containers) addTo(running, requestedBy(one));
  const whole = resourcesOf(resources?.requests ?? {});
  const counted = { ...most(Object.fromEntries(running), peaks), ...whole };
  return { ...plus(counted, resourcesOf(overhead)), pods: 1 };
}

type Container = AsSent<V1Container>;

const requestedBy = ({ resources }: Container): Resources => resourcesOf(resources?.requests ?? {});

/**
 * The most that is asked for of a resource while an init container runs, with what the sidecars that have started before ask
 * for; adds up the sidecars. A pod may have thousands of them, so each is looked at once.
 */
function peaksOf(all: readonly Container[], running: Map<string, number>): Resources {
  const peaks = new Map<string, number>();
  for (const one of all) {
    const own = requestedBy(one);
    for (const [name, amount] of Object.entries(own))
      peaks.set(name, Math.max(peaks.get(name) ?? 0, (running.get(name) ?? 0) + amount));
    if (one.restartPolicy === "Always") addTo(running, own);
  }
  return Object.fromEntries(peaks);
}

const most = (a: Resources, b: Resources): Resources =>
  Object.fromEntries(
    Object.keys({ ...a, ...b }).map((name) => [name, Math.max(a[name] ?? 0, b[name] ?? 0)]),
  );

const suffixes: Readonly<Record<string, number>> = {
  "": 1,
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/**
 * Reads an amount of a resource: CPUs in thousandths, everything else in whole units. What cannot be read counts as nothing.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */
export function amountOf(resource: string, quantity: string): number {
  const [, number = "", suffix = ""] = /^([+-]?[\d.]+(?:[eE][+-]?\d+)?)(\D*)$/.exec(quantity) ?? [];
  const amount = Number(number) * (suffixes[suffix] ?? 0);
  return Math.max(0, Math.ceil((resource === "cpu" ? amount * 1000 : amount) - 1e-6));
}

/** The demands of a pod's specification on its node. */
export function demandsOf({
  nodeSelector = {},
  affinity,
}: AsSent<V1PodSpec>): readonly NodeDemand[] {
  const labels = Object.entries(nodeSelector).map(
    ([key, value]): Requirement => ({ key, operator: "In", values: [value] }),
  );
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return [
    ...(labels.length === 0 ? [] : [{ from: "node selector", anyOf: [{ labels, fields: [] }] }]),
    ...(required === undefined ? [] : [demandOf("node affinity", required)]),
  ];
}

/** Reads a node selector of the Kubernetes API. */
export const demandOf = (from: string, selector: AsSent<V1NodeSelector>): NodeDemand => ({
  from,
  anyOf: selector.nodeSelectorTerms.map(termOf),
});

const termOf = ({
  matchExpressions = [],
  matchFields = [],
}: AsSent<V1NodeSelectorTerm>): NodeTerm => ({
  labels: matchExpressions.map(requirementOf),
  fields: matchFields.map(requirementOf),
});

const requirementOf = ({
  key,
  operator,
  values = [],
}: {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}): Requirement => ({ key, operator, values });
