import type { NodeName } from "../base/ids.ts";
import { type Pod, podTitle } from "../drain/pod.ts";
import type { Forecast } from "./forecast.ts";
import type { Hold } from "./hold.ts";

const hashLabel = "pod-template-hash";

/**
 * The workload of a pod, for people: its Deployment where it has one, else its controller, else the
 * pod alone.
 */
export function workloadOf({ namespace, name, controller, labels }: Pod): string {
  if (controller.kind === "none") return `Pod ${namespace}/${name}`;
  const hash = `-${labels[hashLabel]}`;
  if (controller.type === "ReplicaSet" && controller.name.endsWith(hash))
    return `Deployment ${namespace}/${controller.name.slice(0, -hash.length)}`;
  return `${controller.type} ${namespace}/${controller.name}`;
}

/** A workload whose pods would keep nodes from being drained. */
export interface Blocker {
  readonly workload: string;
  readonly for: Hold;
  /** With their namespaces. */
  readonly pods: readonly string[];
  readonly nodes: readonly NodeName[];
}

/** The workloads whose pods never go, those on the most nodes first. */
export function blockersIn(forecasts: readonly Forecast[]): readonly Blocker[] {
  const found = forecasts.flatMap(({ node, pods }) =>
    pods.flatMap(({ forecastPod, fate }) =>
      fate.kind === "never"
        ? [
            {
              workload: workloadOf(forecastPod.pod),
              hold: fate.for,
              node: node.name,
              pod: podTitle(forecastPod.pod),
            },
          ]
        : [],
    ),
  );
  const groups = Map.groupBy(found, ({ workload, hold }) => `${workload} ${hold.words}`);
  return [...groups.values()].flatMap(blockerOf).toSorted(byHarm);
}

interface WorkloadHold {
  readonly workload: string;
  readonly hold: Hold;
  readonly node: NodeName;
  readonly pod: string;
}

function blockerOf(found: readonly WorkloadHold[]): readonly Blocker[] {
  const nodes = [...new Set(found.map(({ node }) => node))];
  const pods = found.map(({ pod }) => pod);
  return found.slice(0, 1).map(({ workload, hold }) => ({ workload, for: hold, pods, nodes }));
}

const byHarm = (a: Blocker, b: Blocker): number =>
  b.nodes.length - a.nodes.length ||
  b.pods.length - a.pods.length ||
  a.workload.localeCompare(b.workload);
