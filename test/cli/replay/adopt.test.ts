import { readFileSync } from "node:fs";
import { describe, it } from "vitest";
import { main } from "../../../cli/main.ts";
import { hours, instant, timestamp } from "../../../lambda/base/time.ts";
import { noticeIn, savedEvent } from "../../support/saved-events.ts";
import { capturedIo } from "../captured-io.ts";
import { jsonLines } from "../json-lines-schema.ts";

const text = (name: string) => readFileSync(`events/${name}.json`, "utf8");

const daysIn = { "4 minutes": 4 / 1440, "2 hours": 1 / 12, "3 days": 3, "8 months": 240 } as const;

/** A saved event with the time that it would have if it had been sent so long ago. */
function aged(name: string, age: keyof typeof daysIn): string {
  const { detail, ...notice } = noticeIn(name) as { detail?: { startTime?: string } };
  const at = instant(Date.now() - daysIn[age] * 24 * hours(1));
  const own = "Time" in notice ? "Time" : "time";
  const by = Number(at) - Date.parse(String(Reflect.get(notice, own)));
  const startTime = new Date(Date.parse(detail?.startTime ?? "") + by);
  const moved =
    detail?.startTime === undefined ? detail : { ...detail, startTime: startTime.toUTCString() };
  return JSON.stringify({ ...notice, [own]: timestamp(at), ...(moved && { detail: moved }) });
}

interface Last {
  readonly line: string;
  readonly message: string;
}

async function adopted(input: string, options: readonly string[] = ["--adopt"]) {
  const io = capturedIo({ input });
  const code = await main(["replay", "-", ...options, "--json"], io);
  return { code, lines: jsonLines(io), last: jsonLines(io).at(-1) as Last | undefined };
}

