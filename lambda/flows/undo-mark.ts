import { Bell } from "../bell.ts";
import type { InstanceId } from "../domain/ids.ts";
import { namesOf } from "../domain/machine.ts";
import { tryUnmarking } from "../domain/marking.ts";
import type { Node, Taint } from "../domain/node.ts";
import { later, milliseconds } from "../domain/time.ts";
import type { Ports } from "../ports.ts";

const attempts = 6;
const pause = milliseconds(750);

/** Opens the node of an instance again whose termination was called off: what of the mark is ours is taken back. */
export async function undoMark(
  instance: InstanceId,
  taints: readonly Taint[],
  ports: Ports,
): Promise<void> {
  const names = namesOf(await ports.instances.machine(instance));
  for (let tried = 0; tried < attempts; tried += 1) {
    const node = await ports.cluster.findNode(instance, names);
    if (node === "absent" || (await undone(node, taints, ports))) return;
    await ports.clock.sleep(later(ports.clock.now(), pause), new Bell());
  }
}

async function undone(
  node: Node,
  taints: readonly Taint[],
  { cluster, journal }: Ports,
): Promise<boolean> {
  const unmarking = tryUnmarking(node, taints);
  if (unmarking === undefined) return true;
  const answer = await cluster.unmark(node, unmarking);
  if (answer === "changed") return false;
  if (answer === "marked") journal.record({ kind: "mark-undone", node: node.name });
  return true;
}
