import { describe, expect, it } from "vitest";
import { begunAt, tryOwnTime } from "../../../lambda/domain/notice/begun-at.ts";
import { hours, minutes, seconds } from "../../../lambda/domain/time.ts";
import { ago, ahead, aTerminatingNotice, noon } from "../../builders.ts";

const since = (at: typeof noon) => aTerminatingNotice({ since: at });

describe("the beginning of a drain", () => {
  it.each([
    ["a minute", minutes(1)],
    ["no time", seconds(0)],
    ["the longest hold", hours(48)],
  ])("is the notice's own time, although the mark came later by %s", (_, by) => {
    expect(begunAt(since(ago(by)), noon, noon)).toBe(ago(by));
  });

  it("is the notice's own time, although the node was marked for something else days before", () => {
    expect(begunAt(since(noon), ago(hours(72)), noon)).toBe(noon);
  });

  it("is the notice's own time, although the clock that it was written by is a little ahead", () => {
    expect(begunAt(since(ahead(minutes(60))), noon, noon)).toBe(ahead(minutes(60)));
  });

  it("is the time of the mark if the notice is older than any hold, as a saved event that is sent again", () => {
    expect(begunAt(since(ago(hours(48.001))), ago(minutes(3)), noon)).toBe(ago(minutes(3)));
    expect(begunAt(since(ago(hours(24 * 365))), ago(hours(48)), noon)).toBe(ago(hours(48)));
  });

  it("is the time of the mark if the notice's time is still to come", () => {
    expect(begunAt(since(ahead(hours(1.001))), ago(minutes(3)), noon)).toBe(ago(minutes(3)));
  });

  it("is now if neither can be true, because an earlier drain left the mark", () => {
    expect(begunAt(since(ago(hours(49))), ago(hours(48.001)), noon)).toBe(noon);
  });
});

describe("a notice's own time", () => {
  it("does not count if it is older than any hold, as in a saved event", () => {
    expect(tryOwnTime(since(ago(hours(48.001))), noon)).toBeUndefined();
    expect(tryOwnTime(since(ago(hours(48))), noon)).toBe(ago(hours(48)));
  });
});
