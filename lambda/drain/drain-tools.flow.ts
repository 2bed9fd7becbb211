import { Bell } from "../base/bell.ts";
import type { Instant } from "../base/time.ts";
import { BackgroundTask } from "../notice/background-task.flow.ts";
import type { Heartbeat } from "../notice/heartbeats.flow.ts";
import { heartbeatsFor } from "../notice/keeper.flow.ts";
import { BalancerWatch } from "./balancer-watch.flow.ts";
import { BudgetStory } from "./budget-story.flow.ts";
import type { DrainPorts, DrainView } from "./drain.port.ts";
import { type DrainBounds, markedBounds } from "./drain-bounds.ts";
import type { Emptying } from "./emptying.flow.ts";
import { Evictions } from "./evictions.flow.ts";
import { overruled, tooLong } from "./hold-reason.ts";
import { triesUntil } from "./late-begin.ts";
import { latenessOf } from "./lateness.flow.ts";
import { NodeLooks } from "./node-looks.flow.ts";
import { type DrainedNode, type NodeState, NodeWatch } from "./node-watch.flow.ts";
import { orphanedDaemonSets } from "./orphaned-daemon-sets.flow.ts";
import { othersTurnEnds } from "./others-turn.flow.ts";
import type { ForceTimes } from "./overdue.ts";
import type { Pod } from "./pod.ts";
import { holdsNode, type Scene, staysWithNode } from "./pod-class.ts";
import { PodStory } from "./pod-story.flow.ts";
import { type DrainRoom, noRoom } from "./room.port.ts";
import type { Snapshot, Volumes } from "./snapshot.ts";
import { VolumesOfNode, VolumeWatch } from "./volume-watch.flow.ts";

/** What one pass over a node works with. */
export interface DrainTools extends Balancing {
  readonly emptying: Emptying;
  readonly ports: DrainPorts;
  readonly bell: Bell;
  /** When the pass began to follow the node. */
  readonly began: Instant;
  /** Until when the pass evicts and waits: later than the drain's deadline where that had passed before. */
  readonly triesUntil: () => Instant;
  /** When a pass began that was too late for the drain's deadline; `never` if each was in time. */
  readonly late: Instant;
  readonly view: DrainView;
  readonly sight: VolumesOfNode;
  readonly volumes: VolumeWatch;
  readonly evictions: Evictions;
  readonly story: PodStory;
  readonly budgets: BudgetStory;
  readonly room: DrainRoom;
  readonly roomCheck: BackgroundTask<void>;
  readonly looks: NodeLooks;
  readonly nodeCheck: BackgroundTask<NodeState>;
  readonly heartbeat: BackgroundTask<Heartbeat>;
  readonly scene: () => Scene;
  /** The node and its mark as they are now. */
  readonly found: () => DrainedNode;
  close(): void;
}

/** Makes the tools of a pass, and follows the node's pods until the tools are closed. */
export async function drainToolsOf(emptying: Emptying, ports: DrainPorts): Promise<DrainTools> {
  const bell = new Bell();
  const nodeWatch = new NodeWatch({ ...emptying, taints: emptying.settings.taints }, ports);
  const balancing = balancingOf(emptying, nodeWatch, { bell, ports });
  const view = await ports.cluster.follow(emptying.node.name, bell);
  try {
    const began = ports.clock.now();
    return await equipped({ emptying, ports, bell, nodeWatch, ...balancing, view, began });
  } catch (cause) {
    view.close();
    throw cause;
  }
}

type SnapshotTools = Balancing & Pick<DrainTools, "began" | "bell" | "emptying" | "ports" | "view">;

type Basis = SnapshotTools & { readonly nodeWatch: NodeWatch };

async function equipped({ nodeWatch, ...basis }: Basis): Promise<DrainTools> {
  const { emptying, ports, bell, view, bounds, began } = basis;
  const { settings, keeper } = emptying;
  const orphaned = await orphanedDaemonSets(view.pods(), ports);
  const scene = sceneOf(basis, nodeWatch, orphaned);
  const found = () => nodeWatch.found();
  const looks = new NodeLooks(emptying, { watch: nodeWatch, view, scene, clock: ports.clock });
  const sight = new VolumesOfNode();
  const volumes = new VolumeWatch(emptying, { sight, bell }, ports);
  const tries = () => {
    const [now, volumesUntil] = [ports.clock.now(), volumes.waitEnds()];
    return triesUntil(bounds(), { ...emptying, now, began, volumesUntil });
  };
  const request = {
    node: emptying.node.name,
    settings,
    view,
    clock: ports.clock,
    journal: ports.journal,
  };
  const room = (await ports.room?.(request)) ?? noRoom;
  return {
    ...basis,
    sight,
    volumes,
    scene,
    found,
    triesUntil: tries,
    late: await latenessOf({ ...basis, triesUntil: tries() }, scene(), ports),
    evictions: evictionsOf(basis, scene, found),
    room,
    roomCheck: new BackgroundTask(room, bell, ports.clock),
    budgets: new BudgetStory(emptying.node.name, ports.journal),
    story: storyOf(basis, scene(), tries()),
    looks,
    nodeCheck: nodeCheckOf(looks, basis),
    heartbeat: new BackgroundTask(heartbeatsFor(keeper), bell, ports.clock),
    close() {
      view.close();
      volumes.close();
    },
  };
}

