import { describe, expect, it, vi } from "vitest";
import { milliseconds, seconds } from "../../lambda/base/time.ts";
import { contract } from "../contract/contract.ts";
import { crowd, evictAll, evictOnce } from "../contract/parallel-evictions.ts";
import { patience, Scene } from "../contract/scene.ts";
import { startControlPlaneStage } from "./control-plane-stage.ts";
import { withSlowBudgets } from "./slow-budgets.ts";

const crowdSize = 40;

describe("a real control plane keeps the contract:", () => {
  const stage = contract(startControlPlaneStage);

  it("reports the conflict of concurrent evictions only after some ten seconds, and accepts a second try", {
    timeout: 240_000,
  }, async () => {
    const scene = await Scene.set(stage());
    const pods = await crowd(scene, crowdSize);

    const told = await withSlowBudgets(scene, milliseconds(400), () => evictOnce(scene, pods));

    const lost = told.filter(({ kind }) => kind === "conflict");
    expect(lost).not.toEqual([]);
    for (const { took } of lost) expect(took).toBeGreaterThan(seconds(8));
    const losers = pods.filter((_, index) => told[index]?.kind === "conflict");
    const again = await evictAll(scene, losers);
    expect(again.filter(({ kind }) => kind === "accepted")).toHaveLength(losers.length);
    await vi.waitFor(async () => expect(await scene.all()).toEqual([]), patience);
  });
});
