import * as z from "zod/mini";

const text = z.string();
const texts = z.pipe(
  z.union([z.array(z.unknown()), z.unknown()]),
  z.transform((value): readonly unknown[] => (Array.isArray(value) ? value : [value])),
);

const statementSchema = z.object({
  Effect: z.enum(["Allow", "Deny"]),
  Action: texts,
  Resource: z.optional(texts),
  Principal: z.optional(z.unknown()),
  Condition: z.optional(z.record(text, z.record(text, texts))),
});

/** A statement of a policy, in which references are not yet resolved. */
export type RawStatement = z.infer<typeof statementSchema>;

/** The document of a policy, as a resource has it. */
export const policySchema = z.object({
  Statement: z.pipe(
    z.union([z.array(statementSchema), statementSchema]),
    z.transform((value): readonly RawStatement[] => (Array.isArray(value) ? value : [value])),
  ),
});

/** Reads a template of CloudFormation. */
export const templateSchema = z.object({
  Resources: z.record(
    text,
    z.object({
      Type: text,
      Properties: z._default(z.record(text, z.unknown()), {}),
      DeletionPolicy: z.optional(text),
    }),
  ),
  Outputs: z._default(z.record(text, z.object({ Value: z.unknown() })), {}),
});

/** A template of CloudFormation, after it was read. */
export type StackTemplate = z.infer<typeof templateSchema>;

/** Reads where a rule sends its events. */
const ruleTarget = z.object({
  Arn: z.unknown(),
  DeadLetterConfig: z.optional(z.object({ Arn: z.unknown() })),
  InputTransformer: z.optional(
    z.object({ InputPathsMap: z.record(text, text), InputTemplate: text }),
  ),
});

/** Where a rule sends its events, as a template says it. */
export type RuleTarget = z.infer<typeof ruleTarget>;

/** Readers of the properties that the sandbox uses, by resource. */
export const properties = {
  queue: z.object({
    VisibilityTimeout: z._default(z.number(), 30),
    MessageRetentionPeriod: z._default(z.number(), 345_600),
    RedrivePolicy: z.optional(
      z.object({ deadLetterTargetArn: z.unknown(), maxReceiveCount: z.number() }),
    ),
  }),
  topic: z.object({ KmsMasterKeyId: z.optional(z.unknown()) }),
  subscription: z.object({
    Protocol: z.literal("sqs"),
    TopicArn: z.unknown(),
    Endpoint: z.unknown(),
    RawMessageDelivery: z._default(z.boolean(), false),
    RedrivePolicy: z.optional(z.unknown()),
  }),
  role: z.object({}),
  function: z.object({
    Code: z.object({ S3Key: z.optional(text) }),
    Handler: text,
    Role: z.unknown(),
    Timeout: z._default(z.number(), 3),
    MemorySize: z._default(z.number(), 128),
    LoggingConfig: z.optional(z.object({ LogGroup: z.unknown() })),
    Environment: z._default(z.object({ Variables: z.record(text, z.unknown()) }), {
      Variables: {},
    }),
  }),
  subscriptionFilter: z.object({
    LogGroupName: z.unknown(),
    DestinationArn: z.unknown(),
    FilterPattern: text,
  }),
  functionPermission: z.object({
    Action: text,
    FunctionName: z.unknown(),
    Principal: text,
    SourceArn: z.optional(z.unknown()),
  }),
  mapping: z.object({
    EventSourceArn: z.unknown(),
    FunctionName: z.unknown(),
    BatchSize: z.number(),
    FunctionResponseTypes: z._default(z.array(text), []),
    ScalingConfig: z.object({ MaximumConcurrency: z.number() }),
  }),
  hook: z.object({
    AutoScalingGroupName: z.unknown(),
    LifecycleHookName: text,
    LifecycleTransition: z.enum([
      "autoscaling:EC2_INSTANCE_LAUNCHING",
      "autoscaling:EC2_INSTANCE_TERMINATING",
    ]),
    HeartbeatTimeout: z._default(z.number(), 3600),
    DefaultResult: z.enum(["ABANDON", "CONTINUE"]),
    NotificationTargetARN: z.unknown(),
    RoleARN: z.unknown(),
  }),
  rolePolicy: z.object({ Roles: z.array(z.unknown()), PolicyDocument: policySchema }),
  queuePolicy: z.object({ Queues: z.array(z.unknown()), PolicyDocument: policySchema }),
  key: z.object({ KeyPolicy: policySchema }),
  rule: z.object({
    /** A rule of a schedule has none. */
    EventPattern: z.optional(z.record(text, z.unknown())),
    ScheduleExpression: z.optional(text),
    State: z._default(text, "ENABLED"),
    Targets: z._default(z.array(ruleTarget), []),
  }),
  topicPolicy: z.object({ Topics: z.array(z.unknown()), PolicyDocument: policySchema }),
  entry: z.object({
    ClusterName: z.unknown(),
    PrincipalArn: z.unknown(),
    KubernetesGroups: z._default(z.array(text), []),
    Type: z._default(z.enum(["STANDARD", "EC2_LINUX"]), "STANDARD"),
  }),
} as const;

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
