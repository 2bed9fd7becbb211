import { describe, expect, it } from "vitest";
import { begunAt, tryOwnTime } from "../../../lambda/domain/notice/begun-at.ts";
import { hours, minutes, seconds } from "../../../lambda/domain/time.ts";
import { ago, ahead, aTerminatingNotice, noon } from "../../builders.ts";

const since = (at: typeof noon) => aTerminatingNotice({ since: at });

describe("the beginning of a drain", () => {
  it.each([
    ["a minute", minutes(1)],
    ["nothing", seconds(0)],
    ["as long as a hook can hold", hours(48)],
  ])("is the notice's own time, though the mark came later by %s", (_, by) => {
    expect(begunAt(since(ago(by)), noon, noon)).toBe(ago(by));
  });

  it("is the notice's own time, though the node was marked for something else days before", () => {
    expect(begunAt(since(noon), ago(hours(72)), noon)).toBe(noon);
  });

  it("is the notice's own time, though the clock that wrote it is a little ahead", () => {
    expect(begunAt(since(ahead(minutes(60))), noon, noon)).toBe(ahead(minutes(60)));
  });

  it("is the mark if no hook can have held an instance since the notice: it was saved, and sent again", () => {
    expect(begunAt(since(ago(hours(48.001))), ago(minutes(3)), noon)).toBe(ago(minutes(3)));
    expect(begunAt(since(ago(hours(24 * 365))), ago(hours(48)), noon)).toBe(ago(hours(48)));
  });

  it("is the mark if the notice's time is still to come", () => {
    expect(begunAt(since(ahead(hours(1.001))), ago(minutes(3)), noon)).toBe(ago(minutes(3)));
  });

  it("is now if neither can be true: the mark is one that an earlier drain has left", () => {
    expect(begunAt(since(ago(hours(49))), ago(hours(48.001)), noon)).toBe(noon);
  });
});

describe("a notice's own time", () => {
  it("is not believed of a saved event", () => {
    expect(tryOwnTime(since(ago(hours(48.001))), noon)).toBeUndefined();
    expect(tryOwnTime(since(ago(hours(48))), noon)).toBe(ago(hours(48)));
  });
});
