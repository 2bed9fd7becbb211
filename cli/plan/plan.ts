import { passSeconds } from "../../lambda/base/contract.ts";
import { someOf } from "../../lambda/base/counted.ts";
import type { PodUid } from "../../lambda/base/ids.ts";
import { sideBySide } from "../../lambda/base/side-by-side.ts";
import { type Instant, seconds } from "../../lambda/base/time.ts";
import type { Cluster } from "../../lambda/drain/drain.port.ts";
import type { Node } from "../../lambda/drain/node.ts";
import type { Host } from "../../lambda/drain/node-info.ts";
import { podClassOf, type Scene } from "../../lambda/drain/pod-class.ts";
import { Rooms } from "../../lambda/drain/rooms.flow.ts";
import { type Forecast, forecastsOf } from "../../lambda/forecast/forecast.ts";
import type { ForecastInput } from "../../lambda/forecast/forecast-input.ts";
import type { ForecastPod } from "../../lambda/forecast/forecast-pod.ts";
import type { EvictionRefusal } from "../../lambda/forecast/simulation.ts";
import { KubeHosts } from "../../lambda/kubernetes/kube-hosts.ts";
import { longestEverHeld } from "../../lambda/notice/begun-at.ts";
import type { ClusterAccess } from "../connect/cluster-access.ts";
import { readsAtOnce } from "../connect/reads-at-once.ts";
import type { Balanced } from "./balancers.ts";
import { ClusterReader, unreadPods } from "./cluster-reader.ts";
import type { PlanSettings } from "./plan-settings.ts";
import { roomFirst, withRoom } from "./room-first.ts";
import type { RoomFirst } from "./room-ground.ts";
import type { PlanScope } from "./scope.ts";
import { isReplaced, type OnNode, type PodSurroundings, surroundings } from "./surroundings.ts";

/** The options of a plan. */
export interface PlanRequest {
  /** The pods that the API server is asked about in dry run, to find refusals that are not by a budget. */
  readonly asks: "nobody" | "each pod";
  readonly scope: PlanScope;
  readonly hosts: readonly Host[];
  readonly settings: PlanSettings;
  readonly balanced: Balanced;
  readonly now: Instant;
}

/** The forecasts of a plan, with remarks. */
export interface PlannedNodes {
  readonly forecasts: readonly Forecast[];
  readonly room: readonly RoomFirst[];
  readonly remarks: readonly string[];
  readonly notLookedAt: readonly string[];
}

/** Forecasts the drain of each node of a scope: those that are named leave together, and all others one after the other. */
export async function planned(request: PlanRequest, access: ClusterAccess): Promise<PlannedNodes> {
  const { scope, hosts } = request;
  const reader = new ClusterReader(access);
  const reads = new KubeHosts(access.client, access.clock);
  const rooms = new Rooms(hosts, reads);
  const { onNodes, leftOut } = await podsOn(scope, reader, rooms);
  const found = await surroundings(onNodes, { cluster: access.cluster, reader });
  const remarks = leftOut.map(unreadRemarkOf);
  const leavings: (readonly ForecastInput[])[] = [];
  for (const together of scope.kind === "nodes" ? [onNodes] : onNodes.map((one) => [one])) {
    const { inputs, unread } = await inputsFor(together, { ...found, request, rooms, access });
    leavings.push(inputs);
    if (unread > 0) remarks.push(unreadRemark(together, unread));
  }
  const roomless = leavings.flatMap(forecastsOf);
  const room = await roomFirst(roomless, { ...found, ...request, reads });
  const webhooks = request.asks === "nobody" ? ["admission webhooks (--ask)"] : [];
  return {
    forecasts: room.some(({ why }) => why === "")
      ? leavings.flatMap((inputs) => forecastsOf(withRoom(inputs, roomless, room)))
      : roomless,
    room,
    remarks: [...request.settings.remarks, ...found.remarks, ...remarks],
    notLookedAt: [...never, ...found.notLookedAt, ...request.balanced.notLookedAt, ...webhooks],
  };
}

