import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Duration, milliseconds, seconds } from "../../lambda/base/time.ts";
import { contract } from "../contract/contract.ts";
import { crowd, evictAll, evictOnce } from "../contract/parallel-evictions.ts";
import { patience, Scene } from "../contract/scene.ts";
import { inNamespaces, registration, startWebhook } from "./admission-webhook.ts";
import { startControlPlaneStage } from "./control-plane-stage.ts";

/** Slows down every write of a budget's status, so that concurrent evictions conflict. */
async function withSlowBudgets<T>(
  { stage, namespace }: Scene,
  delay: Duration,
  work: () => Promise<T>,
): Promise<T> {
  const webhook = await startWebhook(() => setTimeout(delay, "allowed"));
  // The API server calls it for a moment after it is removed.
  onTestFinished(() => webhook.close());
  const configuration = registration(webhook, {
    name: "slow-budgets",
    apiGroup: "policy",
    operation: "UPDATE",
    resource: "poddisruptionbudgets/status",
    scope: inNamespaces(namespace),
  });
  await stage.administrator.make(configuration);
  try {
    return await work();
  } finally {
    await stage.administrator.remove(configuration);
  }
}

describe("a real control plane keeps the contract:", () => {
  const stage = contract(startControlPlaneStage);

  it("reports the conflict of concurrent evictions only after some ten seconds, and accepts a second try", {
    timeout: 240_000,
  }, async () => {
    const scene = await Scene.set(stage());
    const pods = await crowd(scene);

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
