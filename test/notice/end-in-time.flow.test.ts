import { describe, expect, it } from "vitest";
import { Fault, type FaultCode } from "../../lambda/base/fault.ts";
import { type Duration, hours, later, minutes, seconds } from "../../lambda/base/time.ts";
import { endInTime } from "../../lambda/notice/end-in-time.flow.ts";
import { done } from "../../lambda/notice/outcome.ts";
import type { PassEntry } from "../../lambda/notice/pass-entry.ts";
import { start } from "../support/aws-account.ts";
import { QuickClock } from "../support/quick-clock.ts";

/** A pass that begins some time before the deadline of its work, and whose first tries fail, each after some time. */
async function passed(
  before: Duration,
  failures: number,
  code: FaultCode = "aws.unreachable",
  takes = seconds(0),
) {
  const clock = new QuickClock();
  const entries: PassEntry[] = [];
  let tries = 0;
  const pass = {
    start: { bounds: { deadline: later(start, before) } },
    work: async () => {
      tries += 1;
      if (takes > 0) await clock.sleep(later(clock.now(), takes));
      if (tries <= failures) throw new Fault(code, "asking");
      return done({ kind: "drained" });
    },
    retryWithin: () => minutes(1),
    giveUp: async (reason: string) => done({ kind: "given up", reason }),
  };
  const journal = { record: (entry: PassEntry) => entries.push(entry) };
  const end = await endInTime(pass, { clock, journal }).catch((cause: unknown) => cause);
  const retried = entries.map((entry) => entry.kind === "fault" && entry.retryable);
  return { end, slept: clock.slept, retried };
}

const drained = done({ kind: "drained" });
const reason = "aws.unreachable: asking";

describe("work that fails", () => {
  it("before its deadline is tried again by a later pass, as soon as it has to be", async () => {
    const { end, slept, retried } = await passed(seconds(1), 1);
    expect(end).toMatchObject({ code: "aws.unreachable", retryWithin: minutes(1) });
    expect([slept, retried]).toEqual([[], []]);
  });

  it.each([seconds(0), hours(-1)])(
    "in a pass that begins at its deadline or after it (%d) is tried again each three seconds",
    async (before) => {
      expect(await passed(before, 2)).toEqual({
        end: drained,
        slept: [seconds(3), seconds(3)],
        retried: [true, true],
      });
    },
  );

  it("is given up when another try would come 20 seconds after the begin of such a pass", async () => {
    const { end, slept, retried } = await passed(seconds(0), 100);
    expect(end).toEqual(done({ kind: "given up", reason }));
    expect(slept).toEqual(Array.from({ length: 6 }, () => seconds(3)));
    expect(retried).toEqual([true, true, true, true, true, true, false]);
  });

  it("is given up where another try would come at the very end of that time, or after the deadline of an earlier begin", async () => {
    const [work, pause] = [seconds(2), seconds(3)];
    const late = await passed(seconds(0), 100, "aws.unreachable", work);
    expect(late.slept).toEqual([work, pause, work, pause, work, pause, work]);
    const early = await passed(seconds(1), 100, "aws.unreachable", work);
    expect(early).toEqual({ end: late.end, slept: [work], retried: [false] });
  });

  it("is given up at once where no other try can help", async () => {
    const { end, slept, retried } = await passed(seconds(0), 100, "cluster.not-found");
    expect(end).toEqual(done({ kind: "given up", reason: "cluster.not-found: asking" }));
    expect([slept, retried]).toEqual([[], [false]]);
  });
});
