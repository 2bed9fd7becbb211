import { describe, expect, it } from "vitest";
import { supportText, trySupportEnds } from "../../../cli/upgrade/support-calendar.ts";
import {
  blockText,
  type VersionedNode,
  versionBlocks,
} from "../../../cli/upgrade/version-blocks.ts";

const aNode = (change: Partial<VersionedNode["software"]> = {}, group = "workers") => ({
  group,
  software: {
    kubelet: "v1.35.2-eks-1234567",
    osImage: "Amazon Linux 2023.9.20251105",
    runtime: "containerd://2.1.5",
    ...change,
  },
});
const al2 = { kubelet: "v1.32.9-eks-1", osImage: "Amazon Linux 2", runtime: "containerd://1.7.29" };
const reasonsOf = (nodes: readonly VersionedNode[], minor: number) =>
  versionBlocks(nodes, minor).map(({ holds, reason }) => `${holds} ${reason}`);

describe("what holds up a step of the control plane", () => {
  it.each<[string, VersionedNode["software"]["kubelet"], number, readonly string[]]>([
    ["as new as the control plane", "v1.35.2", 35, ["previous newer-kubelet"]],
    ["newer than the control plane", "v1.36.0", 35, ["previous newer-kubelet"]],
    ["one version behind", "v1.34.9", 35, []],
    ["three behind, so that the next would be the fourth", "v1.32.1", 35, ["next older-kubelet"]],
    ["two behind", "v1.33.1", 35, []],
    ["unknown", "", 35, []],
    ["of no known form", "devel", 35, []],
  ])("is or is not a kubelet that is %s", (_, kubelet, minor, found) => {
    expect(reasonsOf([aNode({ kubelet })], minor)).toEqual(found);
  });

  it.each<[string, Partial<VersionedNode["software"]>, number, readonly string[]]>([
    [
      "Amazon Linux 2 on the way to 1.33",
      al2,
      32,
      ["previous newer-kubelet", "next amazon-linux-2"],
    ],
    ["Amazon Linux 2 before", { osImage: "Amazon Linux 2" }, 31, ["previous newer-kubelet"]],
    [
      "containerd 1 on the way to 1.36",
      { runtime: "containerd://1.7.29" },
      35,
      ["next containerd-1"],
    ],
    ["containerd 1 before", { runtime: "containerd://1.7.29" }, 34, []],
    ["another runtime", { runtime: "cri-o://1.34.1" }, 35, []],
    ["Ubuntu 20.04 on the way to 1.35", { osImage: "Ubuntu 20.04.6 LTS" }, 34, ["next cgroup-v1"]],
    ["Ubuntu 20.04 before", { osImage: "Ubuntu 20.04.6 LTS" }, 33, []],
    ["Ubuntu 22.04", { osImage: "Ubuntu 22.04.5 LTS" }, 34, []],
    ["Red Hat 8", { osImage: "Red Hat Enterprise Linux 8.10 (Ootpa)" }, 34, ["next cgroup-v1"]],
    ["Red Hat 9", { osImage: "Red Hat Enterprise Linux 9.4 (Plow)" }, 34, []],
    ["Oracle Linux 8", { osImage: "Oracle Linux Server 8.10" }, 34, ["next cgroup-v1"]],
    ["Oracle Linux 9", { osImage: "Oracle Linux Server 9.4" }, 34, []],
    ["CentOS Stream 8", { osImage: "CentOS Stream 8" }, 34, ["next cgroup-v1"]],
    ["CentOS Stream 9", { osImage: "CentOS Stream 9" }, 34, []],
    // Its kubelet takes cgroup v1.
    ["Bottlerocket", { osImage: "Bottlerocket OS 1.20.0 (aws-k8s-1.34)" }, 34, []],
  ])("is or is not %s", (_, change, minor, found) => {
    const isOld = found[0]?.startsWith("previous") === true;
    const kubelet = `v1.${isOld ? minor : minor - 1}.0`;
    expect(reasonsOf([aNode({ ...change, kubelet })], minor)).toEqual(found);
  });

  it("is counted by group, in the order of their names, and told in words", () => {
    const nodes = [aNode({}, "web"), aNode({}, ""), aNode(), aNode({ kubelet: "v1.34.1" })];
    const blocks = versionBlocks([...nodes, aNode()], 35);

    expect(blocks.map(({ group, nodes: count }) => [group, count])).toEqual([
      ["", 1],
      ["web", 1],
      ["workers", 2],
    ]);
    expect(blocks.map(blockText)).toEqual([
      "without a group: 1 node with a kubelet newer than 1.34",
      "web: 1 node with a kubelet newer than 1.34",
      "workers: 2 nodes with a kubelet newer than 1.34",
    ]);
  });
});

describe("the calendar of support", () => {
  it("tells both ends of a version, and when it was read", () => {
    expect(supportText("1.35")).toBe(
      "standard support ends on 2027-03-27, extended support on 2028-03-27 (calendar of EKS, read on 2026-04-24)",
    );
  });

  it("says that it does not have a version, and invents no date", () => {
    expect(trySupportEnds("1.36")).toBeUndefined();
    expect(supportText("1.36")).toBe(
      "when its support ends is not in the calendar that was read on 2026-04-24",
    );
  });
});
