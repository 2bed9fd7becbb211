import { Duration } from "aws-cdk-lib";
import { Match, type Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import type { NodeLifecycleProps } from "../../lib/node-lifecycle-props.ts";
import { ownLifecycle, ownStack } from "./own-stack.ts";
import { arnsIn, groupArn, statementOf, statementsOf } from "./role-statements.ts";
import { resourcesOf, synthesised } from "./synthesised.ts";

const repairing = (change: Partial<NodeLifecycleProps> = {}) =>
  ownStack(() => ({ repairs: "on", ...change })).template;
const role = /RepairsRepairRole/;
const statement = (template: Template, action: string) => statementOf(template, role, action);

describe("a deployment without repairs", () => {
  it("is the same as before, whatever is said about how they are made", () => {
    const off = ownStack(() => ({ repairs: "off", repair: { atOnce: "2" } })).template;
    expect(off.toJSON()).toEqual(ownStack().template.toJSON());
    const parts = Object.keys(resourcesOf(synthesised())).filter((id) => /Repair/.test(id));
    expect(parts).toEqual([]);
  });
});

describe("a deployment with repairs", () => {
  it("gives no other function another role", () => {
    const others = (template: Template) =>
      Object.entries(resourcesOf(template)).filter(([id]) => /NodeRole|UpgradeRole/.test(id));
    const upgrades = { upgrades: "on", launchTemplates: ["lt-0123456789abcdef0"] } as const;
    expect(others(repairing(upgrades))).toEqual(others(ownStack(() => upgrades).template));
  });

  it.each<[string, NodeLifecycleProps["repair"], string]>([
    ["as many minutes as it is told", { every: Duration.minutes(7) }, "rate(7 minutes)"],
    ["an hour", { every: Duration.hours(1) }, "rate(1 hour)"],
  ])("is asked for a pass every %s", (_, repair = {}, ScheduleExpression) => {
    repairing({ repair }).hasResourceProperties("AWS::Events::Rule", { ScheduleExpression });
  });

  it("takes messages of its own schedule alone", () => {
    const template = repairing();
    template.hasResourceProperties("AWS::SQS::QueuePolicy", {
      Queues: [{ Ref: Match.stringLikeRegexp("RepairsPassesQueue") }],
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Action: "sqs:SendMessage",
            Principal: { Service: "events.amazonaws.com" },
            Condition: {
              ArnEquals: {
                "aws:SourceArn": {
                  "Fn::GetAtt": [Match.stringLikeRegexp("RepairsSchedule"), "Arn"],
                },
              },
            },
          }),
        ]),
      },
    });
  });

  it("tells the function how to repair, and no other function", () => {
    const template = repairing({ repair: { atOnce: "10%" } });
    const told = Object.entries(resourcesOf(template)).filter(([, { Properties }]) =>
      JSON.stringify(Properties).includes("REPAIR_"),
    );
    expect(told.map(([id]) => id)).toEqual([expect.stringMatching(/RepairsRepairFunction/)]);
  });

  it("takes a brake for one that holds only after two passes in a row", () => {
    const held = (every: Duration) =>
      Object.entries(resourcesOf(repairing({ repair: { every } }))).find(([id]) =>
        /AlarmsHeldRepairs/.test(id),
      )?.[1].Properties;
    expect(held(Duration.minutes(1))).toMatchObject({ Period: 120, EvaluationPeriods: 30 });
    expect(held(Duration.minutes(45))).toMatchObject({ Period: 5400, EvaluationPeriods: 2 });
  });
});

describe("the repair function's role", () => {
  it.each([
    "autoscaling:SetInstanceHealth",
    "autoscaling:CreateOrUpdateTags",
    "autoscaling:DeleteTags",
  ])("may do %s with the managed groups alone", (action) => {
    expect(arnsIn(statement(repairing(), action)?.Resource)).toEqual([groupArn]);
  });

  it("may write no tags but those of its records, so that no setting of a group changes", () => {
    for (const action of ["autoscaling:CreateOrUpdateTags", "autoscaling:DeleteTags"])
      expect(statement(repairing(), action)?.Condition).toEqual({
        "ForAllValues:StringLike": { "aws:TagKeys": ["eks-node-lifecycle/repaired/*"] },
        Null: { "aws:TagKeys": ["false"] },
      });
  });

  it("may reboot the instances of the managed groups alone", () => {
    const its = statement(repairing({ groups: ["workers", "gpu"] }), "ec2:RebootInstances");
    expect(arnsIn(its?.Resource)).toEqual(["arn:aws:ec2:eu-west-1:123456789012:instance/*"]);
    expect(its?.Condition).toEqual({
      StringEquals: { "aws:ResourceTag/aws:autoscaling:groupName": ["workers", "gpu"] },
    });
  });

  it("may do the same with every group that has the tag, and with its instances that have it too", () => {
    const tagged = repairing({ groups: [], groupTag: { key: "drained", value: "yes" } });
    expect(statement(tagged, "autoscaling:SetInstanceHealth")?.Condition).toEqual({
      StringEquals: { "autoscaling:ResourceTag/drained": ["yes"] },
    });
    expect(statementsOf(tagged, role, "ec2:RebootInstances")).toMatchObject([
      {
        Condition: {
          StringEquals: { "aws:ResourceTag/drained": ["yes"] },
          Null: { "aws:ResourceTag/aws:autoscaling:groupName": ["false"] },
        },
      },
    ]);
  });
});

describe("repairs that cannot work as they are asked for are refused", () => {
  const made = (change: Partial<NodeLifecycleProps>) => () =>
    ownLifecycle(() => ({ repairs: "on", ...change }));

  it.each<[string, Partial<NodeLifecycleProps>, RegExp]>([
    [
      "a schedule with parts of minutes",
      { repair: { every: Duration.seconds(90) } },
      /repair\.every is 90 seconds, .* 120 will do/,
    ],
    [
      "a schedule of days",
      { repair: { every: Duration.days(1) } },
      /repair\.every: expected a whole number of seconds from 60 to 3600, got "86400"/,
    ],
    [
      "repairs where no node is drained",
      { drain: { mode: "dry-run" } },
      /drain\.mode "dry-run" .* repair\.mode "dry-run" will do/,
    ],
    [
      "a percentage of none",
      { repair: { atOnce: "0%" } },
      /repair\.atOnce: expected a number of nodes from 1 to 100, or a percentage such as 10%, got "0%"/,
    ],
    [
      "more repairs within an hour than the tags of a group have room for",
      { repair: { perHour: 21 } },
      /repair\.perHour: expected a whole number of repairs from 1 to 20, got "21"/,
    ],
  ])("%s", (_, change, message) => {
    expect(made(change)).toThrow(message);
  });

  it("but not a dry run of both", () => {
    expect(made({ drain: { mode: "dry-run" }, repair: { mode: "dry-run" } })).not.toThrow();
  });
});
