import { describe, expect, it } from "vitest";
import { theDeprived, theFunction } from "./identities.ts";
import { permissions, titleOf } from "./permissions.ts";
import { Scene } from "./scene.ts";
import type { Stage } from "./stage.ts";
import { type Worker, works } from "./works.ts";

/** Tests that the manifests allow what the function needs, and nothing else. */
export const leastPrivilege = (stage: () => Stage) =>
  describe("a permission of the manifests", () => {
    it("has a known use", () => {
      expect(Object.keys(works)).toEqual(expect.arrayContaining(permissions.map(titleOf)));
    });

    it.concurrent.each(permissions)(
      "$verb $resource: is enough, and needed",
      async (permission) => {
        const title = titleOf(permission);
        const work = works[title];
        const { role = "" } = theDeprived.get(title) ?? {};

        expect(await outcome(work, await worker(stage(), theFunction.role))).toBe("done");
        expect(await outcome(work, await worker(stage(), role))).toContain(refusalOf(permission));
      },
      60_000,
    );
  });

/** Sets the scene for a role. */
async function worker(stage: Stage, role: string): Promise<Worker> {
  const scene = await Scene.set(stage);
  const node = await scene.node();
  const claims = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
  const manifest = scene.manifest("web", { spec: { nodeName: node.name, volumes: claims } });
  await stage.administrator.make(manifest);
  const pod = await scene.until("web", () => true);
  const source = { persistentVolumeName: "pv" };
  const attachment = {
    apiVersion: "storage.k8s.io/v1",
    kind: "VolumeAttachment",
    metadata: { name: scene.namespace },
    spec: { attacher: "ebs.csi.aws.com", nodeName: node.name, source },
  };
  return {
    caller: stage.caller(role),
    node: await scene.readNode(node.name),
    pod,
    async stir() {
      await stage.administrator.change(manifest, { metadata: { labels: { stirred: "yes" } } });
      await stage.administrator.make(scene.budgetManifest("web", { minAvailable: 0 }), attachment);
    },
  };
}

/** The outcome of a piece of work, in words. */
async function outcome(
  work: ((worker: Worker) => Promise<unknown>) | undefined,
  worker: Worker,
): Promise<string> {
  try {
    const answer = await work?.(worker);
    if (answer === "unclear") return answer;
    return typeof answer === "object" && answer !== null && "message" in answer
      ? String(answer.message)
      : "done";
  } catch (error) {
    return String(error);
  }
}

/** What the API server answers without a permission; without one for DaemonSets, none is judged. */
const refusalOf = ({ verb, resource }: { verb: string; resource: string }): string =>
  resource === "daemonsets" ? "unclear" : `cannot ${verb} resource "${resource}"`;
