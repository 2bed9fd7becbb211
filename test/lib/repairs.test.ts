import { Duration } from "aws-cdk-lib";
import { describe, expect, it } from "vitest";
import type { NodeLifecycleProps } from "../../lib/node-lifecycle-props.ts";
import { ownLifecycle, ownStack } from "./own-stack.ts";
import { resourcesOf } from "./synthesised.ts";

const repairing = (change: Partial<NodeLifecycleProps> = {}) =>
  ownStack(() => ({ repairs: "on", ...change })).template;

describe("a deployment with repairs", () => {
  it.each<[string, NodeLifecycleProps["repair"], string]>([
    ["as many minutes as it is told", { every: Duration.minutes(7) }, "rate(7 minutes)"],
    ["an hour", { every: Duration.hours(1) }, "rate(1 hour)"],
  ])("is asked for a pass every %s", (_, repair = {}, ScheduleExpression) => {
    repairing({ repair }).hasResourceProperties("AWS::Events::Rule", { ScheduleExpression });
  });

  it("takes a brake for one that holds only after two passes in a row, and its alarm says for how long", () => {
    const held = (every: Duration) =>
      Object.entries(resourcesOf(repairing({ repair: { every } }))).find(([id]) =>
        /AlarmsHeldRepairs/.test(id),
      )?.[1].Properties;
    const tells = (minutes: number) =>
      expect.stringContaining(`Repairs have been held for ${minutes} minutes: `);
    expect(held(Duration.minutes(1))).toMatchObject({
      Period: 120,
      EvaluationPeriods: 30,
      AlarmDescription: tells(60),
    });
    expect(held(Duration.minutes(45))).toMatchObject({
      Period: 5400,
      EvaluationPeriods: 2,
      AlarmDescription: tells(180),
    });
  });
});

describe("a second opinion", () => {
  it.each([
    [{}, undefined],
    [{ secondOpinion: "off" }, undefined],
    [{ secondOpinion: "restart-agent" }, "restart-agent"],
  ] as const)("is asked for in the rights in the cluster where %j", (repair, asked) => {
    const rights = Object.values(resourcesOf(repairing({ repair }))).find(
      ({ Type }) => Type === "Custom::EksNodeLifecycleAccess",
    );
    const wanted = asked === undefined ? {} : { SecondOpinion: asked };
    expect(rights?.Properties).toMatchObject({ Repairs: "on", ...wanted });
    expect("SecondOpinion" in (rights?.Properties ?? {})).toBe(asked !== undefined);
  });
});

describe("repairs that cannot work as they are asked for are refused", () => {
  const made = (change: Partial<NodeLifecycleProps>) => () =>
    ownLifecycle(() => ({ repairs: "on", ...change }));

  it.each<[string, Partial<NodeLifecycleProps>, RegExp]>([
    [
      "a schedule with parts of minutes",
      { repair: { every: Duration.seconds(90) } },
      /every 90 seconds by repair\.every .* 120 will do/,
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
      /repair\.atOnce: expected a number of nodes from 1 to 100, or a percentage such as 10% \(in a tag 10percent\), got "0%"/,
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
