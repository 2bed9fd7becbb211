import { describe, expect, it } from "vitest";
import { type Duration, hours, instant, minutes, never, seconds } from "../../lambda/base/time.ts";
import { begunAt, sentAt, tryOwnTime } from "../../lambda/notice/begun-at.ts";
import { ago, ahead, aTerminatingNotice, noon } from "../support/builders.ts";

const since = (at: typeof noon) => aTerminatingNotice({ since: at });

describe("a notice's own time", () => {
  it.each<[string, Duration]>([
    ["a minute", minutes(1)],
    ["nothing", seconds(0)],
    ["as long as a hook can hold", hours(48)],
  ])("is believed after %s", (_, age) => {
    expect(tryOwnTime(since(ago(age)), noon)).toBe(ago(age));
  });

  it("is believed though the clock that wrote it is a little ahead", () => {
    expect(tryOwnTime(since(ahead(minutes(60))), noon)).toBe(ahead(minutes(60)));
  });

  it.each([ago(hours(48.001)), ago(hours(24 * 365)), ahead(hours(1.001))])(
    "is not believed where no hook can have held an instance since: it was saved, and sent again (%d)",
    (at) => {
      expect(tryOwnTime(since(at), noon)).toBeUndefined();
    },
  );
});

describe("the time at which an event was sent", () => {
  const sent = (at: typeof noon, firstReceived = noon, now = ahead(hours(3))) =>
    sentAt(since(at), { firstReceived }, now);

  it.each([ago(hours(24 * 365)), ago(seconds(3)), noon, ahead(seconds(60))])(
    "is its own, if the event came after it, or a minute before it at the most (%d)",
    (at) => {
      expect(sent(at)).toBe(at);
    },
  );

  it.each([ahead(seconds(61)), ahead(minutes(59)), instant(Date.UTC(9999, 11, 31))])(
    "is its first receive, if the event claims to be of a later time (%d), however late it is read",
    (at) => {
      expect(sent(at)).toBe(noon);
    },
  );

  it("is now, if it claims to be of a later time and nobody says when it came", () => {
    expect(sent(ahead(hours(9)), never)).toBe(ahead(hours(3)));
    expect(sent(ago(hours(9)), never)).toBe(ago(hours(9)));
  });
});

describe("the begin of a drain whose notice does not tell it", () => {
  it.each([seconds(0), minutes(3), hours(48)])("is its trace of %d ms ago", (age) => {
    expect(begunAt(ago(age), noon)).toBe(ago(age));
  });

  it.each([ago(hours(48.001)), ahead(seconds(1)), instant(0)])(
    "is now, where its trace is older than any hold, or yet to come (%d)",
    (trace) => {
      expect(begunAt(trace, noon)).toBe(noon);
    },
  );
});
