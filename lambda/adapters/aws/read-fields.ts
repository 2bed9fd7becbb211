/**
 * The fields that the functions read of each structure in an answer of AWS.
 *
 * The build leaves the other fields out of the SDK's schemas, so the SDK does not read them.
 */
export const readFields = {
  "client-auto-scaling": {
    AutoScalingGroup: ["AutoScalingGroupName", "Instances", "Tags", "InstanceLifecyclePolicy"],
    AutoScalingInstanceDetails: ["InstanceId", "AutoScalingGroupName", "LifecycleState"],
    Instance: ["InstanceId", "LifecycleState"],
    LifecycleHook: ["LifecycleHookName", "HeartbeatTimeout"],
  },
  "client-ec2": {
    Reservation: ["Instances"],
    Instance: [
      "HibernationOptions",
      "IamInstanceProfile",
      "InstanceId",
      "LaunchTime",
      "Platform",
      "PrivateDnsName",
      "State",
      "Tags",
      "VpcId",
    ],
  },
  "client-eks": {
    AccessEntry: ["type"],
    Cluster: ["accessConfig", "certificateAuthority", "endpoint", "status"],
  },
} as const;

/**
 * The fields that only upgrades and repairs read besides. The other functions do not have the schemas of these fields in their bundles.
 *
 * What is not listed of a structure that is listed here alone, such as a mixed instances policy, stays whole.
 */
export const fieldsOfUpgrades = {
  "client-auto-scaling": {
    Activity: ["Description", "EndTime", "StartTime", "StatusCode", "StatusMessage"],
    AutoScalingGroup: [
      "AvailabilityZones",
      "DesiredCapacity",
      "LaunchConfigurationName",
      "LaunchTemplate",
      "MaxSize",
      "MinSize",
      "MixedInstancesPolicy",
      "SuspendedProcesses",
      "WarmPoolConfiguration",
    ],
    Instance: ["AvailabilityZone", "HealthStatus", "LaunchTemplate", "ProtectedFromScaleIn"],
    InstanceRefresh: ["Status"],
  },
  "client-ec2": {
    Image: ["Architecture", "ImageId", "State"],
    LaunchTemplateVersion: [
      "LaunchTemplateData",
      "LaunchTemplateId",
      "VersionDescription",
      "VersionNumber",
    ],
    // All that a new version has of its own; without this, every field of a template would be in the bundle.
    RequestLaunchTemplateData: ["ImageId"],
    ResponseLaunchTemplateData: ["ImageId"],
  },
  "client-ssm": { Parameter: ["Value"] },
} as const;

/** The clients of AWS of whose answers only some fields are read. */
export type ReadClient = keyof typeof readFields;

/** A structure of an answer, with no more than the fields that are read of it. */
export type Read<
  Structure,
  Client extends ReadClient,
  Name extends keyof (typeof readFields)[Client],
> = (typeof readFields)[Client][Name] extends readonly (infer Field)[]
  ? Readonly<Pick<Structure, Extract<Field, keyof Structure>>>
  : never;

type FieldOf<Table, Client, Name> = Client extends keyof Table
  ? Name extends keyof Table[Client]
    ? Table[Client][Name] extends readonly (infer Field)[]
      ? Field
      : never
    : never
  : never;

/** A structure of an answer, with no more than the fields that upgrades read of it. */
export type ReadByUpgrades<
  Structure,
  Client extends keyof typeof fieldsOfUpgrades,
  Name extends keyof (typeof fieldsOfUpgrades)[Client],
> = Readonly<
  Pick<
    Structure,
    Extract<
      FieldOf<typeof fieldsOfUpgrades, Client, Name> | FieldOf<typeof readFields, Client, Name>,
      keyof Structure
    >
  >
>;
