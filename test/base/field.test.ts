import { describe, expect, it } from "vitest";
import {
  absent,
  misspelt,
  mistyped,
  noise,
  type Path,
  replaced,
  written,
} from "../support/changed-json.ts";
import { expectComplaint, kindOf, theOnly } from "../support/complaint.ts";
import { carriers, noticeIn, snsEvent } from "../support/saved-events.ts";

/** A field that is read, whether it may be missing, and whether it may be almost any text. */
interface Field {
  readonly path: Path;
  readonly optional?: true;
  readonly manyTexts?: true;
}

const held: readonly Field[] = [
  { path: ["AutoScalingGroupName"], manyTexts: true },
  { path: ["LifecycleHookName"], manyTexts: true },
  { path: ["LifecycleActionToken"] },
  { path: ["EC2InstanceId"] },
  { path: ["LifecycleTransition"] },
  { path: ["NotificationMetadata"], optional: true, manyTexts: true },
  { path: ["Origin"], optional: true },
  { path: ["Destination"], optional: true },
];

const inDetail = ({ path, ...rest }: Field): Field => ({ path: ["detail", ...path], ...rest });

const envelope: readonly Field[] = [
  { path: ["id"], manyTexts: true },
  { path: ["source"], manyTexts: true },
  { path: ["detail-type"], manyTexts: true },
  { path: ["time"] },
];

const health: readonly Field[] = [
  { path: ["service"], manyTexts: true },
  { path: ["eventTypeCategory"], manyTexts: true },
  { path: ["eventScopeCode"], optional: true, manyTexts: true },
  { path: ["backupEvent"], optional: true },
  { path: ["eventArn"] },
  { path: ["eventTypeCode"], manyTexts: true },
  { path: ["statusCode"], optional: true },
  { path: ["startTime"] },
  { path: ["affectedEntities", 0, "entityValue"], manyTexts: true },
];

/** The fields that are read, by the saved event that has them. */
const read: Readonly<Record<string, readonly Field[]>> = {
  "sns-asg-terminate": [...held, { path: ["Time"] }],
  "sns-asg-launch": [...held, { path: ["Time"] }],
  "sns-asg-test-notification": [
    { path: ["AutoScalingGroupName"], manyTexts: true },
    { path: ["Time"] },
  ],
  "eb-asg-terminate-lifecycle-action": [...envelope, ...held.map(inDetail)],
  "eb-asg-launch-lifecycle-action": [...envelope, ...held.map(inDetail)],
  "eb-asg-instance-refresh-started": envelope,
  "eb-ec2-spot-interruption-warning-terminate": [
    ...envelope,
    { path: ["detail", "instance-id"] },
    { path: ["detail", "instance-action"] },
  ],
  "eb-ec2-capacity-reservation-interruption-warning": [
    ...envelope,
    { path: ["detail", "instance-id"] },
    { path: ["detail", "instance-action"] },
  ],
  "eb-ec2-rebalance-recommendation": [...envelope, { path: ["detail", "instance-id"] }],
  "eb-ec2-state-change-stopping": [
    ...envelope,
    { path: ["detail", "instance-id"] },
    { path: ["detail", "state"] },
  ],
  "eb-health-ec2-retirement-scheduled-current": [...envelope, ...health.map(inDetail)],
};

describe.each(Object.entries(read))("the fields of %s", (name, fields) => {
  const notice = noticeIn(name);

  describe.each(Object.entries(carriers))("through %s", (_, { carry, path: at }) => {
    const place = (path: Path) => `${at}${written(path)}`.replace(/^\./, "");

    it.each(fields.map((field) => [written(field.path), field] as const))(
      "%s is refused if its type is wrong",
      (_written, { path, optional }) => {
        for (const value of optional ? mistyped.filter((one) => one !== null) : mistyped)
          expectComplaint(theOnly(carry(replaced(notice, path, value))), place(path));
      },
    );

    const spelt = fields.filter(({ manyTexts }) => !manyTexts);
    it.each(spelt.map((field) => [written(field.path), field] as const))(
      "%s is refused if its text is wrong",
      (_written, { path }) => {
        for (const value of misspelt)
          expectComplaint(theOnly(carry(replaced(notice, path, value))), place(path));
      },
    );

    const needed = fields.filter(({ optional }) => !optional);
    it.each(needed.map((field) => [written(field.path), field] as const))(
      "%s is refused if it is missing",
      (_written, { path }) => {
        expectComplaint(theOnly(carry(replaced(notice, path, absent))), place(path));
      },
    );

    const spare = fields.filter(({ optional }) => optional);
    it.each(spare.map((field) => [written(field.path), field] as const))(
      "%s may be missing or null, which is the same",
      (_written, { path }) => {
        const missing = theOnly(carry(replaced(notice, path, absent)));
        expect(kindOf(missing)).toBe(kindOf(theOnly(carry(notice))));
        expect(theOnly(carry(replaced(notice, path, null))).content).toEqual(missing.content);
      },
    );
  });
});

