import type { ScalingGroup } from "./scaling-group.ts";

/** The account's setting `launchBeforeTerminate`, which counts for groups without a maintenance policy. */
export type LaunchSetting = "disabled" | "enabled";

type Replacing = Pick<ScalingGroup, "maintenance" | "sizes">;

/** Whether the account's setting decides who comes first when the group replaces an instance. */
export const followsAccount = ({ maintenance }: Replacing): boolean => maintenance.kind === "none";

/**
 * Whether the group launches the replacement of an unhealthy instance before it terminates that instance.
 *
 * @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-launch-before-terminate-account-setting.html
 */
export const launchesFirst = ({ maintenance }: Replacing, account: LaunchSetting): boolean =>
  maintenance.kind === "none"
    ? account === "enabled"
    : maintenance.min === 100 && maintenance.max > 100;

/** Whether the maximum size leaves no room for one instance more. */
export const isFull = ({ sizes: { desired, max } }: Replacing): boolean => desired >= max;
