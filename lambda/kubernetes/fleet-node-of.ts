import type { V1Node } from "@kubernetes/client-node";
import type { FleetNode } from "../upgrade/fleet-nodes.port.ts";
import type { AsSent } from "./as-sent.ts";
import { machineNodeOf } from "./node-of.ts";

/** Reads a node of the Kubernetes API, with what an upgrade asks of it besides. */
export function fleetNodeOf(sent: AsSent<V1Node>): FleetNode {
  const { addresses = [], nodeInfo } = sent.status ?? {};
  return {
    ...machineNodeOf(sent),
    kubeletVersion: nodeInfo?.kubeletVersion ?? "",
    address: addresses.find(({ type }) => type === "InternalIP")?.address ?? "",
  };
}
