import type { V1Node } from "@kubernetes/client-node";
import { legible } from "../../lambda/base/legible.ts";
import type { Node } from "../../lambda/drain/node.ts";
import type { AsSent } from "../../lambda/kubernetes/as-sent.ts";
import { nodeOf } from "../../lambda/kubernetes/node-of.ts";

/** The software of a node, as its kubelet reports it; a field is empty if the kubelet has not reported it. */
export interface NodeSoftware {
  /** Such as `v1.35.2-eks-1234567`. */
  readonly kubelet: string;
  /** Such as `Amazon Linux 2023.9.20251105`. */
  readonly osImage: string;
  /** Such as `containerd://2.1.5`. */
  readonly runtime: string;
}

/** A node with its software. */
export interface SoftwareNode extends Node {
  readonly software: NodeSoftware;
}

// EKS chooses the image and the runtime of these nodes itself.
const isOfFargate = ({ metadata }: AsSent<V1Node>): boolean =>
  metadata?.labels?.["eks.amazonaws.com/compute-type"] === "fargate";

/** Reads a node of the Kubernetes API with its software; of a node of Fargate only the kubelet. */
export function softwareNodeOf(sent: AsSent<V1Node>): SoftwareNode {
  const { kubeletVersion, osImage, containerRuntimeVersion } = sent.status?.nodeInfo ?? {};
  const kubelet = bounded(kubeletVersion);
  const software = isOfFargate(sent)
    ? { kubelet, osImage: "", runtime: "" }
    : { kubelet, osImage: bounded(osImage), runtime: bounded(containerRuntimeVersion) };
  return { ...nodeOf(sent), software };
}

const mostLetters = 100;

const bounded = (text = ""): string => legible(text.slice(0, mostLetters));
