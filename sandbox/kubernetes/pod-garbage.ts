import { type Instant, later, seconds } from "../../lambda/base/time.ts";
import { nodes, pods } from "./core-resources.ts";
import { disrupted } from "./deletion.ts";
import { terminating } from "./kube-object.ts";
import { type Machinery, reconcile } from "./machinery.ts";
import { type Node, nodeReady } from "./node.ts";
import type { Pod } from "./pod.ts";
import { refTo } from "./resource.ts";

/** The time for which a node must be gone: 40 s of quarantine and one round of 20 s. */
const quarantine = seconds(60);
const why = { reason: "DeletionByPodGC", message: "PodGC: node no longer exists" };

const outOfService = "node.kubernetes.io/out-of-service";
const isLost = (node: Node): boolean =>
  !nodeReady(node) && node.spec.taints?.some(({ key }) => key === outOfService) === true;

/** Fails and removes pods whose node has been gone for a while, and those that end on a node that is out of service. */
export function collectPods(machinery: Machinery): void {
  const { store, deleter, timeline } = machinery;
  const goneSince = new Map<string, Instant>();
  const remove = (pod: Pod): void => {
    const failed = store.update(refTo(pods, pod), (current): Pod => {
      const marked = disrupted(current, why, timeline.now());
      return { ...marked, status: { ...marked.status, phase: "Failed" } };
    });
    deleter.tryDelete(pods, failed, 0);
  };
  const miss = (pod: Pod, node: string): void => {
    const since = goneSince.get(node) ?? timeline.now();
    goneSince.set(node, since);
    const due = later(since, quarantine);
    if (due > timeline.now()) wake.at(due);
    else remove(pod);
  };
  const look = (pod: Pod, name: string): void => {
    const node = store.tryGet({ resource: nodes, name });
    if (node === undefined) miss(pod, name);
    else goneSince.delete(name);
    if (node !== undefined && isLost(node) && terminating(pod)) remove(pod);
  };
  const wake = reconcile(machinery, [nodes, pods], () => {
    for (const pod of store.list(pods)) if (pod.spec.nodeName) look(pod, pod.spec.nodeName);
  });
}