function evictionsOf(
  { emptying, ports, bell, view, bounds }: SnapshotTools,
  scene: () => Scene,
  found: () => DrainedNode,
): Evictions {
  const { concurrency: mostRoom, force } = emptying.settings;
  return new Evictions(ports, bell, {
    mostRoom,
    tellsCuts: () => force === "never" || ports.graces.isHurried(found().cause.reason),
    overruled: (pod, ledger) =>
      overruled(pod, {
        ...scene(),
        pods: view.pods(),
        budgets: view.budgets(),
        unread: view.unread(),
        accounts: view.accounts(),
        ledger,
      }),
    whyEarly: (pod) => tooLong(pod, forceTimesOf({ bounds, found, ports })),
  });
}

const sceneOf =
  ({ emptying, ports }: SnapshotTools, nodeWatch: NodeWatch, orphaned: ReadonlySet<string>) =>
  (): Scene => {
    const { node, marked } = nodeWatch.found();
    return { node, marked, settings: emptying.settings, orphaned, now: ports.clock.now() };
  };

function storyOf({ view, ports }: SnapshotTools, scene: Scene, until: Instant): PodStory {
  const story = new PodStory(view.pods(), scene, ports.journal);
  story.begin(view, until);
  return story;
}

const nodeCheckOf = (looks: NodeLooks, { bell, ports }: SnapshotTools): BackgroundTask<NodeState> =>
  new BackgroundTask({ due: () => looks.due(), work: () => looks.look() }, bell, ports.clock);

/** The node as it looks now. */
export const snapshotOf = (tools: DrainTools): Snapshot => ({
  ...tools.scene(),
  ...forceTimesOf(tools),
  triesUntil: tools.triesUntil(),
  mark: tools.found().mark,
  othersTurn: othersTurnEnds(tools.found().node, tools.ports),
  listed: tools.view.listed(),
  pods: tools.view.pods(),
  budgets: tools.view.budgets(),
  unread: tools.view.unread(),
  ledger: tools.evictions.ledger(),
  accounts: tools.view.accounts(),
  volumes: volumesNow(tools),
  room: tools.room.notes(tools.view.pods()),
  vouched: tools.looks.vouched(),
});

function forceTimesOf({
  bounds,
  found,
  ports,
}: Pick<DrainTools, "bounds" | "found" | "ports">): ForceTimes {
  const { cameAt: begun, deadline } = bounds();
  return { begun, deadline, heededGrace: ports.graces.heededGraceFor(found().cause.reason) };
}

const volumesNow = (tools: DrainTools): Volumes =>
  tools.volumes.mustLook() || tools.sight.mayFind()
    ? tools.volumes.volumes(() => remaining(tools))
    : { kind: "none" };

/** The pods that keep their volumes attached: those that stay until the node ends, and those still to leave. */
export function remaining({ view, scene }: DrainTools): readonly Pod[] {
  const now = scene();
  return view.pods().filter((pod) => staysWithNode(pod, now) || holdsNode(pod, now));
}

/** What a pass does about the load balancers of its node. */
interface Balancing {
  readonly balancers: BalancerWatch;
  readonly balancerCheck: BackgroundTask<void>;
  /** The bounds of the drain, with the deadline of its node's mark. */
  readonly bounds: () => DrainBounds;
}

/** Begins to look at load balancers. No eviction goes out before they have answered, so they are asked while the pods are listed. */
function balancingOf(
  emptying: Emptying,
  nodeWatch: NodeWatch,
  { bell, ports }: { readonly bell: Bell; readonly ports: DrainPorts },
): Balancing {
  const bounds = () => markedBounds(emptying.bounds, nodeWatch.found().cause, emptying.settings);
  const balancers = new BalancerWatch({ ...emptying, bounds }, ports);
  const balancerCheck = new BackgroundTask(balancers, bell, ports.clock);
  balancerCheck.start();
  return { balancers, balancerCheck, bounds };
}