/** Reads the pods of the nodes of a scope; those of all nodes in one list. */
async function podsOn(scope: PlanScope, reader: ClusterReader, rooms: Rooms): Promise<PodsOnNodes> {
  if (scope.kind === "cluster") {
    const { items: all, leftOut } = await reader.pods("all");
    rooms.know(all);
    const pods = Map.groupBy(all, ({ pod }) => pod.node);
    const onNodes = scope.nodes.map((node) => ({ node, pods: pods.get(node.name) ?? [] }));
    return { onNodes, leftOut };
  }
  const read = await sideBySide(scope.nodes, readsAtOnce, async (node) => {
    const { items: pods, leftOut } = await reader.pods(node.name);
    rooms.learn(node.name, pods);
    return { node, pods, leftOut };
  });
  return { onNodes: read, leftOut: [...new Set(read.flatMap(({ leftOut }) => leftOut))] };
}

interface PodsOnNodes {
  readonly onNodes: readonly OnNode[];
  /** The namespaces whose pods were not read. */
  readonly leftOut: readonly string[];
}

const unreadRemarkOf = (namespace: string): string =>
  `${unreadPods(namespace)} to be read; they are not in this plan, and what they ask for counts as free`;

/** The things that a plan does not consider. */
const never = [
  "affinity and anti-affinity between pods",
  "topology spread",
  "preferences",
  "host ports",
  "pods that are scheduled as a group",
  "how many volumes a node takes",
  "how pods fit together on one node",
  "priority and preemption",
  "nodes that are yet to come",
];

const unreadRemark = (together: readonly OnNode[], count: number): string =>
  `${someOf(together.map(({ node }) => node.name))}: ${count} nodes that might take the pods were not looked at, and count as empty`;

interface PlanSources extends PodSurroundings {
  readonly access: ClusterAccess;
  readonly request: PlanRequest;
  readonly rooms: Rooms;
}

async function inputsFor(together: readonly OnNode[], { rooms, ...sources }: PlanSources) {
  const reschedulablePods = together.flatMap(({ node }) => {
    const { scene, forecastPods } = standing(node, sources);
    return forecastPods.filter(({ pod }) => isReplaced(pod, scene));
  });
  const names = new Set(together.map(({ node }) => node.name));
  const { places, unread } = await rooms.placesFor(reschedulablePods, names);
  const placements = places.of(reschedulablePods, names);
  const inputs: ForecastInput[] = [];
  for (const { node } of together) {
    const input = await inputFor(node, sources);
    inputs.push({ ...input, placements });
  }
  return { inputs, unread };
}

type Standing = Omit<PlanSources, "rooms">;

/** The pods of a node, and what their classes depend on. */
function standing(node: Node, { request, orphaned, pods }: Standing) {
  const { now, settings: known } = request;
  const scene: Scene = { now, node, marked: now, settings: known.settingsFor(node), orphaned };
  return { scene, forecastPods: pods.get(node.name) ?? [] };
}

async function inputFor(node: Node, sources: Standing): Promise<Omit<ForecastInput, "placements">> {
  const { request, access, orphaned, budgets } = sources;
  const { scene, forecastPods } = standing(node, sources);
  const { now, settings } = scene;
  const { lengthsOf } = request.settings;
  const targets =
    settings.targetTimeout === 0 ? [] : (request.balanced.targets.get(node.name) ?? []);
  const asking = request.asks === "each pod" ? forecastPods : [];
  const namespaces = [...new Set(forecastPods.map(({ pod }) => pod.namespace))];
  return {
    now,
    node,
    forecastPods,
    orphaned,
    settings,
    targets,
    refusals: await refusalsOf(asking, scene, access.cluster),
    budgets: namespaces.flatMap((namespace) => budgets.get(namespace) ?? []),
    lengths: lengthsOf(settings),
    longestDrain: lengthsOf({ ...settings, timeout: longestEverHeld }).toDeadline,
    pass: seconds(passSeconds),
  };
}

/** Asks the API server in dry run about each pod that a drain would evict. Webhooks and namespaces may refuse. */
async function refusalsOf(
  forecastPods: readonly ForecastPod[],
  scene: Scene,
  cluster: Pick<Cluster, "tryEviction">,
): Promise<ReadonlyMap<PodUid, EvictionRefusal>> {
  const asked = forecastPods.filter(({ pod }) => podClassOf(pod, scene) === "evictable");
  const answers = await sideBySide(asked, readsAtOnce, async ({ pod }) => {
    const answer = await cluster.tryEviction(pod);
    return answer.kind === "denied" || answer.kind === "namespace-terminating"
      ? [[pod.uid, answer] as const]
      : [];
  });
  return new Map(answers.flat());
}
