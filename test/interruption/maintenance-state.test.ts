import { describe, expect, it } from "vitest";
import { instanceId } from "../../lambda/base/ids.ts";
import { type Duration, hours, instant, later, seconds } from "../../lambda/base/time.ts";
import type { Maintenance } from "../../lambda/interruption/event-notice.ts";
import {
  maintenanceStateOf,
  traceOf,
  tryWhyNotWaiting,
} from "../../lambda/interruption/maintenance-state.ts";

const told = instant(Date.UTC(2026, 10, 20, 10));
const days = (count: number): Duration => hours(24 * count);
const start = later(told, days(14));
const notice: Maintenance = {
  kind: "maintenance",
  id: "one",
  instances: [instanceId("i-1")],
  status: "open",
  startTime: start,
  event: "arn:1",
  eventType: "AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED",
  since: told,
};
const heard = later(told, seconds(7));
const trace = traceOf(notice, { waiting: "one", now: heard });
const closed: Maintenance = { ...notice, status: "closed", since: later(told, hours(1)) };
const moved: Maintenance = { ...closed, status: "open", startTime: later(start, days(1)) };

describe("a notice of planned work", () => {
  it("is news to a node that says nothing of its Health event", () => {
    expect(maintenanceStateOf(notice, [])).toEqual({ kind: "news" });
    expect(maintenanceStateOf({ ...notice, event: "arn:2" }, [trace])).toEqual({ kind: "news" });
  });

  it.each(["open", "upcoming"] as const)(
    "is known to a node that says the same (%s), whenever it was sent",
    (status) => {
      for (const since of [told, later(told, hours(-1)), later(told, hours(1))])
        expect(maintenanceStateOf({ ...notice, status, since }, [trace])).toEqual({
          kind: "known",
          trace,
        });
    },
  );

  it("is news if it closes or moves what an earlier one said", () => {
    expect(maintenanceStateOf(closed, [trace])).toEqual({ kind: "news" });
    expect(maintenanceStateOf(moved, [trace])).toEqual({ kind: "news" });
  });

  it("is outdated if a later one came first", () => {
    for (const newer of [closed, moved]) {
      const theirs = traceOf(newer, { waiting: "two", now: heard });
      expect(maintenanceStateOf(notice, [theirs])).toEqual({ kind: "outdated", trace: theirs });
    }
  });

  it("of two that were sent in the same second, the one that begins sooner counts", () => {
    const twin = { ...moved, since: told };
    const theirs = traceOf(twin, { waiting: "two", now: heard });
    expect(maintenanceStateOf(notice, [theirs])).toEqual({ kind: "news" });
    expect(maintenanceStateOf(twin, [trace])).toEqual({ kind: "outdated", trace });
    expect(maintenanceStateOf({ ...closed, since: told }, [trace])).toEqual({
      kind: "outdated",
      trace,
    });
  });

  it("waits if it is news, or the one that the node names", () => {
    expect(tryWhyNotWaiting(notice, { kind: "news" })).toBeUndefined();
    expect(tryWhyNotWaiting(notice, { kind: "known", trace })).toBeUndefined();
  });

  it("does not wait if another one waits already", () => {
    expect(tryWhyNotWaiting({ ...notice, id: "two" }, { kind: "known", trace })).toBe(
      "another notice of Health event arn:1 waits already",
    );
  });

  it.each([
    [closed, "Health event arn:1 is closed"],
    [moved, "Health event arn:1 now begins at 2026-12-05T10:00:00.000Z"],
  ])("does not wait if a later one has changed its date", (newer, why) => {
    const theirs = traceOf(newer, { waiting: "one", now: heard });
    expect(tryWhyNotWaiting(notice, { kind: "outdated", trace: theirs })).toBe(why);
  });
});
