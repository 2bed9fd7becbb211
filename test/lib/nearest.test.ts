import { describe, expect, it } from "vitest";
import { tryNearest } from "../../lib/nearest.ts";

describe("the nearest candidate", () => {
  it.each([
    ["terminate", ["launch", "terminate"], "terminate"],
    ["terminat", ["launch", "terminate"], "terminate"],
    ["temrinate", ["launch", "terminate"], "terminate"],
    ["lunch", ["launch", "terminate"], "launch"],
    ["sns-asg-lanch", ["sns-asg-launch", "sns-asg-terminate"], "sns-asg-launch"],
  ])("to %s is what was meant", (text, candidates, meant) => {
    expect(tryNearest(text, candidates)).toBe(meant);
  });

  it("does not exist when nothing is near", () => {
    expect(tryNearest("holiday", ["launch", "terminate"])).toBeUndefined();
    expect(tryNearest("launch", [])).toBeUndefined();
  });
});
