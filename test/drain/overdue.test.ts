import { describe, expect, it } from "vitest";
import { later, milliseconds, minutes, never, seconds } from "../../lambda/base/time.ts";
import { forcedFrom, nextForce } from "../../lambda/drain/overdue.ts";
import { heededGraceFor, isHurried } from "../../lambda/interruption/event-bounds.ts";
import { ahead, aPod, aSnapshot, noon, someSettings } from "../builders.ts";

describe("the next moment at which a pod becomes overdue", () => {
  const deadline = ahead(minutes(10));
  const pods = [aPod({ grace: seconds(30) }), aPod({ grace: minutes(5) })];

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

describe("a pod that asks for more grace than its node has left", () => {
  const deadline = ahead(seconds(105));
  const at = (grace: number, reason: "interrupted" | "stopping" | "terminating") =>
    (forcedFrom(aPod({ grace: seconds(grace) }), {
      deadline,
      heededGrace: heededGraceFor(reason),
    }) -
      noon -
      1) /
    1000;

  it("is forced with twenty seconds left where the instance is being stopped", () => {
    expect(at(300, "stopping")).toBe(85);
  });

  it("has its cut told only where there is hardly any time", () => {
    const reasons = ["terminating", "interrupted", "at-risk", "maintenance", "stopping"] as const;
    expect(reasons.filter(isHurried)).toEqual(["interrupted", "stopping"]);
  });
});
