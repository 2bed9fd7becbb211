import { hasCondition, type KubeObject, type StatusCondition } from "./kube-object.ts";

/** What keeps pods off a node. */
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
