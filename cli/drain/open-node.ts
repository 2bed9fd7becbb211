import { exclusionLabel, markedAtAnnotation } from "../../lambda/drain/marking.ts";
import type { Node, Taint } from "../../lambda/drain/node.ts";
import { overOthers } from "../../lambda/drain/over-others.flow.ts";
import { removeMark } from "../../lambda/drain/undo-mark.flow.ts";
import { hasTurn } from "../../lambda/drain/upgrade-turn.ts";
import type { Ports } from "../../lambda/registrations/ports.ts";
import { CommandFailure } from "../command-failure.ts";

/** A node to open. */
interface Wish {
  readonly node: Node;
  readonly taints: readonly Taint[];
  /** Throws if its mark, as it is now, is not one that a person may take away. */
  readonly assertStill: (node: Node) => void;
}

/** Takes our mark from a node, and says how the node stands then. */
export async function openNode(wish: Wish, ports: Ports): Promise<string> {
  const { taints, assertStill } = wish;
  const { name, annotations } = wish.node;
  const { cluster, clock } = ports;
  const answer = await overOthers(async () => {
    const node = await cluster.node(name);
    // Somebody else, or a request of ours whose answer was lost, may have taken the mark away.
    if (node === "absent" || !(markedAtAnnotation in node.annotations)) return "gone";
    assertStill(node);
    return removeMark(node, taints, ports);
  }, clock);
  const again = "look who does, and repeat the command";
  if (answer === "changed")
    throw new CommandFailure(`others keep writing node ${name}; its mark is still there`, again);
  const node = await cluster.node(name);
  if (node === "absent") return `node ${name} is gone`;
  if (node.unschedulable && hasTurn(node))
    return `our mark is taken from node ${name}; it stays closed, for an upgrade drains it`;
  if (node.unschedulable)
    return `our mark is taken from node ${name}; it stays cordoned, as it was before`;
  const label = exclusionLabel in node.labels ? `; it keeps its own label ${exclusionLabel}` : "";
  const open = markedAtAnnotation in annotations ? "open again" : "open: it had no mark of ours";
  return `node ${name} is ${open}${label}`;
}
