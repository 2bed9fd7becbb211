import { type InstanceId, instanceId } from "../base/ids.ts";
import { later, never, seconds } from "../base/time.ts";
import type { NodesView } from "../drain/drain.port.ts";
import { type Node, runsOn } from "../drain/node.ts";
import type { Recurring } from "../notice/background-task.flow.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import type { LaunchPorts } from "./launch.port.ts";
import type { Namesake } from "./launch-step.ts";

/** The ports of a launch, and the removal of a node that occupies a name of the launched instance. */
export interface AwaitPorts extends LaunchPorts {
  /** Removes the node of an instance that is gone, if it may be removed. */
  removeLeft(instance: InstanceId): Promise<unknown>;
}

type SearchPorts = Pick<AwaitPorts, "clock" | "instances" | "journal" | "removeLeft">;

/** An instance whose node has a name of the launched one. */
export interface Former {
  readonly instance: InstanceId;
  readonly isEnded: Namesake["isEnded"];
}

/** The node that has a name of the launched instance but belongs to another one. */
export function namesakeIn(
  view: Pick<NodesView, "nodes">,
  instance: InstanceId,
  former: Former | undefined,
): Namesake | "none" {
  const node = view.nodes().find((one) => isOfOther(one, instance));
  if (node === undefined) return "none";
  const other = instanceOf(node);
  return {
    node,
    instance: other,
    isEnded: former?.instance === other ? former.isEnded : "unclear",
  };
}

const isOfOther = (node: Node, instance: InstanceId): boolean =>
  node.providerId.startsWith("aws:") && !runsOn(node, instance);

const instanceOf = ({ providerId }: Node): InstanceId =>
  instanceId(providerId.slice(providerId.lastIndexOf("/") + 1));

// The time between two requests to EC2.
const betweenLooks = seconds(15);

/**
 * While the node of another instance has a name of the launched one, asks EC2 every 15 seconds whether that instance has
 * ended. If so, has the node removed, because the launched instance's kubelet would report to it.
 */
export function formerSearch(
  view: Pick<NodesView, "nodes">,
  instance: InstanceId,
  ports: SearchPorts,
): Recurring<Former> {
  const { clock, journal } = ports;
  let due = clock.now();
  return {
    due: () => (namesakeIn(view, instance, undefined) === "none" ? never : due),
    async work() {
      due = later(clock.now(), betweenLooks);
      const namesake = namesakeIn(view, instance, undefined);
      if (namesake === "none") return { instance, isEnded: "unclear" };
      try {
        return await formerOf(namesake, ports);
      } catch (cause) {
        journal.record({ ...faultEntry(cause), retryable: true });
        return { instance: namesake.instance, isEnded: "unclear" };
      }
    },
  };
}

async function formerOf(
  { instance }: Namesake,
  { instances, removeLeft }: SearchPorts,
): Promise<Former> {
  const ec2Instance = await instances.describe(instance);
  if (ec2Instance !== "unknown" && ec2Instance.life !== "terminated")
    return { instance, isEnded: "no" };
  await removeLeft(instance);
  return { instance, isEnded: "yes" };
}
