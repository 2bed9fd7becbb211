import type { FailedActivity } from "../group/scaling-group.ts";

/**
 * Why an upgrade cannot begin or go on, with the codes of managed node groups.
 * @see https://docs.aws.amazon.com/eks/latest/APIReference/API_Issue.html
 */
export const issueCodes = [
  "AccessDenied",
  "AmiIdNotFound",
  "AsgInstanceLaunchFailures",
  "AutoScalingGroupInstanceRefreshActive",
  "AutoScalingGroupInvalidConfiguration",
  "AutoScalingGroupNotFound",
  "Ec2InstanceTypeDoesNotExist",
  "Ec2LaunchTemplateInvalidConfiguration",
  "Ec2LaunchTemplateNotFound",
  "Ec2LaunchTemplateVersionMismatch",
  "Ec2SubnetInvalidConfiguration",
  "IamInstanceProfileNotFound",
  "InstanceLimitExceeded",
  "InsufficientFreeAddresses",
  "NodeCreationFailure",
  "OperationNotPermitted",
  "PodEvictionFailure",
  "TimeLimitExceeded",
  "UnschedulablePods",
] as const;

export type IssueCode = (typeof issueCodes)[number];

/** Why an upgrade cannot begin or go on. */
export interface Issue {
  readonly code: IssueCode;
  readonly message: string;
}

export const issueText = ({ code, message }: Issue): string => `${code}: ${message}`;

/**
 * The codes of failed launches, by the texts of their activities.
 */
// https://docs.aws.amazon.com/autoscaling/ec2/userguide/CHAP_Troubleshooting.html
const meanings: readonly (readonly [form: RegExp, code: IssueCode])[] = [
  [/free addresses|InsufficientFreeAddresses/i, "InsufficientFreeAddresses"],
  [/vCPU (?:limit|capacity)|(?:Instance|MaxSpot\w*)LimitExceeded|quota/i, "InstanceLimitExceeded"],
  [/subnet .*(?:does not exist|not exist|invalid)|InvalidSubnet/i, "Ec2SubnetInvalidConfiguration"],
  [/(?:image id|AMI).*(?:does not exist|not exist|not authorized)|InvalidAMIID/i, "AmiIdNotFound"],
  [/InstanceProfile/i, "IamInstanceProfileNotFound"],
  [/not supported in your requested Availability Zone/i, "NodeCreationFailure"],
  [/instance type .*(?:does not exist|not supported|invalid)/i, "Ec2InstanceTypeDoesNotExist"],
  [/launch template.*(?:does not exist|not exist|not found)/i, "Ec2LaunchTemplateNotFound"],
  [
    /launch template|invalid (?:device|parameter)|architecture/i,
    "Ec2LaunchTemplateInvalidConfiguration",
  ],
  [/not authorized|UnauthorizedOperation|AccessDenied/i, "AccessDenied"],
  [/capacity/i, "NodeCreationFailure"],
];

// Auto Scaling may still succeed: it tries another zone, and later the same one again.
const mending: readonly IssueCode[] = [
  "AsgInstanceLaunchFailures",
  "InstanceLimitExceeded",
  "InsufficientFreeAddresses",
  "NodeCreationFailure",
];

/** The issue that a failed scaling activity means, and whether Auto Scaling may still succeed by itself. */
export function meaningOf({ message, description }: FailedActivity) {
  const text = `${description} ${message}`;
  const [, code] = meanings.find(([form]) => form.test(text)) ?? [];
  const issue: Issue = {
    code: code ?? "AsgInstanceLaunchFailures",
    message: `Auto Scaling says: ${message}`,
  };
  return { issue, mends: mending.includes(issue.code) ? "by itself" : "never" } as const;
}

/** The remedy for pods that fit on no node during an upgrade without a surge. */
export const spareFirst = "the strategy DEFAULT with a surge of 1 has a spare node first";
