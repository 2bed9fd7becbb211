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
