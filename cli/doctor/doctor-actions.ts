/** What `doctor` needs to be allowed in AWS; the construct's `grantDoctor` allows the same. */
export const doctorActions: readonly string[] = [
  "autoscaling:DescribeAutoScalingGroups",
  "autoscaling:DescribeLifecycleHooks",
  "cloudformation:DescribeStacks",
  "cloudformation:ListStackResources",
  "cloudwatch:DescribeAlarms",
  "ec2:DescribeRouteTables",
  "ec2:DescribeSecurityGroups",
  "ec2:DescribeSubnets",
  "ec2:DescribeVpcEndpoints",
  "eks:DescribeAccessEntry",
  "eks:DescribeCluster",
  "events:DescribeRule",
  "events:ListTargetsByRule",
  "iam:SimulatePrincipalPolicy",
  "kms:DescribeKey",
  "lambda:GetEventSourceMapping",
  "lambda:GetFunctionConfiguration",
  "logs:FilterLogEvents",
  "sns:GetSubscriptionAttributes",
  "sns:GetTopicAttributes",
  "sns:ListSubscriptionsByTopic",
  "sqs:GetQueueAttributes",
];

/** What `doctor` needs to be allowed in the cluster. */
export const doctorRights = [
  {
    apiGroups: ["authorization.k8s.io"],
    resources: ["subjectaccessreviews"],
    verbs: ["create"],
  },
  {
    apiGroups: ["admissionregistration.k8s.io"],
    resources: ["validatingadmissionpolicies", "validatingadmissionpolicybindings"],
    verbs: ["get"],
  },
  { apiGroups: [""], resources: ["configmaps"], resourceNames: ["aws-auth"], verbs: ["get"] },
  // Where the deployment repairs.
  { apiGroups: [""], resources: ["nodes"], verbs: ["list"] },
] as const;
