// What the commands tell of making room. Each loads what it needs, because all modules together take long.
export const inPlan = () => import("./in-plan.ts");
export const inStatus = () => import("./in-status.ts");

/** The additional rights in the cluster for a status. */
export const statusRights = [
  { apiGroups: ["apps"], resources: ["deployments", "replicasets"], verbs: ["get", "list"] },
  { apiGroups: ["autoscaling"], resources: ["horizontalpodautoscalers"], verbs: ["list"] },
  { apiGroups: ["keda.sh"], resources: ["scaledobjects"], verbs: ["get", "list"] },
] as const;
