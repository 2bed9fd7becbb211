import { Duration } from "aws-cdk-lib";
import { EventField, Rule, RuleTargetInput, Schedule } from "aws-cdk-lib/aws-events";
import type { Construct } from "constructs";
import { putBackMessage } from "../../lambda/base/contract.ts";
import type { WorkQueue } from "../function/work-queue.ts";

/** Has the counts put back that were raised to make room, whatever became of the drains that have raised them. */
export const putBackSchedule = (scope: Construct, id: string, queue: WorkQueue): Rule =>
  new Rule(scope, id, {
    description: "Has workloads put back that were scaled up to make room for drains",
    schedule: Schedule.rate(Duration.minutes(15)),
    targets: [
      queue.asTarget(RuleTargetInput.fromObject({ ...putBackMessage, time: EventField.time })),
    ],
  });
