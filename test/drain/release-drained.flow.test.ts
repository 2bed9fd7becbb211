import { describe, expect, it } from "vitest";
import type { DrainPorts } from "../../lambda/drain/drain.port.ts";
import type { DrainOutcome } from "../../lambda/drain/drain-outcome.ts";
import { releaseDrained } from "../../lambda/drain/release-drained.flow.ts";
import type { Keeper } from "../../lambda/notice/keeper.flow.ts";
import { anAction } from "../support/builders.ts";

/** The outcome that is told of a drain whose hook is no longer active when the drain is over. */
async function toldOf(found: DrainOutcome): Promise<unknown> {
  const keeper = { kind: "hook", action: anAction(), atDeadline: "keep" } as unknown as Keeper;
  const groups = { complete: async () => "no-active-action" };
  const ports = { groups, journal: { record: () => undefined } } as unknown as DrainPorts;
  const pass = await releaseDrained(keeper, found, ports);
  return "outcome" in pass ? pass.outcome.kind : pass.kind;
}

describe("a drain whose hook somebody else has completed", () => {
  it("is told as drained if no pod is left", async () => {
    const left = { attached: [], stuck: [] };
    expect(await toldOf({ kind: "drained", ...left })).toBe("drained");
    expect(await toldOf({ kind: "forced", ...left, forced: ["web"] })).toBe("forced");
  });

  it("is told as released elsewhere if it is not done", async () => {
    expect(await toldOf({ kind: "expired", left: [] })).toBe("released-elsewhere");
    expect(await toldOf({ kind: "no-node" })).toBe("released-elsewhere");
  });
});
