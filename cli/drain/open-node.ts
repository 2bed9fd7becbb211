import type { NodeName } from "../../lambda/domain/ids.ts";
import { exclusionLabel } from "../../lambda/domain/node/marking.ts";
import type { Taint } from "../../lambda/domain/node/node.ts";
import { overOthers } from "../../lambda/flows/mark/over-others.ts";
import { removeMark } from "../../lambda/flows/mark/undo-mark.ts";
import type { Ports } from "../../lambda/ports/ports.ts";
import { CommandFailure } from "../command-failure.ts";

/** Takes our mark from a node, and says how the node stands then. */
export async function openNode(
  name: NodeName,
  taints: readonly Taint[],
  ports: Ports,
): Promise<string> {
  const { cluster, clock } = ports;
  const answer = await overOthers(async () => {
    const node = await cluster.node(name);
    return node === "absent" ? "gone" : removeMark(node, taints, ports);
  }, clock);
  const again = "look who does, and repeat the command";
  if (answer === "changed")
    throw new CommandFailure(`others keep writing node ${name}; its mark is still there`, again);
  const node = await cluster.node(name);
  if (node === "absent") return `node ${name} is gone`;
  if (node.unschedulable)
    return `our mark is taken from node ${name}; it stays cordoned, as it was before`;
  const label = exclusionLabel in node.labels ? `; it keeps its own label ${exclusionLabel}` : "";
  return `node ${name} is open again${label}`;
}
