import { earliest, type Instant, later, minutes } from "../base/time.ts";
import type { MachineNode } from "../drain/node.ts";
import type { DaemonPod } from "../group-work/group-nodes.port.ts";
import { tryWithout } from "./node-marks.ts";
import type { UpgradeOptions } from "./options.ts";
import type { UpgradeScene } from "./scene.ts";

/** The facts that decide which DaemonSets a new node waits for. */
export type DaemonDemands = Pick<UpgradeScene, "nodes" | "now"> & {
  readonly bookmark: Pick<UpgradeScene["bookmark"], "id" | "since"> & {
    readonly options: Pick<UpgradeOptions, "daemonSets">;
  };
};

/** The pods of DaemonSets that a new node lacks. */
interface LackingPods {
  /** The node does not count without these. */
  readonly awaited: readonly DaemonPod[];
  /** These have had their time: the node counts without them. */
  readonly missed: readonly DaemonPod[];
}

// Anybody who may write in a namespace may have a DaemonSet that never becomes ready.
const othersHave = minutes(10);
// New nodes that are late keep some of their time.
const othersEnd = minutes(25);

/**
 * Says for which pods of DaemonSets a new node waits: for those of the namespaces that the options name without end, for others
 * a while. Once a node has been admitted without those of a namespace, the other nodes do not wait for them.
 */
export function lackingPods(
  node: MachineNode,
  pods: readonly DaemonPod[],
  demands: DaemonDemands,
): LackingPods {
  const { options } = demands.bookmark;
  const isOver = othersUntil(node, demands) <= demands.now;
  const missing = namespacesWithout(demands);
  const isAwaited = ({ namespace }: DaemonPod): boolean =>
    isNamed(namespace, options) || !(isOver || missing.has(namespace));
  const lacking = pods.filter(({ readiness }) => readiness === "not-ready");
  return {
    awaited: lacking.filter(isAwaited),
    missed: lacking.filter((pod) => !isAwaited(pod)),
  };
}

const isNamed = (namespace: string, { daemonSets }: Pick<UpgradeOptions, "daemonSets">): boolean =>
  daemonSets === "all" || daemonSets.includes(namespace);

const othersUntil = ({ readinessSince }: MachineNode, { bookmark }: DaemonDemands): Instant =>
  earliest(later(readinessSince, othersHave), later(bookmark.since, othersEnd));

/** The namespaces without whose DaemonSets this upgrade has admitted a node. */
const namespacesWithout = ({ nodes, bookmark }: DaemonDemands): ReadonlySet<string> =>
  new Set([...nodes.values()].flatMap((node) => tryWithout(node, bookmark.id) ?? []));

const mostNames = 3;

/** Names some pods of DaemonSets. */
export function podNames(pods: readonly DaemonPod[]): string {
  const names = pods.slice(0, mostNames).map(({ namespace, name }) => `${namespace}/${name}`);
  const more = pods.length - mostNames;
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
