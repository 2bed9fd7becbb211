/** What `upgrade` needs to be allowed in AWS; the construct's `grantUpgrade` allows the same. */
export const upgradeActions: readonly string[] = [
  "autoscaling:DescribeAutoScalingGroups",
  "autoscaling:DescribeAutoScalingInstances",
  "autoscaling:DescribeInstanceRefreshes",
  "autoscaling:DescribeWarmPool",
  "cloudformation:DescribeStacks",
  "ec2:DescribeLaunchTemplateVersions",
  "eks:DescribeCluster",
  "lambda:GetFunctionConfiguration",
  "logs:FilterLogEvents",
  "sqs:SendMessage",
];
