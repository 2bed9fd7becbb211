import type { V1Node } from "@kubernetes/client-node";

const hex = (seed: number, digits: number): string =>
  Array.from(
    { length: digits },
    (_, place) =>
      ((Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(place + 7, 0x85ebca6b)) >>> 11) % 16,
  )
    .map((digit) => digit.toString(16))
    .join("");

/** The images on a node: most nodes of a cluster have the same ones, in another order. */
const images = (index: number) =>
  Array.from({ length: 45 }, (_, place) => {
    const image = (place * 7 + index) % 60;
    const name = `602401143452.dkr.ecr.eu-west-1.amazonaws.com/team-${image % 9}/service-${image}`;
    return {
      names: [`${name}@sha256:${hex(image, 64)}`, `${name}:v1.${image}.0-${hex(image, 7)}`],
      sizeBytes: 40_000_000 + image * 1_234_567,
    };
  });

const conditions = (at: Date) =>
  (
    [
      ["MemoryPressure", "False", "KubeletHasSufficientMemory"],
      ["DiskPressure", "False", "KubeletHasNoDiskPressure"],
      ["PIDPressure", "False", "KubeletHasSufficientPID"],
      ["Ready", "True", "KubeletReady"],
      ["KernelReady", "True", "KernelIsReady"],
      ["NetworkingReady", "True", "NetworkingIsReady"],
      ["StorageReady", "True", "DiskIsReady"],
      ["ContainerRuntimeReady", "True", "ContainerRuntimeIsReady"],
    ] as const
  ).map(([type, status, reason]) => ({
    ...{ type, status, reason, message: `${reason}, says the agent` },
    ...{ lastHeartbeatTime: at, lastTransitionTime: at },
  }));

/** A node as long as those of EKS are, with no kubelet. */
export function longNode(index: number, at: Date): V1Node {
  const zone = `eu-west-1${"abc"[index % 3]}`;
  const name = `ip-10-0-${Math.floor(index / 250)}-${index % 250}.eu-west-1.compute.internal`;
  const labels = Array.from({ length: 20 }, (_, label) => [
    `team.example.com/label-${label}`,
    hex(label % 3 === 0 ? index : label, 24),
  ]);
  return {
    metadata: {
      name,
      labels: { ...Object.fromEntries(labels), "topology.kubernetes.io/zone": zone },
      annotations: {
        "csi.volume.kubernetes.io/nodeid": `{"ebs.csi.aws.com":"i-${hex(index, 17)}"}`,
      },
    },
    spec: { providerID: `aws:///${zone}/${instanceOfLongNode(index)}` },
    status: {
      conditions: conditions(at),
      images: images(index),
      addresses: [
        { type: "InternalIP", address: `10.0.${Math.floor(index / 250)}.${index % 250}` },
        { type: "InternalDNS", address: name },
      ],
      nodeInfo: {
        ...{ architecture: "amd64", operatingSystem: "linux", kubeProxyVersion: "" },
        ...{
          bootID: hex(index, 32),
          machineID: hex(index + 1, 32),
          systemUUID: hex(index + 2, 32),
        },
        ...{ kernelVersion: "6.12.40-64.114.amzn2023.x86_64", kubeletVersion: "v1.36.2" },
        ...{ osImage: "Amazon Linux 2023.9", containerRuntimeVersion: "containerd://2.1.4" },
      },
    },
  };
}

/** The instance of such a node. */
export const instanceOfLongNode = (index: number): string => `i-${String(index).padStart(17, "0")}`;
