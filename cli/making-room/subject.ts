// Making room in each command. Each part loads its modules late, because all together take long.
export const inPlan = () => import("./in-plan.ts");
export const inStatus = () => import("./in-status.ts");

/** The additional rights in the cluster for a status. */
export const statusRights = [
  { apiGroups: ["apps"], resources: ["deployments", "replicasets"], verbs: ["get", "list"] },
  { apiGroups: ["autoscaling"], resources: ["horizontalpodautoscalers"], verbs: ["list"] },
  { apiGroups: ["keda.sh"], resources: ["scaledobjects"], verbs: ["get", "list"] },
] as const;
