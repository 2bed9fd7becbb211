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

/** What a failed launch means: its code, and whether Auto Scaling may succeed by itself, for example in another zone. */
interface Meaning {
  readonly form: RegExp;
  readonly code: IssueCode;
  readonly mends: "by itself" | "never";
}

// https://docs.aws.amazon.com/autoscaling/ec2/userguide/CHAP_Troubleshooting.html
const meanings: readonly Meaning[] = [
  {
    form: /free addresses|InsufficientFreeAddresses/i,
    code: "InsufficientFreeAddresses",
    mends: "by itself",
  },
  {
    form: /vCPU (?:limit|capacity)|(?:Instance|MaxSpot\w*)LimitExceeded|quota/i,
    code: "InstanceLimitExceeded",
    mends: "by itself",
  },
  {
    form: /subnet .*(?:does not exist|not exist|invalid)|InvalidSubnet/i,
    code: "Ec2SubnetInvalidConfiguration",
    mends: "never",
  },
  {
    form: /(?:image id|AMI).*(?:does not exist|not exist|not authorized)|InvalidAMIID/i,
    code: "AmiIdNotFound",
    mends: "never",
  },
  { form: /InstanceProfile/i, code: "IamInstanceProfileNotFound", mends: "never" },
  // Auto Scaling tries another zone.
  {
    form: /not supported in your requested Availability Zone/i,
    code: "NodeCreationFailure",
    mends: "by itself",
  },
  {
    form: /instance type .*(?:does not exist|not supported|invalid)/i,
    code: "Ec2InstanceTypeDoesNotExist",
    mends: "never",
  },
  {
    form: /launch template.*(?:does not exist|not exist|not found)/i,
    code: "Ec2LaunchTemplateNotFound",
    mends: "never",
  },
  {
    form: /launch template|invalid (?:device|parameter)|architecture/i,
    code: "Ec2LaunchTemplateInvalidConfiguration",
    mends: "never",
  },
  {
    form: /not authorized|UnauthorizedOperation|AccessDenied/i,
    code: "AccessDenied",
    mends: "never",
  },
  // Auto Scaling tries another zone, and later the same one again.
  { form: /capacity/i, code: "NodeCreationFailure", mends: "by itself" },
];

export function meaningOf({ message, description }: FailedActivity) {
  const text = `${description} ${message}`;
  const { code, mends } = meanings.find(({ form }) => form.test(text)) ?? {
    code: "AsgInstanceLaunchFailures" as const,
    mends: "by itself" as const,
  };
  return { issue: { code, message: `Auto Scaling says: ${message}` } satisfies Issue, mends };
}

/** The remedy for pods that have no room without a surge. */
export const spareFirst = "the strategy DEFAULT with a surge of 1 has a spare node first";
