import { nodeName } from "../base/ids.ts";
import { partsOf } from "../base/parts.ts";
import type { Instant } from "../base/time.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";
import type { MachineNode } from "../drain/node.ts";
import { freeOn, type NodeInfo, sumOf } from "../drain/node-info.ts";
import { placeWords } from "../drain/place-words.ts";
import { Places } from "../drain/placement.ts";
import { isBare, podTitle } from "../drain/pod.ts";
import { holdsNode, isOfDaemonSet } from "../drain/pod-class.ts";
import type { NodeRoom, ReschedulablePod } from "../drain/reschedulable-pod.ts";
import { leastOf, type Resources } from "../drain/resources.ts";
import { isActive, type ScalingGroup } from "../group/scaling-group.ts";
import { type Issue, spareFirst } from "./issues.ts";
import { type Candidate, inOrder, stalenessOf, type TargetVersions } from "./old-instances.ts";
import type { UpgradeOptions } from "./options.ts";
import { batchOf, surgeOf } from "./sizes.ts";

/** Pods whose replacements would find no node, and why. */
interface Unplaced {
  /** With their namespaces. */
  readonly pods: readonly string[];
  readonly why: string;
}

const hostname = "kubernetes.io/hostname";

/** The things that the check for unplaced pods does not consider. */
export const unlookedAtPlaces = [
  "volumes and their zones",
  "affinity and anti-affinity between pods",
  "topology spread",
  "host ports",
  "devices of resource claims",
  "pods that are scheduled as a group",
  "how pods fit together on one node",
  "priority and preemption",
  "another instance type of the new version",
];

/**
 * The pods that would find no node when their batch is drained: neither one that stays nor a new one of the surge. Each
 * batch is checked as if it were the first, because new nodes replace the batches before it.
 */
export function unplacedIn(
  outlook: Outlook,
  batches: readonly CandidateBatch[],
): readonly Unplaced[] {
  const places = new Places([...outlook.nodeInfos.map(freeOn), ...newRooms(outlook)]);
  const all = namesOf(batches.flat());
  const found = batches.flatMap((batch) => {
    const names = namesOf(batch);
    const reschedulablePods = outlook.nodeInfos
      .filter(({ node }) => names.has(node.name))
      .flatMap((one) => movablePodsOn(one, outlook));
    const placed = places.of(
      reschedulablePods,
      outlook.options.cordon === "one-by-one" ? names : all,
    );
    return reschedulablePods.flatMap(({ pod }) => {
      const why = placeWords(placed.get(pod.uid) ?? { kind: "place" });
      return why === "" ? [] : [{ pod: podTitle(pod), why }];
    });
  });
  const groups = Map.groupBy(found, ({ why }) => why);
  return [...groups].map(([why, same]) => ({ why, pods: same.map(({ pod }) => pod) }));
}

const namesOf = (batch: CandidateBatch): ReadonlySet<string> =>
  new Set(batch.flatMap(({ node }) => (node === "absent" ? [] : [node.name])));

/**
 * The pods of a node that need another node. A pod that its own node would no longer accept is left out: an upgrade does not
 * help it.
 */
function reschedulablePodsOn(
  nodeInfo: NodeInfo<MachineNode>,
  { now, settings }: Outlook,
): readonly ReschedulablePod[] {
  const scene = { now, node: nodeInfo.node, marked: now, settings, orphaned: noOrphans };
  const leaving = nodeInfo.pods.filter(({ pod }) => holdsNode(pod, scene) && !isBare(pod));
  return placedOn(emptied(nodeInfo, settings), leaving);
}

/** Those of some pods that a node takes, each by itself. */
function placedOn(room: NodeRoom, pods: readonly ReschedulablePod[]): readonly ReschedulablePod[] {
  const places = new Places([room]);
  return pods.filter((one) => places.of([one], new Set()).get(one.pod.uid)?.kind === "place");
}

/** A node in the place of this one: as large, with the same labels, but for those that say which machine it is. */
function replacementOf({ node, free }: NodeRoom, instance: string): NodeRoom {
  const name = nodeName(`in-place-of-${node.name}`);
  const names = [node.name, node.labels[hostname], instance];
  const labels = Object.entries(node.labels).map(([key, value]) => [
    key,
    names.includes(value) ? name : value,
  ]);
  return { node: { ...node, name, labels: Object.fromEntries(labels) }, free };
}

/** Those of them that may go to another node than this very one. */
const movablePodsOn = (
  nodeInfo: NodeInfo<MachineNode>,
  outlook: Outlook,
): readonly ReschedulablePod[] =>
  placedOn(
    replacementOf(emptied(nodeInfo, outlook.settings), nodeInfo.node.instance),
    reschedulablePodsOn(nodeInfo, outlook),
  );

/**
 * The pods that may run on the machine of their node alone, such as by a node selector with its host name; empty if there are
 * none. No surge has a place for them, so they refuse no upgrade: otherwise each tenant could.
 */
