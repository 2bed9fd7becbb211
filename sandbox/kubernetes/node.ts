import type { Instant } from "../../lambda/base/time.ts";
import { zoneId } from "../aws/zonal-shifts.ts";
import { type Draft, hasCondition, type KubeObject, type StatusCondition } from "./kube-object.ts";
import { wireTime } from "./kube-time.ts";

/** A taint, which keeps pods off a node. */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: string;
}

/** A node. */
export interface Node extends KubeObject {
  readonly spec: {
    readonly providerID?: string;
    readonly unschedulable?: boolean;
    readonly taints?: readonly Taint[];
  };
  readonly status: {
    readonly conditions?: readonly StatusCondition[];
    readonly allocatable?: { readonly pods?: string };
    readonly volumesAttached?: readonly { readonly name: string; readonly devicePath: string }[];
    readonly nodeInfo?: { readonly bootID?: string; readonly [field: string]: unknown };
    readonly [field: string]: unknown;
  };
}

/** Whether a node's kubelet reports the node ready. */
export const nodeReady = (node: Node): boolean =>
  hasCondition(node.status.conditions, "Ready", "True");

/** A node to be added. */
export interface NodeOptions {
  readonly name: string;
  /** Such as `aws:///eu-west-1a/i-07e9ea9eb19a67337`; the draft takes the zone label from it. */
  readonly providerID?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
  /** @default "ready" */
  readonly state?: "ready" | "not-ready";
  /** @default 110 */
  readonly maxPods?: number;
  /** @default the version of the cluster */
  readonly kubeletVersion?: string;
  /** @default an image of Amazon Linux 2023 */
  readonly osImage?: string;
  /** @default containerd 2 */
  readonly runtime?: string;
  /** Its internal address. @default none */
  readonly address?: string;
}

function zoneLabels(providerID: string): Readonly<Record<string, string>> {
  const [, zone] = /^aws:\/\/\/([^/]+)\//.exec(providerID) ?? [];
  if (zone === undefined) return {};
  const region = zone.replace(/[a-z]$/, "");
  return {
    "topology.k8s.aws/zone-id": zoneId(zone),
    "topology.kubernetes.io/region": region,
    "topology.kubernetes.io/zone": zone,
  };
}

const pressures: readonly (readonly [type: string, reason: string, message: string])[] = [
  ["MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"],
  ["DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"],
  ["PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"],
];

/** The conditions that a kubelet reports for its node. */
export function nodeConditions(
  state: "ready" | "not-ready",
  now: Instant,
): readonly StatusCondition[] {
  const times = { lastHeartbeatTime: wireTime(now), lastTransitionTime: wireTime(now) };
  const calm = pressures.map(
    ([type, reason, message]): StatusCondition => ({
      type,
      status: "False",
      ...times,
      reason,
      message,
    }),
  );
  const ready: StatusCondition =
    state === "ready"
      ? {
          type: "Ready",
          status: "True",
          ...times,
          reason: "KubeletReady",
          message: "kubelet is posting ready status",
        }
      : {
          type: "Ready",
          status: "False",
          ...times,
          reason: "KubeletNotReady",
          message: "container runtime network not ready",
        };
  return [...calm, ready];
}

/** A node as its kubelet registers it. */
export function nodeDraft(options: NodeOptions & { bootID: string }, now: Instant): Draft<Node> {
  const { name, providerID, labels, taints, unschedulable, state = "ready", address } = options;
  const { kubeletVersion = "v1.36.2", bootID } = options;
  const { osImage = "Amazon Linux 2023.9.20251105", runtime = "containerd://2.1.5" } = options;
  return {
    metadata: {
      name,
      labels: {
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
        ...zoneLabels(providerID ?? ""),
        ...labels,
      },
    },
    spec: {
      ...(providerID === undefined ? {} : { providerID }),
      ...(unschedulable ? { unschedulable } : {}),
      ...(taints === undefined ? {} : { taints }),
    },
    status: {
      allocatable: { pods: String(options.maxPods ?? 110) },
      conditions: nodeConditions(state, now),
      addresses: [
        ...(address === undefined ? [] : [{ type: "InternalIP", address }]),
        { type: "Hostname", address: name },
      ],
      nodeInfo: {
        bootID,
        kubeletVersion,
        osImage,
        containerRuntimeVersion: runtime,
        operatingSystem: "linux",
        architecture: "amd64",
      },
    },
  };
}
