import { describe, expect, it } from "vitest";
import { nextForce } from "../../../lambda/domain/drain/overdue.ts";
import { later, milliseconds, minutes, never, seconds } from "../../../lambda/domain/time.ts";
import { ahead, aPod, aSnapshot, noon, someSettings } from "../../builders.ts";

describe("the next moment at which a pod becomes overdue", () => {
  const deadline = ahead(minutes(10));
  const pods = [aPod({ grace: seconds(30) }), aPod({ grace: minutes(5) })];

  it("is when the longest grace that still fits no longer fits", () => {
    expect(nextForce(pods, aSnapshot({ deadline }))).toBe(ahead(milliseconds(300_001)));
  });

  it("is never in the past, where pods are overdue already", () => {
    const now = ahead(milliseconds(300_001));
    expect(nextForce(pods, aSnapshot({ deadline, now }))).toBe(ahead(milliseconds(570_001)));
    const before = later(now, milliseconds(-1));
    expect(nextForce(pods, aSnapshot({ deadline, now: before }))).toBe(now);
  });

  it("never comes without pods, or where the settings rule out force", () => {
    expect(nextForce([], aSnapshot({ deadline }))).toBe(never);
    const settings = someSettings({ force: "never" });
    expect(nextForce(pods, aSnapshot({ deadline, now: noon, settings }))).toBe(never);
  });
});
