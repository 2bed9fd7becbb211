import * as z from "zod";
import { isAddresses } from "./addresses.ts";
import { filled, matching } from "./field-schema.ts";

const anAddress = "an IP address or a range of them, such as 10.0.0.2 or 10.0.0.0/16";
const aPeer =
  "a range of addresses or the id of a security group, such as 10.0.0.0/16 or sg-0a1b2c3d";

/** The form of the whole name of an Auto Scaling group. IAM would match many groups if it had a wildcard or a variable, and CDK would replace `#{Token[…]}`. */
export const wholeGroupName = /^(?! )(?:(?![#$]\{)[ !-)+-9;->@-~]){1,255}(?<! )$/;

/** The key of a tag. @see https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_Tag.html */
export const tagKey = /^(?!aws:).{1,128}$/is;

/**
 * The key of a tag by which groups can be chosen. IAM would replace a variable; the functions and `verify` write and remove the tags of
 * their own work, and would choose and lose groups by it.
 */
export const choosingKey =
  /^(?![Aa][Ww][Ss]:|eks-node-lifecycle\/(?:upgrade|repaired\/|verify$))(?:(?!\$\{)[\s\S]){1,128}$/;

export const choosingKeyForm =
  "the key of a tag: 1 to 128 characters without ${, not from aws:, and none that the functions or `verify` write, which begin with eks-node-lifecycle/upgrade, /repaired/ or /verify";

export const clusterName = matching(
  /^[\dA-Za-z][\w-]{0,99}$/,
  "the name of the EKS cluster: letters, digits, - and _",
);

/** The name of a Region, also of a future one: an area, a direction and a number. */
export const region = matching(
  /^[a-z]{2,4}(-[a-z]{2,4})?-(north|south|central|(north|south)?(east|west))-\d$/,
  "the name of a region, such as eu-west-1",
);

/** The number of an account. */
export const account = matching(/^\d{12}$/, "the twelve digits of an AWS account");

const idOf = (prefix: string, what: string) =>
  matching(
    new RegExp(`^${prefix}-[0-9a-f]{8,17}$`),
    `${what}, such as ${prefix}-0123456789abcdef0`,
  );

export const vpcId = idOf("vpc", "the id of a VPC");

export const subnetId = idOf("subnet", "the id of a subnet");

/** The id of a security group, which `what` describes. */
export const securityGroupId = (what: string) => idOf("sg", what);

export const launchTemplateId = idOf("lt", "the id of a launch template");

/** The name of the group of a managed node group: `eks-`, the name of the node group, which old ones lack, and a UUID. */
export const managedNodeGroup = /^eks-(?:.+-)?[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** The name of an Auto Scaling group. CDK makes an id from it, and IAM reads it as a pattern, so not every name will do. */
export const groupName = matching(
  wholeGroupName,
  "the whole name of one Auto Scaling group, such as workers: no wildcard, no colon, no blank around it",
);

export const hookName = matching(/^[\w/-]{1,255}$/, "the name of a lifecycle hook");

export const roleArn = matching(
  /^arn:aws(?:-[a-z]+)*:iam::\d{12}:role\/(?!.{511,}\/)(?:[\w+=,.@-]+\/)*[\w+=,.@-]{1,64}$/,
  "the ARN of one role, without a wildcard, such as arn:aws:iam::123456789012:role/nodes",
);

/** The ARN of a key. An alias will not do, because topics and grants want the key itself. */
export const keyArn = matching(
  /^arn:aws(?:-[a-z]+)*:kms:[\da-z-]+:\d{12}:key\/[\w-]+$/,
  "the ARN of a KMS key, not of an alias, such as arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab",
);

/** The ARN of a secret, with the six characters that Secrets Manager adds to its name. */
export const secretArn = matching(
  /^arn:aws(?:-[a-z]+)*:secretsmanager:[\da-z-]+:\d{12}:secret:[\w/+=.@-]+-[\dA-Za-z]{6}$/,
  "the whole ARN of a secret, such as arn:aws:secretsmanager:eu-west-1:123456789012:secret:drains-a1B2c3",
);

export const topicArn = matching(
  /^arn:aws(?:-[a-z]+)*:sns:[\da-z-]+:\d{12}:[\w-]{1,256}$/,
  "the ARN of an SNS topic, such as arn:aws:sns:eu-west-1:123456789012:on-call",
);

export const taintKey = filled("the key of a taint");

/** An IP address, or a range of IP addresses. */
export const addresses = z
  .string(anAddress)
  .refine(isAddresses, anAddress)
  .meta({ pattern: "^[\\da-fA-F.:]+(/\\d{1,3})?$" });

/** A security group, or a range of IP addresses. */
export const peer = z
  .string(aPeer)
  .refine((text) => /^sg-[0-9a-f]{8,17}$/.test(text) || isAddresses(text), aPeer)
  .meta({ pattern: "^(sg-[0-9a-f]{8,17}|[\\da-fA-F.:]+(/\\d{1,3})?)$" });

export const groupTagKey = matching(choosingKey, choosingKeyForm);
