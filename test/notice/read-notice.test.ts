import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Fault } from "../../lambda/base/fault.ts";
import { instanceId } from "../../lambda/base/ids.ts";
import { minutes, seconds } from "../../lambda/base/time.ts";
import { healthEventOf, passedOnEventOf } from "../../lambda/interruption/passed-on-event.ts";
import type { Notice } from "../../lambda/notices.ts";
import { expectComplaint, theOnly } from "../support/complaint.ts";
import { carriers, noticeIn, savedEvent, savedEvents } from "../support/saved-events.ts";

const kinds: Readonly<Record<string, Notice["kind"]>> = {
  "demo-ng-launch": "launching",
  "demo-ng-terminate": "terminating",
  "eb-asg-instance-refresh-cancelled": "unrelated",
  "eb-asg-instance-refresh-checkpoint-reached": "unrelated",
  "eb-asg-instance-refresh-failed": "unrelated",
  "eb-asg-instance-refresh-started": "unrelated",
  "eb-asg-instance-refresh-succeeded": "unrelated",
  "eb-asg-launch-into-warm-pool": "launching",
  "eb-asg-launch-lifecycle-action": "launching",
  "eb-asg-launch-lifecycle-action-origin-destination": "launching",
  "eb-asg-launch-out-of-warm-pool": "launching",
  "eb-asg-launch-successful": "unrelated",
  "eb-asg-launch-unsuccessful": "unrelated",
  "eb-asg-terminate-back-to-warm-pool": "terminating",
  "eb-asg-terminate-lifecycle-action": "terminating",
  "eb-asg-terminate-lifecycle-action-origin-destination": "terminating",
  "eb-asg-terminate-successful": "unrelated",
  "eb-asg-terminate-unsuccessful": "unrelated",
  "eb-ec2-capacity-block-delivered": "block-expiring",
  "eb-ec2-capacity-block-expiration-warning": "block-expiring",
  "eb-ec2-capacity-block-expiration-warning-other-name": "block-expiring",
  "eb-ec2-capacity-reservation-interruption-warning": "interrupted",
  "eb-ec2-capacity-reservation-interruption-warning-block": "interrupted",
  "eb-ec2-capacity-reservation-interruption-warning-older-name": "interrupted",
  "eb-ec2-rebalance-recommendation": "at-risk",
  "eb-ec2-spot-interruption-warning-hibernate": "interrupted",
  "eb-ec2-spot-interruption-warning-stop": "interrupted",
  "eb-ec2-spot-interruption-warning-terminate": "interrupted",
  "eb-ec2-state-change-pending": "unrelated",
  "eb-ec2-state-change-running": "unrelated",
  "eb-ec2-state-change-shutting-down": "stopping",
  "eb-ec2-state-change-stopped": "stopped",
  "eb-ec2-state-change-stopping": "stopping",
  "eb-ec2-state-change-terminated": "stopped",
  "eb-health-ec2-issue-backup-event": "unrelated",
  "eb-health-ec2-retirement-scheduled-current": "maintenance",
  "eb-health-scheduled-change-legacy": "maintenance",
  "sns-asg-launch": "launching",
  "sns-asg-launch-into-warm-pool": "launching",
  "sns-asg-launch-out-of-warm-pool": "launching",
  "sns-asg-terminate": "terminating",
  "sns-asg-terminate-back-to-warm-pool": "terminating",
  "sns-asg-terminate-legacy-no-origin": "terminating",
  "sns-asg-test-notification": "test",
  "sns-wrapped-eventbridge-spot-interruption": "interrupted",
};

/** The notice that is read from an event with one notice in it. */
function noticed(event: unknown): Notice {
  const delivery = theOnly(event);
  if (delivery.content instanceof Fault) throw delivery.content;
  return delivery.content;
}

const changed = (name: string, fields: object) => ({ ...noticeIn(name), ...fields });

function withDetail(name: string, fields: object) {
  const { detail, ...envelope } = noticeIn(name);
  return { ...envelope, detail: { ...(detail as object), ...fields } };
}

