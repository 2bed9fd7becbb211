import { describe, expect, it, vi } from "vitest";
import type { Pod } from "../../lambda/domain/pod.ts";
import { patience, Scene } from "./scene.ts";
import type { Stage } from "./stage.ts";

const many = 100;

/** What becomes of many evictions at one time. */
export const parallelEvictions = (stage: () => Stage) =>
  describe(`evicting ${many} pods at once that one budget lets go`, () => {
    it("is done, refused for now, or lost in the crowd; asking again brings them all out", async () => {
      const scene = await Scene.set(stage());
      const names = Array.from({ length: many }, (_, index) => `web-${index}`);
      const manifests = names.map((name, index) =>
        scene.manifest(name, {
          labels: { app: "web" },
          spec: {
            nodeName: stage().nodes[index % 3] ?? "",
            terminationGracePeriodSeconds: 1,
          },
        }),
      );
      await stage().administrator.make(...manifests);
      const pods = await vi.waitFor(async () => {
        const all = await scene.all();
        expect(all.filter(({ ready }) => ready)).toHaveLength(many);
        return all;
      }, patience);
      await scene.budget("web", { minAvailable: 0 }, many);

      const rounds: string[][] = [];
      for (let left: readonly Pod[] = pods; left.length > 0 && rounds.length < 30; ) {
        const answers = await Promise.all(left.map((pod) => scene.cluster.evict(pod, "own")));
        rounds.push(answers.map(({ kind }) => kind));
        left = left.filter((_, index) => answers[index]?.kind !== "accepted");
      }

      const answers = new Set(rounds.flat());
      expect(["accepted", "blocked", "conflict"]).toEqual(expect.arrayContaining([...answers]));
      expect(rounds.flat().filter((kind) => kind === "accepted")).toHaveLength(many);
      await vi.waitFor(async () => expect(await scene.all()).toEqual([]), patience);
    }, 120_000);
  });
