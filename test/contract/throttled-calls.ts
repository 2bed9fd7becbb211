import { describe, expect } from "vitest";
import { seconds } from "../../lambda/base/time.ts";
import { listAll } from "../../lambda/kubernetes/collection.ts";
import { podsOf } from "../../lambda/kubernetes/pod-lists.ts";
import { ask } from "./ask.ts";
import { theFunction } from "./identities.ts";
import { sceneTest } from "./scene-test.ts";
import type { Stage } from "./stage.ts";

const later = "Too many requests, please try again later.";

/** What happens when API Priority and Fairness refuses the function's requests. */
export const throttledCalls = (stage: () => Stage) =>
  describe("a call that the server throttles", () => {
    const it = sceneTest(stage);

    it("is not blocked by a budget, and may be repeated as the server says", async ({ scene }) => {
      const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
      const pod = await scene.pending("web", { spec: { volumes } });
      await stage().throttle(pod);
      const { client } = stage().caller(theFunction.role);
      const connection = await client.connection();
      const path = `/api/v1/namespaces/${scene.namespace}/persistentvolumeclaims/data`;

      const reply = await ask(connection, { path });

      expect(reply.status).toBe(429);
      expect(reply.body).toBe(`${later}\n`);
      expect(reply.headers).toMatchObject({
        "content-type": "text/plain; charset=utf-8",
        "retry-after": expect.stringMatching(/^[1-9]\d?$/),
        "x-content-type-options": "nosniff",
        "x-kubernetes-pf-flowschema-uid": expect.any(String),
        "x-kubernetes-pf-prioritylevel-uid": expect.any(String),
      });
      const throttled = { kind: "throttled", message: later, retryAfter: expect.any(Number) };
      await expect(scene.cluster.evict(pod, "own")).resolves.toEqual(throttled);
      await expect(scene.cluster.remove(pod, seconds(1))).resolves.toEqual(throttled);
      const pods = podsOf(pod.node);
      const { items } = await client.ask("listing pods", (again) => listAll(pods, again));
      expect(items).toMatchObject([{ uid: pod.uid, termination: { kind: "active" } }]);
    });

    it("is repeated a few times where that is harmless, and is then a fault", async ({ scene }) => {
      const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
      const pod = await scene.pending("web", { spec: { volumes } });
      await stage().throttle(pod);

      await expect(scene.cluster.volumeOf(scene.namespace, "data")).rejects.toThrow(
        `cluster.refused: reading claim ${scene.namespace}/data: HTTP 429 ${later}`,
      );

      const all = await stage().heard();
      const codes = all
        .filter(
          ({ resource, uri }) =>
            resource === "persistentvolumeclaims" && uri.includes(`/${scene.namespace}/`),
        )
        .map(({ code }) => code);
      expect(codes.slice(-4)).toEqual([429, 429, 429, 429]);
    });
  });