describe("the saved events", () => {
  it("are all in the table", () => {
    expect(new Set(savedEvents)).toEqual(new Set(Object.keys(kinds)));
  });

  it.each(Object.entries(kinds))("%s is read as %s, as it was saved", (name, kind) => {
    expect(noticed(savedEvent(name)).kind).toBe(kind);
  });

  describe.each(Object.entries(carriers))("come in as %s", (_, { carry }) => {
    it.each(Object.keys(kinds))("%s", (name) => {
      expect(noticed(carry(noticeIn(name)))).toEqual(noticed(savedEvent(name)));
    });
  });
});

describe("a hook's notice", () => {
  it("reports an instance that leaves its group for good", () => {
    expect(noticed(savedEvent("demo-ng-terminate"))).toEqual({
      kind: "terminating",
      action: {
        group: "eks-demo-ng-02c1ba5d-75b6-fbdf-4569-aa31827ad412",
        hook: "Terminate-LC-Hook",
        token: "3f1c0d52-8a4e-4b0e-9f6d-5b7c2e91a604",
        instance: "i-07e9ea9eb19a67337",
      },
      origin: "group",
      destination: "terminated",
      metadata: "",
      since: Date.UTC(2026, 2, 23, 9, 14, 5, 218),
    });
  });

  it.each([
    ["sns-asg-terminate-back-to-warm-pool", "group", "warm-pool"],
    ["sns-asg-terminate-legacy-no-origin", "group", "terminated"],
    ["sns-asg-launch-into-warm-pool", "new", "warm-pool"],
    ["sns-asg-launch-out-of-warm-pool", "warm-pool", "group"],
    ["eb-asg-launch-lifecycle-action", "new", "group"],
  ])("says where the instance of %s comes from and goes to", (name, origin, destination) => {
    expect(noticed(savedEvent(name))).toMatchObject({ origin, destination });
  });

  it("recognises an instance that is terminated out of the warm pool", () => {
    const terminated = changed("sns-asg-terminate", { Origin: "WarmPool", Destination: "EC2" });
    expect(noticed(terminated)).toMatchObject({ origin: "warm-pool", destination: "terminated" });
  });

  it("knows its token, or says that it does not", () => {
    const withToken = (LifecycleActionToken: unknown) =>
      changed("sns-asg-terminate", { LifecycleActionToken });
    expect(noticed(withToken("unsaid"))).toMatchObject({ action: { token: "unsaid" } });
    for (const wrong of ["", "unknown", undefined, 7])
      expectComplaint(theOnly(withToken(wrong)), "LifecycleActionToken");
  });

  it("is not a test notification, even if it has the key of one", () => {
    const message = changed("sns-asg-terminate", { Event: "autoscaling:TEST_NOTIFICATION" });
    expect(noticed(message)).toEqual(noticed(savedEvent("sns-asg-terminate")));
  });
});

describe("a hook's test notification", () => {
  const test = {
    kind: "test",
    group: "my-cluster-ng-1",
    since: Date.UTC(2026, 2, 23, 3, 19, 0, 359),
  };

  it("may come as a transition", () => {
    const { Event, ...message } = noticeIn("sns-asg-test-notification");
    expect(noticed({ ...message, LifecycleTransition: Event })).toEqual(test);
  });
});

describe("the warning of a Capacity Reservation", () => {
  const warning = "eb-ec2-capacity-reservation-interruption-warning";

  it.each([warning, `${warning}-older-name`])("%s says which instance ends, and when", (name) => {
    expect(noticed(savedEvent(name))).toMatchObject({
      kind: "interrupted",
      instance: "i-0598c7d356eba48d7",
      action: "terminate",
      capacity: "capacity-reservation",
      warning: minutes(2),
    });
  });

  it.each<[string, unknown, number]>([
    ["90 s later", "2026-03-23T03:28:13Z", 90],
    ["an hour later", "2026-03-23T04:26:43Z", 3600],
    ["later than AWS ever warns", "2026-03-23T04:26:44Z", 120],
    ["at its own time", "2026-03-23T03:26:43Z", 120],
    ["in the past", "2026-03-22T03:26:43Z", 120],
    ["at no time", undefined, 120],
    ["at what is no time", "[Current time]", 120],
    ["at a number", 1_774_236_403, 120],
  ])("that names an end %s leaves so much time: %#", (_, ends, left) => {
    const event = withDetail(warning, { "instance-termination-time": ends });
    expect(noticed(event)).toMatchObject({ kind: "interrupted", warning: seconds(left) });
  });

  it("is read whether its resources are a text or a list", () => {
    const arn = "arn:aws:ec2:us-west-2:123456789012:instance/i-0598c7d356eba48d7";
    const read = noticed(savedEvent(warning));
    expect(noticed(changed(warning, { resources: arn }))).toEqual(read);
    expect(noticed(changed(warning, { resources: [arn] }))).toEqual(read);
  });
});

