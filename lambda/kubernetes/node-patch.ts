import type { Marking } from "../drain/marking.ts";
import type { Node, Taint } from "../drain/node.ts";
import type { Unmarking } from "../drain/unmarking.ts";

/** The merge patch that marks or unmarks a node if nobody wrote the node since it was read. */
export function nodePatch({ uid, resourceVersion }: Node, change: Marking | Unmarking) {
  const { labels, annotations, unschedulable, taints } = change;
  const spec = {
    ...(unschedulable === "as it is" ? {} : { unschedulable }),
    ...(taints === "as they are" ? {} : { taints: taints.map(taintBody) }),
  };
  return { metadata: { uid, resourceVersion, labels, annotations }, spec };
}

const taintBody = ({ key, value, effect, timeAdded }: Taint) => ({
  key,
  effect,
  ...(value === "" ? {} : { value }),
  ...(timeAdded === "" ? {} : { timeAdded }),
});
