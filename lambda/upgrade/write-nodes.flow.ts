import { partsOf } from "../base/parts.ts";
import type { NodeWrite } from "../drain/cluster.port.ts";
import type { Marking } from "../drain/marking.ts";
import { overOthers } from "../drain/over-others.flow.ts";
import type { Unmarking } from "../drain/unmarking.ts";
import type { UpgradePorts } from "../registrations/ports.ts";
import type { FleetNode } from "./fleet-node.ts";
import type { UpgradeEntry } from "./upgrade-entry.ts";
import type { UpgradeTools } from "./upgrade-tools.flow.ts";

type Deed = Extract<UpgradeEntry, { readonly kind: "upgrade-nodes" }>["deed"];

/** What is written to some nodes. A node that others write again and again is left for the next look. */
export interface NodesWrite {
  readonly upgrade: string;
  readonly deed: Deed;
  readonly nodes: readonly FleetNode[];
  /** `undefined` where there is nothing to write. */
  change(node: FleetNode): Marking | Unmarking | undefined;
}

// The API server has others to serve too.
const together = 10;

/** Writes to nodes, some at a time, and tells the journal which of them are written. */
export async function writeNodes(write: NodesWrite, { ports }: UpgradeTools): Promise<void> {
  const { upgrade, deed, nodes } = write;
  const { journal } = ports;
  for (const part of partsOf(nodes, together)) {
    const answers = await Promise.all(part.map((node) => written(node, write, ports)));
    const names = part.filter((_, at) => answers[at] === "marked").map(({ name }) => name);
    if (names.length > 0)
      journal.record({ kind: "upgrade-nodes", upgrade, deed, nodes: names, left: [] });
  }
}

/** Writes to one node, which is read once more when others have written it; Kubernetes itself writes one that is just cordoned. */
async function written(
  node: FleetNode,
  write: NodesWrite,
  { cluster, clock, fleetNodes }: UpgradePorts,
): Promise<NodeWrite> {
  let now: FleetNode | undefined = node;
  return overOthers(async () => {
    const answer = now === undefined ? "gone" : await writeOnce(now, write, cluster);
    if (answer === "changed") [now] = await fleetNodes.nodesOf([node.instance]);
    return answer;
  }, clock);
}

async function writeOnce(
  node: FleetNode,
  { change }: NodesWrite,
  cluster: UpgradePorts["cluster"],
): Promise<NodeWrite> {
  const what = change(node);
  return what === undefined ? "gone" : cluster.mark(node, () => what);
}
