import { counted } from "../base/counted.ts";
import type { Budget } from "../drain/budget.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";
import type { HeldPod } from "../drain/held-by-budget.ts";
import { placeWords } from "../drain/place-words.ts";
import { mostClaims, podTitle } from "../drain/pod.ts";
import { shortOf } from "../drain/resources.ts";
import { Rooms } from "../drain/rooms.flow.ts";
import type { Workloads } from "./making-room.port.ts";
import { nextRoomStep } from "./next-room-step.ts";
import { hasLetGo } from "./recount.ts";
import { controllerRefusal, nothing, type RoomState, refused, tryOff } from "./room-refusal.ts";
import { type RoomScene, spareAt } from "./room-scene.ts";
import { type RoomStep, surged } from "./room-step.ts";
import type { Replica, Workload } from "./workload.ts";

/** The workload that may make room for a pod, or why none does. */
export async function candidateFor(
  { pod, budgets }: HeldPod,
  { makeRoom }: DrainSettings,
  workloads: Workloads,
): Promise<RoomState | Workload> {
  if (budgets.length > 1) return refused("several budgets select it");
  const maker = await workloads.ownerOf(pod);
  if (typeof maker === "string") return controllerRefusal(maker);
  return tryOff(makeRoom, await workloads.namespaceWishes(pod.namespace), maker) ?? maker;
}

/** What is to be done about a workload, once nodes and budgets are known. */
export type Taken = Exclude<RoomStep, { readonly kind: "surge" }>;

/**
 * Reads what a workload's next step needs, and chooses the step. A workload whose new pods would find no node is not
 * surged.
 */
export async function consider(
  scene: RoomScene,
  workloads: Pick<Workloads, "asked" | "hosts" | "othersUnder" | "volumesOf">,
): Promise<Taken> {
  const step = nextRoomStep(scene);
  if (step.kind !== "surge") return step;
  if (scene.workload.claims.length > mostClaims)
    return refused(`it has more than ${mostClaims} volume claims`);
  const shared = await tryShared(step.budgets, scene.workload, workloads);
  if (shared !== undefined) return shared;
  if (isOpen(step.budgets, scene)) return nothing;
  const volumes = await workloads.volumesOf(scene.workload);
  const alone = volumes.find(({ modes }) => !modes.some((mode) => manyNodes.includes(mode)));
  if (alone !== undefined)
    return refused(
      `its volume claim ${alone.claim} is ${alone.modes.join(", ") || "absent"}, so a second pod could not use it on another node`,
    );
  const demands = volumes.flatMap((volume) => volume.demands);
  const pods = step.pods.map((one) => ({ ...one, demands: [...one.demands, ...demands] }));
  const { found, unread, why } = await placesFor(pods, scene, workloads);
  if (found === 0) return { kind: "full", why };
  const not = unread === 0 ? "" : `; ${counted(unread, "node")} not looked at`;
  const record = { ...step.record, why: step.record.why + not };
  return surged(scene.workload, { ...record, is: record.was + found });
}

/** Whether the budget lets a pod go, or is about to: its owner may have changed it in the midst of the last surge, whose pods it still counts. */
const isOpen = (budgets: readonly Budget[], scene: RoomScene): boolean =>
  budgets.some(({ observed, disruptionsAllowed }) => observed && disruptionsAllowed > 0) ||
  (hasLetGo(scene) && spareAt(scene.workload.replicas, scene) > 0);

/**
 * Why no pod more is made under budgets that also select pods of others, or where nobody knows: it might let one of those
 * go, and the way back would then leave one too few.
 */
async function tryShared(
  budgets: readonly Budget[],
  workload: Workload,
  workloads: Pick<Workloads, "othersUnder">,
): Promise<RoomState | undefined> {
  for (const budget of budgets) {
    const others = await workloads.othersUnder(budget, workload);
    if (typeof others === "string") return refused(others);
    const [first] = others;
    if (first !== undefined)
      return { ...refused("its budget also selects pods of others"), example: podTitle(first) };
  }
  return undefined;
}

// Pods on several nodes can use such a volume.
const manyNodes = ["ReadWriteMany", "ReadOnlyMany"];

/** The number of pods that find another node, as far as nodes are known. */
interface PlacesFound {
  readonly found: number;
  /** The number of nodes that were not looked at, and count as full. */
  readonly unread: number;
  /** The reason if no pod finds one. */
  readonly why: string;
}

async function placesFor(
  pods: readonly Replica[],
  { replicas, draining }: Pick<RoomScene, "draining" | "replicas">,
  workloads: Pick<Workloads, "asked" | "hosts">,
): Promise<PlacesFound> {
  const hosts = await workloads.hosts();
  const labels = new Map(hosts.map(({ node }) => [node.name, node.labels]));
  const reschedulablePods = pods.map((one): Replica => {
    const apart = one.apart.map(({ from, label: key }) => {
      const all = replicas.flatMap(({ pod }) => labels.get(pod.node)?.[key] ?? []);
      const values = [...new Set(all)];
      return { from, anyOf: [{ labels: [{ key, operator: "NotIn", values }], fields: [] }] };
    });
    return { ...one, demands: [...one.demands, ...apart] };
  });
  const leaving = new Set(draining.keys());
  const staying = hosts.filter(({ node }) => !leaving.has(node.name));
  const looked = await new Rooms(staying, workloads).placesFor(reschedulablePods, leaving);
  const { places, unread } = looked;
  const placed = [...places.of(reschedulablePods, leaving).values()];
  const found = placed.filter(({ kind }) => kind === "place").length;
  const [first] = placed;
  if (found === 0 && first !== undefined) return { found, unread, why: placeWords(first) };
  // The new pods keep apart from each other too.
  const most = reschedulablePods
    .filter(({ apart }) => apart.length > 0)
    .map((one) => {
      const { rooms } = places.suitable(one);
      return rooms.filter(({ free }) => shortOf(one.requests, free).length === 0).length;
    });
  return { found: Math.min(found, ...most), unread, why: "" };
}
