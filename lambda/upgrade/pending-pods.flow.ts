import type { GroupNodes } from "../group-work/group-nodes.port.ts";
import { isExcessive, type NamespacePods, type PendingPods, pendingIn } from "./pending-pods.ts";

// One namespace costs one request.
const mostAsked = 20;

/** Counts the pods that wait for a node, and where they are many also those of their namespaces that run. */
export async function pendingPods(
  groupNodes: Pick<GroupNodes, "pendingPods" | "runningPods">,
): Promise<PendingPods> {
  const all = [...(await groupNodes.pendingPods())].toSorted(([, a], [, b]) => b - a);
  const namespaces = all.map(async ([namespace, pending], at): Promise<NamespacePods> => {
    const isAsked = at < mostAsked && isExcessive({ pending });
    const running = isAsked ? await groupNodes.runningPods(namespace) : 0;
    return { namespace, pending, running };
  });
  return pendingIn(await Promise.all(namespaces));
}
