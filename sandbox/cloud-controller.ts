import { type Duration, later, seconds } from "../lambda/base/time.ts";
import { nodes } from "./kubernetes/core-resources.ts";
import type { Node } from "./kubernetes/node.ts";
import type { World } from "./scenario.ts";

const label = "node.kubernetes.io/exclude-from-external-load-balancers";
// A value that Go's ParseBool reads as false leaves a node in its load balancers.
const isFalse = /^(0|f|F|false|False|FALSE)$/;

/** Whether the labels of a node take it out of its load balancers. */
export function isExcludedBy(labels: Readonly<Partial<Record<string, string>>> = {}): boolean {
  const value = labels[label];
  return value !== undefined && !isFalse.test(value);
}

/** The instance of a node with this provider ID. */
export const instanceIn = (providerId = ""): string => providerId.split("/").at(-1) ?? "";

/** Takes labelled nodes out of the load balancers that follow labels, some time after the label is there. */
export function excludeLabelledNodes(
  { aws, cluster }: World,
  reaction: Duration = seconds(3),
): void {
  cluster.store.subscribe(({ resource, after }) => {
    if (resource !== nodes || after === undefined) return;
    const { metadata, spec } = after as Node;
    if (!isExcludedBy(metadata.labels)) return;
    const instance = instanceIn(spec.providerID);
    const { timeline } = aws;
    timeline.schedule(later(timeline.now(), reaction), () => aws.elb.exclude(instance));
  });
}
