import type { Marking, Unmarking } from "../../domain/node/marking.ts";
import type { FleetNode } from "../../domain/upgrade/fleet-node.ts";
import type { UpgradeEntry } from "../../domain/upgrade/upgrade-entry.ts";
import type { NodeWrite } from "../../ports/cluster.ts";
import type { UpgradeTools } from "./upgrade-tools.ts";

type Deed = Extract<UpgradeEntry, { readonly kind: "upgrade-nodes" }>["deed"];

/** What is written to some nodes. A node that somebody else has written meanwhile is left for the next look. */
export interface NodesWrite {
  readonly upgrade: string;
  readonly deed: Deed;
  readonly nodes: readonly FleetNode[];
  /** `undefined` where there is nothing to write. */
  change(node: FleetNode): Change | undefined;
}

type Change =
  | { readonly kind: "mark"; readonly marking: Marking }
  | { readonly kind: "unmark"; readonly unmarking: Unmarking };

// The API server has others to serve too.
const together = 10;

/** Writes to nodes, some at a time, and tells the journal which of them are written. */
export async function writeNodes(
  { upgrade, deed, nodes, change }: NodesWrite,
  { ports: { cluster, journal } }: UpgradeTools,
): Promise<void> {
  const write = async (node: FleetNode): Promise<NodeWrite> => {
    const what = change(node);
    if (what === undefined) return "gone";
    return what.kind === "mark"
      ? cluster.mark(node, () => what.marking)
      : cluster.unmark(node, what.unmarking);
  };
  for (let at = 0; at < nodes.length; at += together) {
    const part = nodes.slice(at, at + together);
    const answers = await Promise.all(part.map(write));
    const written = part.filter((_, index) => answers[index] === "marked");
    const names = written.map(({ name }) => name);
    if (names.length > 0)
      journal.record({ kind: "upgrade-nodes", upgrade, deed, nodes: names, left: [] });
  }
}

/** A change that removes what is said. */
export const unmarking = (what: Unmarking | undefined): Change | undefined =>
  what === undefined ? undefined : { kind: "unmark", unmarking: what };

/** A change that adds what is said. */
export const marking = (what: Marking): Change => ({ kind: "mark", marking: what });
