import type { Budget } from "../../lambda/drain/budget.ts";
import type { Node } from "../../lambda/drain/node.ts";
import { orphanedDaemonSets } from "../../lambda/drain/orphaned-daemon-sets.flow.ts";
import { isBare, type Pod } from "../../lambda/drain/pod.ts";
import { holdsNode, type Scene } from "../../lambda/drain/pod-class.ts";
import type { ForecastPod } from "../../lambda/forecast/forecast-pod.ts";
import type { KubeCluster } from "../../lambda/kubernetes/kube-cluster.ts";
import { type ClusterReader, withVolumes } from "./cluster-reader.ts";
import { type Devices, doubtRemarks, leaversAmong, withDevices } from "./device-claims.ts";
import { operatedAmong } from "./operators.ts";

/** A node, and the pods on it. */
export interface OnNode {
  readonly node: Node;
  readonly pods: readonly ForecastPod[];
}

/** The facts besides some pods that decide about them. */
export interface PodSurroundings {
  readonly pods: ReadonlyMap<string, readonly ForecastPod[]>;
  readonly budgets: ReadonlyMap<string, readonly Budget[]>;
  readonly orphaned: ReadonlySet<string>;
  readonly remarks: readonly string[];
  /** Facts about these pods that could not be read. */
  readonly notLookedAt: readonly string[];
}

/** Reads the budgets, volumes, devices and DaemonSets of these pods. */
export async function surroundings(
  onNodes: readonly OnNode[],
  { cluster, reader }: { readonly cluster: KubeCluster; readonly reader: ClusterReader },
): Promise<PodSurroundings> {
  const pods = onNodes.flatMap((one) => one.pods.map(({ pod }) => pod));
  const claims = pods.flatMap(({ namespace, claims: own }) =>
    own.map((claim) => `${namespace}/${claim}`),
  );
  const volumes = await reader.volumes([...new Set(claims)]);
  const { items: budgets, leftOut } = await reader.budgets([
    ...new Set(pods.map(({ namespace }) => namespace)),
  ]);
  const remarks = leftOut.map(unreadBudgets);
  const journal = {
    record: (entry: object) => {
      if ("warnings" in entry && "about" in entry)
        remarks.push(`${entry.about}: ${entry.warnings}`);
    },
  };
  const devices = await devicesOf(onNodes, reader);
  const doubts: string[] = [];
  const operated = await operatedAmong(pods, budgets, reader);
  const known = (one: ForecastPod, leaving: ReadonlySet<string>): ForecastPod => {
    const { forecastPod, doubt } = withDevices(withVolumes(one, volumes), leaving, devices);
    if (doubt !== "") doubts.push(doubt);
    return { ...forecastPod, operated: operated.get(one.pod.uid) ?? "" };
  };
  const pairs = onNodes.map(({ node, pods: its }) => {
    const leaving = leaversAmong(its);
    return [node.name, its.map((one) => known(one, leaving))] as const;
  });
  return {
    pods: new Map(pairs),
    budgets: Map.groupBy(budgets, ({ namespace }) => namespace),
    orphaned: await orphanedDaemonSets(pods, { cluster, journal }),
    remarks: [...remarks, ...doubtRemarks(doubts)],
    notLookedAt: hasDevices(onNodes)
      ? ["which devices are free, and what their classes select"]
      : [],
  };
}

const hasDevices = (onNodes: readonly OnNode[]): boolean =>
  onNodes.some(({ pods }) => pods.some(({ deviceClaims }) => deviceClaims.length > 0));

const nothingRead: Devices = { kind: "read", claims: new Map(), cut: new Map(), nodes: new Map() };

/** Reads claims and devices, if a pod has any. */
async function devicesOf(
  onNodes: readonly OnNode[],
  reader: Pick<ClusterReader, "devices">,
): Promise<Devices> {
  const pods = onNodes.flatMap((one) => one.pods);
  const claiming = pods.filter(({ deviceClaims }) => deviceClaims.length > 0);
  if (claiming.length === 0) return nothingRead;
  return reader.devices([...new Set(claiming.map(({ pod }) => pod.namespace))]);
}

const unreadBudgets = (namespace: string): string =>
  `budgets of namespace ${namespace}: they are too many or too large to be read; its pods are shown as if they had none`;

/** True if a controller replaces the pod elsewhere once it has left its node. */
export const isReplaced = (pod: Pod, scene: Scene): boolean =>
  holdsNode(pod, scene) && !isBare(pod);
