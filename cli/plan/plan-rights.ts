/** The Kubernetes rights that `plan` needs, and what else looks at pods as it does. Few claims and volumes are read one by one. */
export const planRights = [
  { apiGroups: [""], resources: ["nodes", "pods"], verbs: ["list"] },
  { apiGroups: [""], resources: ["persistentvolumeclaims"], verbs: ["get"] },
  { apiGroups: [""], resources: ["persistentvolumes"], verbs: ["get", "list"] },
  { apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: ["list"] },
  { apiGroups: ["apps"], resources: ["daemonsets"], verbs: ["get"] },
  {
    apiGroups: ["resource.k8s.io"],
    resources: ["resourceclaims", "resourceslices"],
    verbs: ["list"],
  },
] as const;

/** The AWS actions that `plan` needs. The first is for reaching the cluster; without one of the others it says less. */
export const planActions = [
  "eks:DescribeCluster",
  "arc-zonal-shift:ListZonalShifts",
  "autoscaling:Describe*",
  "cloudformation:DescribeStacks",
  "ec2:DescribeCapacityReservations",
  "ec2:DescribeInstances",
  "elasticloadbalancing:Describe*",
  "lambda:GetFunctionConfiguration",
] as const;

/** The same for people, a line each. */
export const planRightsLines = planRights
  .map(({ verbs, resources }) => `  ${verbs.join(", ")} ${resources.join(", ")}`)
  .join("\n");
