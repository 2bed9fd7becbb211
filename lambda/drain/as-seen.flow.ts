import { earliest, type Instant } from "../base/time.ts";
import type { DrainPorts } from "./drain.port.ts";
import type { MachineNode } from "./node.ts";

/** A node whose state has lasted since this process first saw it so, where the clocks of its kubelet and agents are ahead of the servers'. */
export function asSeen(
  node: MachineNode,
  { sightings }: Pick<DrainPorts, "sightings">,
): MachineNode {
  const { uid, readiness, conditions } = node;
  const known = (what: string, said: string, at: Instant): Instant =>
    earliest(at, sightings.since(uid, what, `${said} ${at}`));
  return {
    ...node,
    readinessSince: known("the readiness", readiness, node.readinessSince),
    conditions: conditions.map((one) => ({
      ...one,
      since: known(one.type, one.status, one.since),
    })),
  };
}
