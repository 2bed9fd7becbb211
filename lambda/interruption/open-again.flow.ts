import type { NodeName } from "../base/ids.ts";
import type { Instant } from "../base/time.ts";
import { isMarkedFor } from "../drain/cause.ts";
import type { Node } from "../drain/node.ts";
import { overOthers } from "../drain/over-others.flow.ts";
import { removeMark } from "../drain/undo-mark.flow.ts";
import type { Affected } from "./affected.flow.ts";
import type { InterruptionPorts } from "./interruption.port.ts";
import { isDue } from "./maintenance-bounds.ts";
import { isFull, tracesOn } from "./maintenance-trace.ts";

/** The result of opening a node; `contended` if others keep writing it, so that a later pass has to try again. */
export type Opened = "opened" | "left" | "contended";

const believed = () => Promise.resolve(false);

/**
 * Removes the mark that a node got for planned work, unless one of its Health events still asks for it. Some of them may be
 * untrue: where `isOver`, none counts.
 */
export async function openAgain(
  name: NodeName,
  one: Affected,
  ports: InterruptionPorts,
  isOver: () => Promise<boolean> = believed,
): Promise<Opened> {
  const answer = await overOthers(async () => {
    const node = await ports.cluster.node(name);
    if (node === "absent" || !isMarkedFor("maintenance", node)) return "gone";
    if (isAsked(node, one, ports.clock.now()) && !(await isOver())) return "gone";
    return removeMark(node, one.drain.taints, ports);
  }, ports.clock);
  return opened[answer];
}

/** Whether a Health event asks for the mark of a node, or one may that the node had no room for. */
const isAsked = (node: Node, { settings }: Affected, now: Instant): boolean =>
  isFull(node) || isDue(tracesOn(node), settings.maintenanceLead, now);

const opened = { marked: "opened", gone: "left", changed: "contended" } as const;
