import { counted } from "../../lambda/base/counted.ts";
import { minorOf, mostBehind } from "../../lambda/upgrade/validation.ts";
import type { NodeSoftware } from "../plan/node-software.ts";
import type { VersionBlock } from "./upgrade-schema.ts";

/** A node as it is judged. */
export interface VersionedNode {
  /** Its group; empty if it has none. */
  readonly group: string;
  readonly software: NodeSoftware;
}

interface Rule extends Pick<VersionBlock, "holds" | "reason"> {
  /** The first minor version that does not take these nodes. @default each */
  readonly from?: number;
  readonly is: (software: NodeSoftware, minor: number) => boolean;
}

const isAmazonLinux2 = ({ osImage }: NodeSoftware): boolean => /^Amazon Linux 2\b/.test(osImage);

// `nodeInfo` has no version of cgroups: https://kubernetes.io/docs/concepts/architecture/cgroups/#linux-distribution-cgroup-v2-support
const cgroupV1Images =
  /^(?:CentOS (?:Linux|Stream) [78]\b|(?:Red Hat Enterprise Linux|Oracle Linux|Rocky Linux|AlmaLinux)\D* [78]\.|Debian GNU\/Linux (?:9|10)\b|Ubuntu (?:1\d|20)\.)/;

const rules: readonly Rule[] = [
  {
    holds: "previous",
    reason: "newer-kubelet",
    is: ({ kubelet }, minor) => (minorOf(kubelet) ?? 0) > minor,
  },
  {
    holds: "next",
    reason: "older-kubelet",
    is: ({ kubelet }, minor) => minor - (minorOf(kubelet) ?? minor) > mostBehind,
  },
  // https://docs.aws.amazon.com/eks/latest/userguide/eks-ami-deprecation-faqs.html
  { holds: "next", reason: "amazon-linux-2", from: 33, is: isAmazonLinux2 },
  // https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions-standard.html#kubernetes-1-35
  {
    holds: "next",
    reason: "cgroup-v1",
    from: 35,
    is: ({ osImage }) => cgroupV1Images.test(osImage),
  },
  {
    holds: "next",
    reason: "containerd-1",
    from: 36,
    is: ({ runtime }) => /^containerd:\/\/1\./.test(runtime),
  },
];

/** The version that lies by this many minor versions above another one. */
export const versionBeside = (minor: number, by: -1 | 0 | 1): string => `1.${minor + by}`;

/** The nodes that hold up a step of the control plane from a minor version, by group and reason. */
export const versionBlocks = (
  nodes: readonly VersionedNode[],
  minor: number,
): readonly VersionBlock[] => rules.flatMap((rule) => blocksBy(rule, nodes, minor));

function blocksBy(
  { holds, reason, from = 0, is }: Rule,
  nodes: readonly VersionedNode[],
  minor: number,
): readonly VersionBlock[] {
  const by = holds === "previous" ? -1 : 1;
  const held = nodes.filter(({ software }) => minor + by >= from && is(software, minor + by));
  const groups = [...Map.groupBy(held, ({ group }) => group)];
  return groups
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([group, { length }]) => ({
      holds,
      version: versionBeside(minor, by),
      group,
      nodes: length,
      reason,
    }));
}

const reasons: Readonly<Record<VersionBlock["reason"], (version: string) => string>> = {
  "newer-kubelet": (version) => `with a kubelet newer than ${version}`,
  "older-kubelet": (version) =>
    `with a kubelet more than ${mostBehind} minor versions older than ${version}`,
  "amazon-linux-2": () => "on Amazon Linux 2, of which EKS has no image from 1.33 on",
  "cgroup-v1": () =>
    "on an operating system that has cgroup v1 by default, with which kubelets from 1.35 on do not start",
  "containerd-1": () => "with containerd 1.x, which kubelets from 1.36 on do not take",
};

/** A block in words. */
export const blockText = ({ version, group, nodes, reason }: VersionBlock): string =>
  `${group === "" ? "without a group" : group}: ${counted(nodes, "node")} ${reasons[reason](version)}`;