describe("a field with an exact form", () => {
  it.each([
    ["sns-asg-terminate", ["EC2InstanceId"], "i-0598c7d356eba48d"],
    ["sns-asg-terminate", ["EC2InstanceId"], "i-0598c7d356eba48d71"],
    ["sns-asg-terminate", ["EC2InstanceId"], "i-0598c7d356eba48d7\n"],
    ["sns-asg-terminate", ["EC2InstanceId"], "arn:aws:ec2:us-west-2b:instance/i-0598c7d356eba48d7"],
    ["sns-asg-terminate", ["LifecycleTransition"], "autoscaling:EC2_INSTANCE_RESTARTING"],
    ["sns-asg-terminate", ["LifecycleActionToken"], "465e0162-e6af-4786-b4e8-bb544ae5879"],
    ["sns-asg-terminate", ["LifecycleHookName"], "hook name"],
    ["sns-asg-terminate", ["LifecycleHookName"], ""],
    ["sns-asg-terminate", ["LifecycleHookName"], noise],
    ["sns-asg-terminate", ["AutoScalingGroupName"], ""],
    ["sns-asg-terminate", ["AutoScalingGroupName"], "\ud800"],
    ["sns-asg-terminate", ["AutoScalingGroupName"], "two\nlines"],
    ["sns-asg-terminate", ["AutoScalingGroupName"], noise],
    ["sns-asg-terminate", ["AutoScalingGroupName"], "g".repeat(256)],
    ["sns-asg-terminate", ["Destination"], "Elsewhere"],
    ["sns-asg-terminate", ["Time"], "2026-02-29T03:26:43Z"],
    ["sns-asg-terminate", ["Time"], "2026-03-23T25:26:43Z"],
    ["sns-asg-terminate", ["Time"], "2026-03-23T03:26:43"],
    ["sns-asg-terminate", ["Time"], "2026-03-23"],
    ["sns-asg-terminate", ["Time"], "1774236403"],
    ["sns-asg-test-notification", ["Event"], "autoscaling:TEST"],
    ["sns-asg-test-notification", ["Event"], ""],
    ["sns-asg-test-notification", ["Event"], null],
    ["sns-asg-test-notification", ["Event"], { toString: 1 }],
    [
      "eb-asg-terminate-lifecycle-action",
      ["detail", "LifecycleTransition"],
      "autoscaling:EC2_INSTANCE_LAUNCHING",
    ],
    [
      "eb-asg-launch-lifecycle-action",
      ["detail", "LifecycleTransition"],
      "autoscaling:TEST_NOTIFICATION",
    ],
    [
      "eb-asg-launch-lifecycle-action",
      ["detail", "LifecycleTransition"],
      "autoscaling:EC2_INSTANCE_TERMINATING",
    ],
    ["eb-ec2-spot-interruption-warning-stop", ["detail", "instance-action"], "reboot"],
    ["eb-ec2-state-change-stopping", ["detail", "state"], "rebooting"],
    [
      "eb-health-ec2-retirement-scheduled-current",
      ["detail", "startTime"],
      "Mon, 30 Feb 2026 05:01:10 GMT",
    ],
    [
      "eb-health-ec2-retirement-scheduled-current",
      ["detail", "startTime"],
      "Mon, 03 Foo 2026 05:01:10 GMT",
    ],
    [
      "eb-health-ec2-retirement-scheduled-current",
      ["detail", "startTime"],
      "Mon, 03 Aug 2026 24:00:00 GMT",
    ],
    ["eb-health-ec2-retirement-scheduled-current", ["detail", "startTime"], "2026-08-27T13:19:03Z"],
    ["eb-health-ec2-retirement-scheduled-current", ["detail", "statusCode"], "cancelled"],
    ["eb-health-ec2-retirement-scheduled-current", ["detail", "affectedEntities"], {}],
    ["eb-ec2-rebalance-recommendation", ["detail"], "{}"],
    ["eb-ec2-rebalance-recommendation", ["detail"], []],
  ])("in %s, %j, may not be %.40j", (name, path, value) => {
    const event = snsEvent(JSON.stringify(replaced(noticeIn(name), path, value)));
    expectComplaint(theOnly(event), `Records[0].Sns.Message${written(path)}`);
  });

  it("is checked in every affected entity", () => {
    const path = ["detail", "affectedEntities"];
    const entities = [{ entityValue: "i-abcd1111" }, { entityValue: 7 }];
    const event = replaced(noticeIn("eb-health-scheduled-change-legacy"), path, entities);
    expectComplaint(theOnly(event), "detail.affectedEntities[1].entityValue");
  });
});
