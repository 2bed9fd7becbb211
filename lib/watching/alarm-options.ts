import type { IAlarmAction } from "aws-cdk-lib/aws-cloudwatch";

/** Which alarms there are, and whom they tell. */
export interface AlarmOptions {
  /** A notice lies in the dead letters, a command to upgrade a group in those of upgrades, or a pass in those of repairs. @default "on" */
  readonly deadLetters?: "off" | "on";
  /** A notice that was received three times at most has waited in the queue for more than ten minutes. @default "on" */
  readonly waitingNotices?: "off" | "on";
  /** An invocation of a function ends in a crash or a timeout. @default "on" */
  readonly functionErrors?: "off" | "on";
  /**
   * Lambda has refused invocations for a quarter of an hour, at least once in each five minutes. Single refusals are tried
   * again and harm nobody; each one counts as a receive, and after three or four `waitingNotices` no longer sees the notice. @default "on"
   */
  readonly functionThrottles?: "off" | "on";
  /**
   * There were faults for a quarter of an hour, at least one in each five minutes. A retryable fault is tried again after three
   * minutes at most, so one that lasts shows in all of them. One that passes does not, however many drains meet it. A fault that
   * cannot pass makes a dead letter, which has an alarm of its own. @default "on"
   */
  readonly faults?: "off" | "on";
  /**
   * A drain had not emptied its node at the deadline. One is enough: its pods ended with the instance, or the instance stays and
   * costs money. Switch it off where drains usually end like that, as with `DRAIN_MODE` of `cordon-only`. @default "on"
   */
  readonly expiredDrains?: "off" | "on";
  /** The node of a launched instance was not ready in time: its hook let it into service, or ended it. @default "on" */
  readonly failedLaunches?: "off" | "on";
  /**
   * A pass finds that a hook has gone without a heartbeat for three quarters of its timeout, after which its instance is lost.
   * Heartbeats usually come at half of it. The time between two deliveries does not count. @default "on"
   */
  readonly lateHeartbeats?: "off" | "on";
  /** Lambda has given up telling the webhook of a drain, where there is a webhook. @default "on" */
  readonly lostNews?: "off" | "on";
  /** An upgrade of a group cannot go on, and puts the sizes back, where there are upgrades. @default "on" */
  readonly failedUpgrades?: "off" | "on";
  /**
   * Repairs have been held for an hour, or for four passes if these take longer, where there are repairs: ill nodes stay until
   * somebody looks. That a group repairs as many instances as it may, and a dry run, do not count. @default "on"
   */
  readonly heldRepairs?: "off" | "on";
  /**
   * The actions of CloudWatch when an alarm goes off, such as an `SnsAction`.
   * @default nothing; the console shows the alarm
   */
  readonly actions?: readonly IAlarmAction[];
}
