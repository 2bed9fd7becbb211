import { describe, expect, it } from "vitest";
import { seconds } from "../../lambda/domain/time.ts";
import { contract } from "../contract/contract.ts";
import { crowd, evictAll, type Told } from "../contract/parallel-evictions.ts";
import { Scene } from "../contract/scene.ts";
import { startControlPlaneStage } from "./control-plane-stage.ts";

// It is left to chance who loses, and whether anybody does: in most crowds of a hundred somebody loses.
const mostCrowds = 2;

describe("a real control plane keeps the contract:", () => {
  const stage = contract(startControlPlaneStage);

  it("says to whom it loses in a crowd that the eviction is lost only after some ten seconds, and lets it come again", {
    timeout: 180_000,
  }, async () => {
    const lost: Told[] = [];
    let accepted = 0;
    for (let crowds = 0; lost.length === 0 && crowds < mostCrowds; crowds += 1) {
      const scene = await Scene.set(stage());
      const told = await evictAll(scene, await crowd(scene));
      accepted += told.filter(({ kind }) => kind === "accepted").length;
      lost.push(...told.filter(({ kind }) => kind === "conflict"));
    }

    expect(accepted % 100).toBe(0);
    expect(accepted).toBeGreaterThan(0);
    for (const { took } of lost) expect(took).toBeGreaterThan(seconds(8));
  });
});
