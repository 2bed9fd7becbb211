import { describe, expect, it } from "vitest";
import { readRepair } from "../../lambda/repair/repair-message.ts";

const sent = Date.parse("2026-11-20T10:00:00Z");

describe("a message that asks for repairs", () => {
  it("says when it was sent, or was sent by hand", () => {
    expect(readRepair({ kind: "repair", time: "2026-11-20T10:00:00Z" }, "")).toEqual({
      kind: "repair",
      sent,
    });
    expect(readRepair({ kind: "repair" }, "")).toEqual({ kind: "repair", sent: "unsaid" });
  });

  it.each([
    [{}, /kind/],
    [{ kind: "upgrade" }, /kind/],
    [{ kind: "repair", time: "yesterday" }, /time/],
  ])("is refused where it is %j", (message, place) => {
    expect(() => readRepair(message, "body")).toThrow(place);
  });
});
