import { describe, expect, it } from "vitest";
import { begunAt } from "../../lambda/domain/begun-at.ts";
import { hours, minutes, seconds } from "../../lambda/domain/time.ts";
import { ago, ahead, aTerminatingNotice, noon } from "../builders.ts";

const since = (at: typeof noon) => aTerminatingNotice({ since: at });

describe("the beginning of a drain", () => {
  it.each([
    ["a minute", minutes(1)],
    ["nothing", seconds(0)],
    ["as long as a hook can hold", hours(48)],
  ])("is the notice's own time, though the mark came later by %s", (_, by) => {
    expect(begunAt(since(ago(by)), noon)).toBe(ago(by));
  });

  it("is the notice's own time, though the node was marked for something else hours before", () => {
    expect(begunAt(since(ahead(hours(6))), noon)).toBe(ahead(hours(6)));
  });

  it("is the mark if no hook can have held an instance since the notice: it was saved, and sent again", () => {
    expect(begunAt(since(ago(hours(48.001))), noon)).toBe(noon);
    expect(begunAt(since(ago(hours(24 * 365))), noon)).toBe(noon);
  });

  it("is the mark if the notice's time is far ahead of it", () => {
    expect(begunAt(since(ahead(hours(48.001))), noon)).toBe(noon);
  });
});