export function boundIn(outlook: Outlook, batches: readonly CandidateBatch[]): readonly string[] {
  const names = namesOf(batches.flat());
  return outlook.nodeInfos
    .filter(({ node }) => names.has(node.name))
    .flatMap((one) => {
      const movable = new Set(movablePodsOn(one, outlook));
      return reschedulablePodsOn(one, outlook).filter((pod) => !movable.has(pod));
    })
    .map(({ pod }) => podTitle(pod));
}

/** Says of pods that may run on the machine of their node alone what becomes of them; empty if there are none. */
export const boundText = (pods: readonly string[]): string =>
  pods.length === 0
    ? ""
    : `${someOf(pods)}: its node selector or affinity names the machine of its node, so that its replacement finds no place once that is gone`;

const noOrphans: ReadonlySet<string> = new Set();

/** A node with its DaemonSet pods alone, and without taints and cordons that are only its own. */
function emptied(
  nodeInfo: NodeInfo<MachineNode>,
  { taints }: Outlook["settings"],
  requested = requestedByStaying(nodeInfo),
): NodeRoom {
  const { node, allocatable } = nodeInfo;
  const passing = ({ key }: { readonly key: string }): boolean =>
    key.startsWith("node.kubernetes.io/") || taints.some((one) => one.key === key);
  const open = { unschedulable: false, taints: node.taints.filter((taint) => !passing(taint)) };
  return freeOn({ node: { ...node, ...open }, allocatable, requested });
}

/** What the pods of a node request that its replacement has too. */
const requestedByStaying = ({ pods }: NodeInfo<MachineNode>): Resources =>
  sumOf(pods.filter(({ pod }) => pod.mirror || isOfDaemonSet(pod, { orphaned: noOrphans })));

/**
 * The nodes of the surge: each as large as a node of the group, in its zone if possible, with pods of DaemonSets only. Anybody
 * may call a pod one of a DaemonSet, so only as much counts as such pods request on each node.
 */
function newRooms(outlook: Outlook): readonly NodeRoom[] {
  const { group, nodeInfos, settings } = outlook;
  const own = new Map(group.instances.filter(isActive).map(({ id, zone }) => [id, zone]));
  const models = nodeInfos.filter(
    ({ node }) => own.has(node.instance) && node.readiness === "ready",
  );
  const requested = leastOf(models.map(requestedByStaying));
  const roomIn = (zone: string): NodeRoom | undefined => {
    const model = models.find(({ node }) => own.get(node.instance) === zone) ?? models[0];
    if (model === undefined) return undefined;
    const { node, free } = emptied(model, settings, requested);
    const place = { [hostname]: `new-in-${zone}`, "topology.kubernetes.io/zone": zone };
    return { node: { ...node, labels: { ...node.labels, ...place } }, free };
  };
  const zones = zonesOfSurge(outlook);
  // A kubelet may write tens of thousands of labels, so the new nodes of a zone share theirs.
  const rooms = new Map([...new Set(zones)].map((zone) => [zone, roomIn(zone)]));
  return zones.flatMap((zone, at) => {
    const room = rooms.get(zone);
    const name = nodeName(`new-${at + 1}`);
    return room === undefined ? [] : [{ ...room, node: { ...room.node, name } }];
  });
}

/** The zones of the surge: Auto Scaling launches each instance in the zone that has the fewest, and none in a shifted one. */
function zonesOfSurge({ group, options, shifted }: Outlook): readonly string[] {
  const open = group.zones.filter((zone) => !shifted.includes(zone));
  if (open.length === 0) return [];
  const counts = new Map(open.map((zone) => [zone, 0]));
  const add = (zone: string) => counts.set(zone, (counts.get(zone) ?? 0) + 1);
  for (const { zone } of group.instances.filter(isActive)) if (!shifted.includes(zone)) add(zone);
  const surge = surgeOf(options, group.sizes.desired, group.zones.length);
  return Array.from({ length: surge }, () => {
    const [[zone] = [""]] = [...counts].toSorted(([, a], [, b]) => a - b);
    add(zone);
    return zone;
  });
}

/** Whether an upgrade is refused if pods would find no node. Without a surge, pods wait for replacements anyway. */
export const refusesUnplaced = ({ ifUnschedulable, strategy }: Outlook["options"]): boolean =>
  ifUnschedulable === "refuse" && strategy !== "MINIMAL";

const mostNames = 3;

/** The issues that refuse an upgrade because pods would find no node; empty if all find one. */
export function refusedPods(unplaced: readonly Unplaced[]): readonly Issue[] {
  if (unplaced.length === 0) return [];
  const found = unplaced.map(unplacedText).join("; ");
  const message = `pods would find no node, even a new one: ${found}; make room, or allow unschedulable pods`;
  return [{ code: "UnschedulablePods", message }];
}