describe("the end of a Capacity Block", () => {
  const warning = "eb-ec2-capacity-block-expiration-warning";

  it("names its reservation, and no instance unless the function has passed it on", () => {
    const read = noticed(savedEvent(warning));
    expect(read).toMatchObject({ reservation: "cr-0123456789abcdef0", instance: "each" });
    const one = withDetail(warning, { "instance-id": "i-0598c7d356eba48d7" });
    expect(noticed(one)).toEqual({ ...read, instance: "i-0598c7d356eba48d7" });
  });

  it.each(["each", "i-0598c7d356eba48d7"])(
    "is written as an event that says the same: %s",
    (id) => {
      const read = noticed(savedEvent(warning));
      if (read.kind !== "block-expiring") throw new Error("not the end of a block");
      const instance = id === "each" ? id : instanceId(id);
      expect(noticed(passedOnEventOf({ ...read, instance }))).toEqual({ ...read, instance });
    },
  );

  it.each([undefined, "", "cr-1", "i-0598c7d356eba48d7", "cr-0123456789abcdef0 ", 7])(
    "is refused with a reservation such as %j",
    (id) => {
      const event = withDetail(warning, { "capacity-reservation-id": id });
      expect(() => noticed(event)).toThrow(
        /capacity-reservation-id: expected the id of a Capacity Reservation such as cr-0123/,
      );
    },
  );
});

describe("planned work", () => {
  const retirement = "eb-health-ec2-retirement-scheduled-current";

  it("names every affected instance, each once, and nothing else", () => {
    const entities = [
      "arn:aws:ec2:us-east-1:123456789012:instance/i-1234567890abcdef0",
      "i-00000000000000002",
      "i-1234567890abcdef0",
      "arn:aws-cn:ec2:cn-north-1:123456789012:instance/i-abcd1111",
      "vol-1234567890abcdef0",
      "h-1234567890abcdef0",
      "AWS_ACCOUNT",
      "arn:aws:ec2:us-east-1:123456789012:volume/i-1234567890abcdef3",
    ];
    const affectedEntities = entities.map((entityValue) => ({ entityValue }));
    expect(noticed(withDetail(retirement, { affectedEntities }))).toMatchObject({
      kind: "maintenance",
      instances: ["i-1234567890abcdef0", "i-00000000000000002", "i-abcd1111"],
    });
  });

  it.each<[string, readonly string[], object]>([
    ["open", ["RESOLVED", "PENDING"], { status: "open", instances: ["i-00000002"] }],
    ["open", ["RESOLVED", "RESOLVED"], { status: "closed" }],
    ["closed", ["RESOLVED", "PENDING"], { instances: ["i-00000001", "i-00000002"] }],
  ])("that is %s for instances that are %j is %j", (statusCode, entities, notice) => {
    const affectedEntities = entities.map((status, index) => ({
      entityValue: `i-0000000${index + 1}`,
      status,
    }));
    const event = withDetail(retirement, { statusCode, affectedEntities });
    expect(noticed(event)).toMatchObject(notice);
  });

  it("is refused, with the number, where it names more than an event of AWS Health holds, and never below", () => {
    const most = 7000;
    // 256 kB, of which an instance takes no less.
    expect(most).toBeGreaterThan((256 * 1024) / '{"entityValue":"i-1234567890abcdef0"},'.length);
    const counts = fc.oneof(fc.nat(3 * most), fc.constantFrom(most - 1, most, most + 1));
    const property = fc.property(counts, fc.constantFrom("i-", "vol-"), (count, prefix) => {
      const affectedEntities = Array.from({ length: count }, (_, at) => ({
        entityValue: `${prefix}${at.toString(16).padStart(17, "0")}`,
      }));
      const read = theOnly(withDetail(retirement, { affectedEntities })).content;
      if (count > most)
        expect(read).toMatchObject({
          code: "event.malformed",
          said: expect.stringMatching(
            new RegExp(`affectedEntities: expected at most 7000 affected entities, got ${count}$`),
          ),
        });
      else if (count > 0 && prefix === "i-") expect(read).toHaveProperty("instances.length", count);
      else expect(read).toMatchObject({ kind: "unrelated" });
    });
    fc.assert(property, { numRuns: 30 });
  });

  it.each([retirement, "eb-health-scheduled-change-legacy"])(
    "is written as an event that says the same: %s",
    (name) => {
      const planned = noticed(savedEvent(name));
      if (planned.kind !== "maintenance") throw new Error(`not planned work: ${name}`);
      expect(noticed(healthEventOf(planned))).toEqual(planned);
      expect(noticed(healthEventOf({ ...planned, status: "closed" }))).toEqual({
        ...planned,
        status: "closed",
      });
    },
  );
});

