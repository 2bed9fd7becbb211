import { admissionBindings, admissionPolicies } from "./admission-resources.ts";
import {
  autoscalers,
  daemonSets,
  deployments,
  replicaSets,
  statefulSets,
} from "./app-resources.ts";
import { budgets } from "./budget.ts";
import { configMaps, namespaces, nodes, pods, services } from "./core-resources.ts";
import { resourceClaims, resourceSlices } from "./device-resources.ts";
import { kubeEvents } from "./kube-event.ts";
import type { Resource } from "./resource.ts";
import {
  persistentVolumeClaims,
  persistentVolumes,
  volumeAttachments,
} from "./volume-resources.ts";

/** Every resource there is. */
export const allResources: readonly Resource[] = [
  nodes,
  pods,
  namespaces,
  configMaps,
  services,
  kubeEvents,
  persistentVolumes,
  persistentVolumeClaims,
  daemonSets,
  replicaSets,
  deployments,
  statefulSets,
  autoscalers,
  budgets,
  volumeAttachments,
  resourceClaims,
  resourceSlices,
  admissionPolicies,
  admissionBindings,
];
