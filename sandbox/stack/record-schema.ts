import * as z from "zod/mini";
import { ruleTarget } from "./template-schema.ts";

const network = { SubnetIds: z.array(z.unknown()), SecurityGroupIds: z.array(z.unknown()) };
/** Reads what Lambda tells of a function besides what runs it. */
export const functionReader = z.object({
  Runtime: z.string(),
  VpcConfig: z.optional(z.object(network)),
});
/** Reads any properties. */
export const attributes = z.record(z.string(), z.unknown());
const portRange = { IpProtocol: z.string(), FromPort: z.number(), ToPort: z.number() };
/** Reads the rules of a security group. */
export const groupReader = z.object({
  SecurityGroupEgress: z.array(z.object({ ...portRange, CidrIp: z.optional(z.string()) })),
});
/** Reads a rule that a stack adds to a security group. */
export const ingressReader = z.object({
  ...portRange,
  GroupId: z.string(),
  SourceSecurityGroupId: z.unknown(),
});
/** Reads a rule of EventBridge as its API tells it. */
export const ruleReader = z.object({
  State: z.string(),
  EventPattern: z.optional(attributes),
  Targets: z.array(z.looseObject({ ...ruleTarget.shape, Id: z.string() })),
});
/** Reads the policy of topics or queues. */
export const policyReader = z.object({
  Topics: z._default(z.array(z.unknown()), []),
  Queues: z._default(z.array(z.unknown()), []),
  PolicyDocument: z.unknown(),
});
