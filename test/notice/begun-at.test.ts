import { describe, expect, it } from "vitest";
import { type Duration, hours, minutes, seconds } from "../../lambda/base/time.ts";
import { begunAt, tryOwnTime } from "../../lambda/notice/begun-at.ts";
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

describe("the begin of a drain whose notice does not tell it", () => {
  it.each([seconds(0), minutes(3), hours(48)])("is its trace of %d ms ago", (age) => {
    expect(begunAt(ago(age), noon)).toBe(ago(age));
  });
});
