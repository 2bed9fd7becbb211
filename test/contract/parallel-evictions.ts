import { setTimeout } from "node:timers/promises";
import { describe, expect, vi } from "vitest";
import { between, type Duration, instant } from "../../lambda/base/time.ts";
import type { Evicted } from "../../lambda/drain/eviction.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import { patience, type Scene } from "./scene.ts";
import { sceneTest } from "./scene-test.ts";
import type { Stage } from "./stage.ts";

const many = 40;

/** The answer to one eviction of many, and how long it took. */
export interface Told {
  readonly kind: Evicted["kind"];
  readonly took: Duration;
}

/** Makes many pods under one budget that lets them all go. */
export async function crowd(scene: Scene): Promise<readonly Pod[]> {
  const { administrator, nodes } = scene.stage;
  const labels = { app: "web" };
  const manifests = Array.from({ length: many }, (_, index) => {
    const nodeName = nodes[index % nodes.length] ?? "";
    const spec = { nodeName, terminationGracePeriodSeconds: 1 };
    return scene.manifest(`web-${index}`, { labels, spec });
  });
  await administrator.make(...manifests);
  const pods = await vi.waitFor(async () => {
    const all = await scene.all();
    expect(all.filter(({ ready }) => ready)).toHaveLength(many);
    return all;
  }, patience);
  await scene.budget("web", { minAvailable: 0 }, many);
  return pods;
}

/** Evicts all pods at once. */
export const evictOnce = (scene: Scene, pods: readonly Pod[]): Promise<readonly Told[]> =>
  Promise.all(pods.map((pod) => evictOne(scene, pod)));

/** Evicts all pods at once, and those that stay again, until none is left. */
export async function evictAll(scene: Scene, pods: readonly Pod[]): Promise<readonly Told[]> {
  const told: Told[] = [];
  const end = Date.now() + patience.timeout;
  let left = pods;
  while (left.length > 0 && Date.now() < end) {
    const answers = await evictOnce(scene, left);
    told.push(...answers);
    left = left.filter((_, index) => answers[index]?.kind !== "accepted");
    // A budget lets the rest go once the controller has counted again.
    await setTimeout(patience.interval);
  }
  return told;
}

async function evictOne({ cluster }: Scene, pod: Pod): Promise<Told> {
  const asked = instant(Date.now());
  const { kind } = await cluster.evict(pod, "own");
  return { kind, took: between(asked, instant(Date.now())) };
}

/** What becomes of many evictions at one time. */
export const parallelEvictions = (stage: () => Stage) =>
  describe(`evicting ${many} pods at once that one budget lets go`, () => {
    const it = sceneTest(stage);

    it("works, is blocked for now or conflicts, and repeated evictions bring all pods out", {
      timeout: 120_000,
    }, async ({ scene }) => {
      const told = await evictAll(scene, await crowd(scene));

      const kinds = told.map(({ kind }) => kind);
      expect(["accepted", "blocked", "conflict"]).toEqual(expect.arrayContaining(kinds));
      expect(kinds.filter((kind) => kind === "accepted")).toHaveLength(many);
      await vi.waitFor(async () => expect(await scene.all()).toEqual([]), patience);
    });
  });