/** Names some of the pods that would find no node, and the reason. */
export function unplacedText({ pods, why }: Unplaced): string {
  return `${someOf(pods)}: ${why}`;
}

function someOf(pods: readonly string[]): string {
  const more = pods.length - mostNames;
  return `${pods.slice(0, mostNames).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** When old nodes are cordoned, and why. */
export interface CordonChoice {
  readonly cordon: "all" | "one-by-one";
  /** The pods that would find no node if all old nodes were cordoned at once; empty if that was not checked. */
  readonly crowded: readonly Unplaced[];
  /** Those of them that find no node either way, until a new node is there. */
  readonly waiting: readonly Unplaced[];
}

/** Chooses when old nodes are cordoned. Without a surge, the first pods to move may have room only on other old nodes. */
export function cordonChoice(outlook: Outlook, batches: readonly CandidateBatch[]): CordonChoice {
  if (!isToChoose(outlook.options)) return { cordon: cordonOf(outlook.options), ...asked };
  const crowded = unplacedIn(withCordon("all", outlook), batches);
  if (crowded.length === 0) return { cordon: "all", ...asked };
  const one = "one-by-one";
  return { cordon: one, crowded, waiting: unplacedIn(withCordon(one, outlook), batches) };
}

const asked = { crowded: [], waiting: [] };

/** Whether room decides when old nodes are cordoned. */
export const isToChoose = ({ cordon, strategy }: Outlook["options"]): boolean =>
  cordon === "by-room" && strategy === "MINIMAL";

/** When old nodes are cordoned if room does not decide that. */
export const cordonOf = ({ cordon }: Outlook["options"]): CordonChoice["cordon"] =>
  cordon === "by-room" ? "all" : cordon;

/** The same outlook, with what is chosen. */
export const withCordon = (cordon: CordonChoice["cordon"], outlook: Outlook): Outlook => ({
  ...outlook,
  options: { ...outlook.options, cordon },
});

/** Why old nodes are cordoned one by one, and which pods wait nevertheless; empty if there was no choice. */
export function cordonTexts({ crowded, waiting }: CordonChoice): readonly string[] {
  const named = (some: readonly Unplaced[]) => some.map(unplacedText).join("; ");
  if (crowded.length === 0) return [];
  const first = `old nodes are cordoned one by one, because with all of them cordoned pods would find no node: ${named(crowded)}`;
  if (waiting.length === 0) return [first];
  return [
    first,
    `pods wait for a new node even so, and budgets may hold others meanwhile: ${named(waiting)}; ${spareFirst}`,
  ];
}

/** A group before its upgrade, and what decides how the upgrade will go. */
export interface Outlook {
  /** The id of the upgrade, which seeds the random order of nodes. */
  readonly id: string;
  readonly now: Instant;
  readonly group: ScalingGroup;
  /** The launch source after the upgrade; `all new` if that version does not exist yet. */
  readonly targets: TargetVersions | "all new";
  readonly options: UpgradeOptions;
  /** The nodes of the cluster, with the pods of the group's nodes. */
  readonly nodeInfos: readonly NodeInfo<MachineNode>[];
  readonly settings: DrainSettings;
  /** The names of the zones that traffic is shifted away from: Auto Scaling may launch nothing there. */
  readonly shifted: readonly string[];
}

/** Old instances that would be drained together. */
export type CandidateBatch = readonly Candidate[];

/** The old instances of a group, in batches. */
export function batchesIn(outlook: Outlook): readonly CandidateBatch[] {
  const { id, group, options, nodeInfos } = outlook;
  const pods = new Map(nodeInfos.map((one) => [one.node.name, one.pods.length]));
  const old = inOrder(candidatesIn(outlook), { id, order: options.order, pods });
  return partsOf(old, batchOf(options, group.sizes.desired, group.zones.length));
}

/** The old instances that wait for the end of a zonal shift; they are in no batch. */
export const awaitingShift = (outlook: Outlook): readonly Candidate[] =>
  oldIn(outlook).filter((one) => isKept(one, outlook));

const isKept = ({ instance }: Candidate, { options, shifted }: Outlook): boolean =>
  options.zonalShift === "heed" && shifted.includes(instance.zone);

const candidatesIn = (outlook: Outlook): readonly Candidate[] =>
  oldIn(outlook).filter((one) => !isKept(one, outlook));

function oldIn({ group, targets, options, nodeInfos, now }: Outlook): readonly Candidate[] {
  const nodes = new Map(nodeInfos.map(({ node }) => [node.instance, node]));
  const aged = { begun: now, maxAge: options.maxAge };
  return group.instances
    .filter(isActive)
    .map((instance) => ({ instance, node: nodes.get(instance.id) ?? ("absent" as const) }))
    .filter(
      ({ instance, node }) =>
        targets === "all new" || stalenessOf(instance, node, { targets, ...aged }) !== "none",
    );
}
