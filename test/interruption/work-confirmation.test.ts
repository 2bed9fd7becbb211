import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Duration,
  hours,
  type Instant,
  later,
  milliseconds,
  minutes,
  never,
  seconds,
} from "../../lambda/base/time.ts";
import { type AnnouncedWork, confirmation } from "../../lambda/interruption/work-confirmation.ts";
import { ago, ahead, noon } from "../support/builders.ts";
import { days } from "./planned-work.ts";

const announced = (change: Partial<AnnouncedWork> = {}): AnnouncedWork => ({
  since: noon,
  startTime: ahead(days(2)),
  scheduled: [],
  before: never,
  lead: hours(1),
  now: noon,
  ...change,
});

describe("planned work", () => {
  it.each([
    ["at the same time", days(2)],
    ["before", hours(1)],
    ["a day later", days(3)],
  ])("is confirmed where EC2 has scheduled an event %s", (_, from) => {
    expect(confirmation(announced({ scheduled: [ahead(from)] }))).toEqual({ kind: "confirmed" });
  });

  it("is not hastened by more than a day: EC2's later date counts", () => {
    const scheduled = [ahead(days(14))];
    expect(confirmation(announced({ scheduled }))).toEqual({
      kind: "unconfirmed",
      wait: minutes(1),
    });
    const now = ahead(days(13));
    expect(confirmation(announced({ scheduled, now }))).toEqual({ kind: "confirmed" });
  });

  it("gets a later date than its node has only from EC2: else its drain would come after the work", () => {
    const before = ahead(days(2));
    const moved = (by: Duration, scheduled: readonly Instant[]) =>
      confirmation(announced({ before, startTime: later(before, by), scheduled })).kind;
    for (const by of [minutes(6), hours(1), hours(23), days(300)]) {
      expect(moved(by, [before])).toBe("unconfirmed");
      expect(moved(by, [before, later(before, by)])).toBe("confirmed");
    }
    expect(moved(hours(-1), [before])).toBe("confirmed");
    expect(moved(minutes(0), [ahead(hours(1))])).toBe("confirmed");
  });

  it("is asked about at growing intervals, and when its drain would begin", () => {
    const waits = [
      [0, 60],
      [600, 600],
      [3600 * 20, 3600 * 12],
      [3600 * 46, 3600],
      [3600 * 47, 3600 * 2],
    ] as const;
    for (const [age, wait] of waits)
      expect(confirmation(announced({ now: ahead(seconds(age)) })), `${age}`).toEqual({
        kind: "unconfirmed",
        wait: seconds(wait),
      });
  });

  it("is untrue if EC2 has scheduled nothing an hour after it begins, or after its notice", () => {
    const late = (now: AnnouncedWork["now"], startTime = ahead(days(2))) =>
      confirmation(announced({ now, startTime })).kind;
    expect(late(ahead(milliseconds(days(2) + minutes(60) - 1)))).toBe("unconfirmed");
    expect(late(ahead(milliseconds(days(2) + minutes(60))))).toBe("untrue");
    expect(late(ahead(minutes(59)), ago(days(5)))).toBe("unconfirmed");
    expect(late(ahead(minutes(60)), ago(days(5)))).toBe("untrue");
  });

  it("is untrue if it begins in more than a year, whatever else EC2 has scheduled", () => {
    const scheduled = [ahead(days(2))];
    const kind = (startTime: Instant) => confirmation(announced({ startTime, scheduled })).kind;
    expect(kind(ahead(days(366)))).toBe("confirmed");
    expect(kind(ahead(milliseconds(days(366) + 1)))).toBe("untrue");
  });

  it("comes to an end within some 60 questions, whatever its dates within two weeks", () => {
    const date = fc.nat(days(14)).map((after) => ahead(milliseconds(after)));
    const dates = fc.record({ startTime: date, scheduled: fc.array(date, { maxLength: 1 }) });
    fc.assert(
      fc.property(dates, (work) => {
        expect(questionsAbout(work).length).toBeLessThan(60);
      }),
    );
  });
});

/** Asks until EC2's answer counts, a hundred times at most; returns when. */
function questionsAbout(work: Pick<AnnouncedWork, "scheduled" | "startTime">): readonly Instant[] {
  const asked = [noon];
  while (asked.length < 100) {
    const now = asked.at(-1) ?? noon;
    const found = confirmation(announced({ ...work, now }));
    if (found.kind !== "unconfirmed") break;
    expect(found.wait).toBeGreaterThan(0);
    asked.push(later(now, found.wait));
  }
  return asked;
}
