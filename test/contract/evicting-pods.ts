import { setTimeout } from "node:timers/promises";
import { describe, expect } from "vitest";
import { nodeName } from "../../lambda/base/ids.ts";
import {
  between,
  type Instant,
  instant,
  later,
  milliseconds,
  minutes,
  seconds,
  wholeSeconds,
} from "../../lambda/base/time.ts";
import { sceneTest } from "./scene-test.ts";
import type { Stage } from "./stage.ts";

const slow = { annotations: { "hollow/term-seconds": "never" } };

/** What an eviction leaves; the recorded answers say what the API server answers to it. */
export const evictingPods = (stage: () => Stage) =>
  describe("evicting a pod", () => {
    const it = sceneTest(stage);

    it("may follow a read of the pod, which distinguishes it from a new pod of its name", async ({
      scene,
    }) => {
      const { administrator } = stage();
      const pod = await scene.running("web", slow);
      const elsewhere = { ...pod, node: nodeName(stage().nodes[1]) };
      await expect(scene.cluster.lookUp(pod)).resolves.toMatchObject({
        kind: "there",
        pod: { uid: pod.uid, termination: { kind: "active" } },
      });
      await expect(scene.cluster.lookUp(elsewhere)).resolves.toEqual({ kind: "gone" });

      await scene.cluster.evict(pod, "own");
      await expect(scene.cluster.lookUp(pod)).resolves.toMatchObject({
        pod: { termination: { kind: "terminating" } },
      });

      await administrator.remove(scene.manifest("web"), 0);
      await administrator.make(scene.manifest("web"));
      await expect(scene.cluster.lookUp(pod)).resolves.toEqual({ kind: "gone" });
    });

    it("may be followed by a shorter grace, which counts from it too; where that has passed, from now", async ({
      scene,
    }) => {
      const own = minutes(10);
      const spec = { terminationGracePeriodSeconds: wholeSeconds(own) };
      const pod = await scene.held("db", { ...slow, spec });
      const until = async (): Promise<Instant> => {
        const seen = await scene.cluster.lookUp(pod);
        const isEnding = seen.kind === "there" && seen.pod.termination.kind === "terminating";
        return isEnding ? seen.pod.termination.until : instant(0);
      };
      await scene.cluster.evict(pod, "own");
      const first = await until();

      await scene.cluster.remove(pod, minutes(9));
      expect(between(first, await until())).toBe(minutes(-1));

      await setTimeout(3000);
      await scene.cluster.remove(pod, seconds(1));
      const evicted = later(first, milliseconds(-own));
      expect(between(evicted, await until())).toBeGreaterThanOrEqual(seconds(2));
      await scene.release("db");
    });
  });