// These tests spend most of their time waiting.
describe("a replay of one's own event", { concurrent: true }, () => {
  it.for([
    ["a saved SNS event", text("sns-asg-terminate")],
    ["a bare notice", JSON.stringify(noticeIn("sns-asg-terminate"))],
    ["an event of EventBridge", text("eb-asg-terminate-lifecycle-action")],
  ])("drains the event's own instance: %s", async ([, input = ""], { expect }) => {
    const { code, last } = await adopted(input);

    expect(last).toMatchObject({
      completed: [{ group: "my-cluster-ng-1", instance: "i-0598c7d356eba48d7" }],
      outcomes: [{ kind: "drained" }],
    });
    expect(code).toBe(0);
  });

  it("registers the event's own instance, in the event's account and Region", async ({
    expect,
  }) => {
    const { lines, last } = await adopted(
      text("sns-asg-launch").replaceAll("123456789012", "210987654321"),
    );

    expect(last).toMatchObject({
      completed: [{ group: "my-cluster-ng-1", instance: "i-0598c7d356eba48d7" }],
      outcomes: [{ kind: "joined", node: "ip-192-168-51-9.us-west-2.compute.internal" }],
    });
    expect(lines).toContainEqual(
      expect.objectContaining({ role: expect.stringContaining("arn:aws:iam::210987654321:role/") }),
    );
  });

  it.for([
    ["sns-asg-terminate", /^ignored: group my-cluster-ng-1 is not managed here .*--adopt/],
    ["eb-ec2-rebalance-recommendation", / is in no Auto Scaling group; .*--adopt/],
  ] as const)(
    "says how to adopt what the sandbox does not know: %s",
    async ([name, words], { expect }) => {
      const { code, last } = await adopted(text(name), []);

      expect(code).toBe(3);
      expect(last?.line).toMatch(words);
    },
  );

  it("drains a Spot instance within its two minutes, and says how much of them is left", async ({
    expect,
  }) => {
    const { code, lines, last } = await adopted(text("eb-ec2-spot-interruption-warning-terminate"));

    expect(lines).toContainEqual(
      expect.objectContaining({ kind: "node-marked", reason: "interrupted" }),
    );
    expect(last).toMatchObject({ completed: [], outcomes: [{ kind: "drained" }] });
    expect(last?.line).toMatch(/^drained .*, 1 min \d+ s before its deadline: 2 pods gone/);
    expect(code).toBe(0);
  });

  it.for([
    ["eb-ec2-spot-interruption-warning-terminate", "4 minutes", "drained"],
    ["eb-ec2-capacity-reservation-interruption-warning", "4 minutes", "drained"],
    ["eb-ec2-capacity-reservation-interruption-warning-older-name", "8 months", "drained"],
    ["eb-ec2-capacity-reservation-interruption-warning-block", "3 days", "drained"],
    ["eb-ec2-spot-interruption-warning-terminate", "3 days", "drained"],
    ["eb-ec2-spot-interruption-warning-terminate", "8 months", "drained"],
    ["eb-ec2-state-change-stopping", "3 days", "drained"],
    ["sns-asg-terminate", "3 days", "drained"],
    ["sns-asg-launch", "2 hours", "joined"],
    ["eb-ec2-rebalance-recommendation", "3 days", "cordoned"],
  ] as const)(
    "takes an event as one that has just come, however old it is: %s, of %s ago",
    async ([name, age, kind], { expect }) => {
      const { code, lines, last } = await adopted(aged(name, age));

      const said = lines.map((line) => JSON.stringify(line)).join("\n");
      expect([code, last?.line], said).toEqual([0, expect.anything()]);
      expect(last).toMatchObject({ outcomes: [{ kind }] });
    },
  );

  it.for(["", "-other-name"])(
    "drains the instance of a Capacity Block that ends, however old the event is: %s",
    async (name, { expect }) => {
      const warning = `eb-ec2-capacity-block-expiration-warning${name}`;
      const { code, lines, last } = await adopted(aged(warning, "3 days"));

      expect(lines).toContainEqual(
        expect.objectContaining({ kind: "node-marked", reason: "block-expiring" }),
      );
      expect(last).toMatchObject({ outcomes: [{ kind: "passed-on" }, { kind: "drained" }] });
      expect(code).toBe(0);
    },
  );

  it("rests while a Capacity Block has just begun", async ({ expect }) => {
    const { code, last } = await adopted(text("eb-ec2-capacity-block-delivered"));

    expect([code, last?.line]).toEqual([3, expect.stringMatching(/^nothing to do for 23 h/)]);
  });

  it("rests until planned work is due, as long as its notice had said", async ({ expect }) => {
    const { code, last } = await adopted(aged("eb-health-scheduled-change-legacy", "8 months"));

    expect([code, last?.line]).toEqual([3, expect.stringMatching(/^nothing to do for \d h/)]);
  });

  it.for(["stopped", "terminated"])(
    "says what happens later of an instance that is %s, and does not wait for it",
    async (state, { expect }) => {
      const { code, last } = await adopted(text(`eb-ec2-state-change-${state}`));

      expect(last).toMatchObject({ ending: "resting", outcomes: [] });
      expect(last?.line).toBe(
        "nothing to do for 5 min; a node of i-0598c7d356eba48d7 that is left then is removed",
      );
      expect(code).toBe(3);
    },
  );

  it("says the same of a notice that invokes the function directly", async ({ expect }) => {
    const event = text("eb-ec2-state-change-stopped");
    const { code, last } = await adopted(event, ["--adopt", "--via", "direct"]);

    expect(last?.line).toMatch(/^nothing to do for 5 min; a node of i-0598c7d356eba48d7 /);
    expect(code).toBe(3);
  });

  it("takes one lifecycle action at a time", async ({ expect }) => {
    const events = [savedEvent("sns-asg-terminate"), savedEvent("demo-ng-terminate")];
    const Records = events.flatMap((event) => (event as { Records: unknown[] }).Records);
    const { code, last } = await adopted(JSON.stringify({ Records }));

    expect(code).toBe(2);
    expect(last?.message).toContain("this file has 2");
  });
});
