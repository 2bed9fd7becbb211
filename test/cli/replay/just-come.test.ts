import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { justCome } from "../../../cli/replay/just-come.ts";
import { readSavedEvent } from "../../../cli/replay/saved-event-schema.ts";
import {
  between,
  type Duration,
  hours,
  instant,
  later,
  milliseconds,
  minutes,
  timestamp,
} from "../../../lambda/base/time.ts";
import { readNotice } from "../../../lambda/notices.ts";
import { noticeIn, savedEvents } from "../../support/saved-events.ts";

const place = "Records[0].Sns.Message";
const now = instant(Date.parse("2026-11-20T10:00:00Z"));
const messageOf = (notice: unknown) => ({ subject: "", message: JSON.stringify(notice), place });
const read = (message: string) => readNotice(JSON.parse(message), "");

describe("a saved message that has just come", () => {
  it.each(savedEvents)("is the same notice, with the time of now: %s", (name) => {
    const before = readNotice(noticeIn(name), "");
    const { message, place: where } = justCome(messageOf(noticeIn(name)), now);

    expect(where).toBe(place);
    const { since, ...after } = read(message);
    const { since: _, ...expected } = before;
    expect(since).toBe(now);
    expect({ ...after, startTime: 0 }).toEqual({ ...expected, startTime: 0 });
  });

  it("announces work of AWS Health as long before it as it did, whatever its age", () => {
    const event = noticeIn("eb-health-ec2-retirement-scheduled-current");
    const anyAge = fc.integer({ min: -1e9, max: 1e12 }).map(milliseconds);
    const lead = (message: string) => {
      const notice = read(message);
      return notice.kind === "maintenance" ? between(notice.since, notice.startTime) : "none";
    };
    fc.assert(
      fc.property(anyAge, (age) => {
        const { message } = justCome(messageOf(event), later(now, age));
        const exact = Number(lead(JSON.stringify(event)));
        // Health tells whole seconds.
        expect(Math.abs(Number(lead(message)) - exact)).toBeLessThan(1000);
      }),
    );
  });

  it("announces the end of a Capacity Block, or of an instance, as long before it as it did", () => {
    const endOf = (name: string, field: string) => {
      const { message } = justCome(messageOf(noticeIn(name)), now);
      const { detail } = JSON.parse(message) as { detail: Readonly<Record<string, unknown>> };
      return detail[field];
    };
    const ends = (time: Duration) => timestamp(later(now, time));
    const warning = "eb-ec2-capacity-block-expiration-warning";
    expect(endOf(warning, "end-date")).toBe(ends(minutes(40)));
    expect(endOf("eb-ec2-capacity-block-delivered", "end-date")).toBe(ends(hours(24)));
    const interruption = "eb-ec2-capacity-reservation-interruption-warning";
    expect(endOf(interruption, "instance-termination-time")).toBe(ends(minutes(2)));
    const spot = "eb-ec2-spot-interruption-warning-stop";
    expect(endOf(spot, "instance-termination-time")).toBeUndefined();
  });

  it.each([
    "no JSON",
    "[]",
    '{"upgrade":"start"}',
    JSON.stringify({ ...noticeIn("eb-ec2-rebalance-recommendation"), time: "yesterday" }),
  ])("stays as it is where it is no notice: %s", (message) => {
    const saved = { subject: "", message, place };
    expect(justCome(saved, now)).toEqual(saved);
  });

  it("keeps what nobody reads of it", () => {
    const [saved] = readSavedEvent(JSON.stringify({ ...noticeIn("sns-asg-terminate"), More: [1] }));
    const { message } = justCome(saved ?? messageOf({}), now);
    expect(JSON.parse(message)).toMatchObject({ More: [1], Time: timestamp(now) });
  });
});
