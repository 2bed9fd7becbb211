/** What `status` needs to be allowed in AWS; the construct's `grantStatus` allows the same. */
export const statusActions: readonly string[] = [
  "autoscaling:DescribeAutoScalingGroups",
  "autoscaling:DescribeLifecycleHooks",
  "cloudformation:DescribeStacks",
  "eks:DescribeCluster",
  "lambda:GetFunctionConfiguration",
  "logs:FilterLogEvents",
  "sqs:GetQueueAttributes",
];

/** What judging repairs needs besides, where the deployment repairs. */
export const repairActions: readonly string[] = [
  "arc-zonal-shift:ListZonalShifts",
  "autoscaling:DescribeInstanceRefreshes",
  "autoscaling:DescribeScalingActivities",
  "ec2:DescribeInstances",
];

/** What `status` needs to be allowed in the cluster. */
export const statusRights = [
  { apiGroups: [""], resources: ["nodes", "pods"], verbs: ["list"] },
  { apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: ["list"] },
  { apiGroups: ["apps"], resources: ["daemonsets"], verbs: ["get"] },
] as const;
