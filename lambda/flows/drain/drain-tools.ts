import type { DrainSettings } from "../../domain/drain/drain-policy.ts";
import { holdsNode, type Scene, staysWithNode } from "../../domain/drain/pod-class.ts";
import type { Snapshot, Volumes } from "../../domain/drain/snapshot.ts";
import type { InstanceId } from "../../domain/ids.ts";
import type { Node } from "../../domain/node/node.ts";
import type { Pod } from "../../domain/pod/pod.ts";
import type { Instant } from "../../domain/time.ts";
import { Bell } from "../../ports/bell.ts";
import type { DrainView } from "../../ports/cluster.ts";
import type { Ports } from "../../ports/ports.ts";
import { type BackgroundTask, backgroundTask } from "../background-task.ts";
import type { Heartbeats } from "../hook/heartbeats.ts";
import { type NodeState, nodeWatchOf } from "../mark/node-watch.ts";
import { type Evictions, evictionsOf } from "./evictions.ts";
import { orphanedDaemonSets } from "./orphaned-daemon-sets.ts";
import { type PodStory, podStoryOf } from "./pod-story.ts";
import { type VolumeWatch, volumeWatchOf } from "./volume-watch.ts";

/** A marked node to be emptied in this pass. */
export interface Emptying {
  readonly node: Node;
  readonly instance: InstanceId;
  /** Whether the node bears the mark, or could not be marked and is drained all the same. */
  readonly mark: "set" | "missing";
  /** When it was marked; without a mark the drain's begin. */
  readonly marked: Instant;
  /** `before` when pods may have left that this pass did not see. */
  readonly when: "just now" | "before";
  readonly settings: DrainSettings;
  readonly heartbeats: Heartbeats;
  readonly deadline: Instant;
  /** Until when the hook can be held: the time between the deadline and then is for volumes. */
  readonly holds: Instant;
  /** When this pass stops evicting and hands the notice back. */
  readonly passEnds: Instant;
}

/** What one pass over a node works with. */
export interface DrainTools {
  readonly emptying: Emptying;
  readonly ports: Ports;
  readonly bell: Bell;
  readonly view: DrainView;
  readonly volumes: VolumeWatch;
  readonly evictions: Evictions;
  readonly story: PodStory;
  readonly nodeCheck: BackgroundTask<NodeState>;
  readonly heartbeat: BackgroundTask<"kept" | "no-active-action">;
  readonly scene: () => Scene;
  close(): void;
}

/** Begins to follow a node's pods; whoever asked for it has to end that. */
export async function drainToolsOf(emptying: Emptying, ports: Ports): Promise<DrainTools> {
  const bell = new Bell();
  const view = await ports.cluster.follow(emptying.node.name, bell);
  try {
    return await equipped({ emptying, ports, bell, view });
  } catch (cause) {
    view.close();
    throw cause;
  }
}

type Basis = Pick<DrainTools, "bell" | "emptying" | "ports" | "view">;

async function equipped(basis: Basis): Promise<DrainTools> {
  const { emptying, ports, bell, view } = basis;
  const { settings, heartbeats } = emptying;
  const orphaned = await orphanedDaemonSets(view.pods(), ports);
  const eye = nodeWatchOf({ ...emptying, taints: settings.taints }, ports);
  const volumes = volumeWatchOf({ ...emptying, timeout: settings.volumeTimeout }, bell, ports);
  const scene = (): Scene => ({ ...emptying, node: eye.node(), now: ports.clock.now(), orphaned });
  return {
    ...basis,
    volumes,
    scene,
    evictions: evictionsOf(ports, bell, settings.concurrency),
    story: podStoryOf(view, scene(), ports.journal),
    nodeCheck: backgroundTask({ due: eye.due, work: eye.check }, bell, ports.clock),
    heartbeat: backgroundTask({ due: heartbeats.due, work: heartbeats.send }, bell, ports.clock),
    close() {
      view.close();
      volumes.close();
    },
  };
}

/** The node as it looks now. */
export const snapshotOf = (tools: DrainTools): Snapshot => ({
  ...tools.scene(),
  deadline: tools.emptying.deadline,
  listed: tools.view.listed(),
  pods: tools.view.pods(),
  budgets: tools.view.budgets(),
  ledger: tools.evictions.ledger(),
  volumes: volumesNow(tools),
});

const volumesNow = (tools: DrainTools): Volumes =>
  tools.emptying.when === "before" || tools.story.hadVolumes()
    ? tools.volumes.volumes(() => remaining(tools))
    : { kind: "none" };

/** The pods whose volumes remain with them: those that stay to the node's end, and those that have not gone. */
export function remaining({ view, scene }: DrainTools): readonly Pod[] {
  const now = scene();
  return view.pods().filter((pod) => staysWithNode(pod, now) || holdsNode(pod, now));
}
