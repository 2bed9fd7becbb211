import type { InstanceId, NodeName } from "../base/ids.ts";
import { type Instant, later, seconds } from "../base/time.ts";
import type { Recurring } from "../notice/background-task.flow.ts";
import type { LaunchPorts } from "../registrations/ports.ts";

// A node that nobody can name is found this late; each look is a list of all nodes.
const betweenSearches = seconds(15);

/** Looks for the node of an instance among all nodes, now and then: the node may have a name that EC2 does not know. */
export function nodeSearch(
  instance: InstanceId,
  first: "at once" | "later",
  { cluster, clock }: Pick<LaunchPorts, "cluster" | "clock">,
): Recurring<NodeName | "absent"> {
  const next = (): Instant => later(clock.now(), betweenSearches);
  let due = first === "at once" ? clock.now() : next();
  return {
    due: () => due,
    work() {
      due = next();
      return cluster.nodeNameOf(instance);
    },
  };
}