describe("a message of a schedule", () => {
  it("is known by its kind, and has a time", () => {
    const time = "2026-03-23T03:26:43Z";
    const since = Date.UTC(2026, 2, 23, 3, 26, 43);
    expect(noticed({ kind: "put-back", time })).toEqual({ kind: "put-back", since });
  });
});

describe("a message", () => {
  it.each<[string, object]>([
    ["id", { detail: {} }],
    ["id", { "detail-type": "EC2 Spot Instance Interruption Warning" }],
    ["detail.instance-id", { ...noticeIn("eb-ec2-rebalance-recommendation"), detail: {} }],
    ["LifecycleTransition", { LifecycleHookName: "Terminate-LC-Hook" }],
    ["Event", { Event: "autoscaling:NO_EVENT" }],
  ])("is malformed at %s where it is only a part of one: %j", (place, message) => {
    expectComplaint(theOnly(message), place);
  });
});

describe("an unrelated event", () => {
  const retirement = "eb-health-ec2-retirement-scheduled-current";
  const since = Date.UTC(2026, 0, 27, 1, 43, 21);

  it.each([
    [{ backupEvent: "true" }, "the Health event is a backup copy"],
    [{ service: "RDS" }, 'the Health event is about "RDS"'],
    [{ eventTypeCategory: "issue" }, 'the Health event is of category "issue"'],
    [{ eventScopeCode: "PUBLIC" }, "the Health event is public"],
    [{ affectedEntities: [] }, "the Health event affects no instance"],
    [{ affectedEntities: [{ entityValue: "h-1" }] }, "the Health event affects no instance"],
  ])("is a Health event with %j", (detail, reason) => {
    const event = withDetail(retirement, detail);
    expect(noticed(event)).toEqual({ kind: "unrelated", reason, since });
  });

  it.each(["pending", "running"])("is the one about an instance that is %s", (state) => {
    expect(noticed(savedEvent(`eb-ec2-state-change-${state}`))).toMatchObject({
      kind: "unrelated",
      reason: `instance i-0598c7d356eba48d7 is ${state}`,
    });
  });

  it.each([
    ["aws.autoscaling", "EC2 Instance Launch Successful"],
    ["aws.ec2", "EBS Volume Notification"],
    ["aws.health", "AWS Health Abuse Event"],
    ["com.example", "EC2 Spot Instance Interruption Warning"],
    ["aws.ec2", "constructor"],
  ])("is one from %s with the type %s", (source, type) => {
    const event = changed("eb-ec2-rebalance-recommendation", { source, "detail-type": type });
    expect(noticed(event)).toMatchObject({
      kind: "unrelated",
      reason: `"${type}" of "${source}" asks for nothing`,
    });
  });

  it.each(["LAUNCH", "LAUNCH_ERROR", "TERMINATE", "TERMINATE_ERROR"])(
    "is the report of a finished activity, EC2_INSTANCE_%s",
    (activity) => {
      const Event = `autoscaling:EC2_INSTANCE_${activity}`;
      expect(noticed(changed("sns-asg-test-notification", { Event }))).toMatchObject({
        kind: "unrelated",
        reason: `${Event} tells of a finished activity`,
      });
    },
  );
});
