import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { V1Pod } from "@kubernetes/client-node";
import { describe, expect, vi } from "vitest";
import { instanceId, nodeName } from "../../lambda/base/ids.ts";
import { daemonSet } from "../cluster/manifests.ts";
import { clusterThatIsDown } from "./ground.ts";
import { theFunction } from "./identities.ts";
import { patience, type Scene } from "./scene.ts";
import { sceneTest } from "./scene-test.ts";
import type { Stage } from "./stage.ts";

let instances = 0;
const freshInstance = () => {
  instances += 1;
  return `i-${String(instances).padStart(17, "e")}`;
};

/** How an upgrade reads the nodes of a group, and how the cluster bears it. */
export const groupNodes = (stage: () => Stage) =>
  describe("the nodes of a group", () => {
    const it = sceneTest(stage);
    const reader = () => stage().caller(theFunction.role).groupNodes;
    const nowhere = { no: "where" };

    it("are those of its instances, with their kubelets and addresses", async ({ scene }) => {
      const [first, second] = [freshInstance(), freshInstance()];
      const own = await scene.node({ spec: { providerID: `aws:///eu-west-1a/${first}` } });
      await scene.node({ spec: { providerID: `aws:///eu-west-1b/${freshInstance()}` } });
      await scene.node({ spec: { providerID: `kind://docker/demo/${second}` } });
      const status = {
        nodeInfo: { kubeletVersion: "v1.35.4-eks-1234567" },
        addresses: [
          { type: "Hostname", address: own.name },
          { type: "InternalIP", address: "192.168.1.7" },
        ],
      };
      const node = { apiVersion: "v1", kind: "Node", metadata: { name: own.name } };
      await stage().administrator.change(node, { status }, "/status");

      // Controllers write to a new node too: both reads may see it in different states.
      const found = await vi.waitFor(async () => {
        const nodes = await reader().nodesOf([first, second].map(instanceId));
        expect(nodes).toEqual([
          {
            ...(await scene.readNode(own.name)),
            instance: first,
            created: expect.any(Number),
            kubeletVersion: "v1.35.4-eks-1234567",
            address: "192.168.1.7",
            bootId: "",
            reported: expect.any(Number),
            conditions: expect.any(Array),
          },
        ]);
        return nodes;
      }, patience);

      expect(found[0]?.created).toBeGreaterThan(Date.parse("2026-01-01"));
    });

    it("have no address where their kubelets report none", async ({ scene }) => {
      const instance = freshInstance();
      const { name } = await scene.node({ spec: { providerID: `aws:///eu-west-1a/${instance}` } });

      await expect(reader().nodesOf([instanceId(instance)])).resolves.toMatchObject([
        { name, address: "" },
      ]);
    });

    it("count the pods that a drain would evict: none of a DaemonSet, and none that are over", async ({
      scene,
    }) => {
      const name = nodeName((await scene.node()).name);
      const spec = { nodeName: name };
      const owner = { apiVersion: "apps/v1", kind: "DaemonSet", name: "agent", uid: "1" };
      const over = await scene.pending("over", { spec });
      for (const other of ["one", "two"]) await scene.pending(other, { spec });
      await scene.pending("agent", { spec, owner: { ...owner, controller: true } });
      const finished = scene.manifest(over.name, { spec });
      await stage().administrator.change(finished, { status: { phase: "Succeeded" } }, "/status");
      const empty = nodeName((await scene.node()).name);

      const counts = await reader().podCounts([name, empty]);

      expect([...counts]).toEqual([
        [name, 2],
        [empty, 0],
      ]);
    });

    it.for([
      ["ready", "10", "ready"],
      ["not ready where the node has no room for it", "0", "not-ready"],
    ] as const)("have a pod of a DaemonSet that is %s", async ([, room, readiness], { scene }) => {
      const node = await nodeWithDaemon(scene, room);
      await vi.waitFor(async () => {
        expect(await reader().daemonPods(node)).toMatchObject([{ readiness: "not-ready" }]);
      }, patience);
      const [pod] = await scene.all();
      const { namespace } = scene;
      const conditions = [{ type: "Ready", status: "True" }];
      const manifest = scene.manifest(pod?.name ?? "");
      await stage().administrator.change(manifest, { status: { conditions } }, "/status");

      // The scheduler may bind it just now: then it is in both lists, or in neither.
      await vi.waitFor(async () => {
        expect(await reader().daemonPods(node)).toEqual([
          { namespace, name: pod?.name, readiness },
        ]);
      }, patience);
    });

    /** A node with room for so many pods, and a DaemonSet for this node alone. */
    async function nodeWithDaemon(scene: Scene, room: string) {
      const labels = { daemons: scene.namespace };
      const { name } = await scene.node({ metadata: { labels } });
      const allocatable = { pods: room, cpu: "8", memory: "16Gi" };
      const node = { apiVersion: "v1", kind: "Node", metadata: { name } };
      await stage().administrator.change(node, { status: { allocatable } }, "/status");
      const { namespace } = scene;
      const spec = { nodeSelector: labels };
      await stage().administrator.make(daemonSet({ name: "agent", namespace, spec }));
      return nodeName(name);
    }

    it("leave pods waiting: those without a node are counted, and none that only start", async ({
      scene,
    }) => {
      await scene.pending("starting");
      const spec = { nodeSelector: nowhere };

      for (const name of ["one", "two"])
        await stage().administrator.make(without(scene.manifest(name, { spec })));

      await vi.waitFor(async () => {
        expect((await reader().pendingPods()).get(scene.namespace)).toBe(2);
      }, patience);
    });

    it("run pods of a namespace: those whose kubelet says so", async ({ scene }) => {
      const spec = { nodeName: (await scene.node()).name };
      for (const name of ["runs", "starts", "over"]) await scene.pending(name, { spec });
      await scene.pending("waits", { spec: { nodeSelector: nowhere } });
      for (const [name, phase] of [
        ["runs", "Running"],
        ["over", "Succeeded"],
      ] as const)
        await stage().administrator.change(
          scene.manifest(name, { spec }),
          { status: { phase } },
          "/status",
        );

      await expect(reader().runningPods(scene.namespace)).resolves.toBe(1);
    });

    it("have the version of the API server to keep to", async () => {
      await expect(reader().version()).resolves.toMatch(/^v1\.36\.\d+/);
    });

    it("answer a check with 200 or not", async () => {
      const server = createServer((request, answer) => {
        answer.writeHead(request.url === "/ready" ? 200 : 503).end("hello");
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const { port } = server.address() as AddressInfo;
      const base = `http://127.0.0.1:${port}`;

      await expect(reader().answers(`${base}/ready`)).resolves.toBe(true);
      await expect(reader().answers(`${base}/other`)).resolves.toBe(false);
      await expect(reader().answers("http://:8080/of-no-address")).resolves.toBe(false);
      await new Promise((resolve) => server.close(resolve));
      await expect(reader().answers(`${base}/ready`)).resolves.toBe(false);
    });

    it("are a fault while the API server is down", async () => {
      const { groupNodes: down } = stage().caller(theFunction.role, { cluster: clusterThatIsDown });
      const node = nodeName("none");

      for (const reading of [
        down.nodesOf([instanceId("i-1")]),
        down.podCounts([node]),
        down.daemonPods(node),
        down.pendingPods(),
        down.version(),
      ])
        await expect(reading).rejects.toMatchObject({ code: "cluster.unreachable" });
    });
  });

/** The manifest of a pod that the scheduler has to place. */
function without(pod: V1Pod) {
  const { nodeName: _, ...spec } = pod.spec ?? { containers: [] };
  return { ...pod, spec };
}
