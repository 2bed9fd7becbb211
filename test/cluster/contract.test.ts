import { describe, expect, it } from "vitest";
import { seconds } from "../../lambda/domain/time.ts";
import { contract } from "../contract/contract.ts";
import { crowd, evictAll, type Told } from "../contract/parallel-evictions.ts";
import { Scene } from "../contract/scene.ts";
import { startControlPlaneStage } from "./control-plane-stage.ts";

// It is left to chance who loses; somebody does in most crowds of a hundred.
const mostCrowds = 4;

describe("a real control plane keeps the contract:", () => {
  const stage = contract(startControlPlaneStage);

  it("loses some of many evictions at once, and says so after some ten seconds", {
    timeout: 180_000,
  }, async () => {
    const lost: Told[] = [];
    for (let crowds = 0; lost.length === 0 && crowds < mostCrowds; crowds += 1) {
      const scene = await Scene.set(stage());
      const told = await evictAll(scene, await crowd(scene));
      lost.push(...told.filter(({ kind }) => kind === "conflict"));
    }

    expect(lost).not.toEqual([]);
    for (const { took } of lost) expect(took).toBeGreaterThan(seconds(8));
  });
});
