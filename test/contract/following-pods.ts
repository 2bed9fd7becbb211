import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Bell } from "../../lambda/bell.ts";
import { nodeName } from "../../lambda/domain/ids.ts";
import type { Node } from "../../lambda/domain/node.ts";
import type { DrainView } from "../../lambda/ports.ts";
import { patience, Scene } from "./scene.ts";
import type { Stage } from "./stage.ts";

const many = 1000;

/** What the function knows of a node's pods while it drains it. */
export const followingPods = (stage: () => Stage) =>
  describe("following the pods of a node", () => {
    let scene: Scene;
    let node: Node;
    let view: DrainView;
    const bell = new Bell();
    beforeEach(async () => {
      scene = await Scene.set(stage());
      node = await scene.node();
    });
    afterEach(() => view.close());

    const here = {
      get spec() {
        return { nodeName: node.name };
      },
    };
    const make = async (name: string, labels = {}): Promise<void> => {
      await stage().administrator.make(scene.manifest(name, { ...here, labels }));
    };
    const follow = async () => {
      view = await scene.cluster.follow(node.name, bell);
      bell.heard();
    };
    const names = () =>
      view
        .pods()
        .map(({ name }) => name)
        .toSorted();
    const rings = () => vi.waitFor(() => expect(bell.heard()).toBe(true), patience);

    it("knows those that are bound to it, and no others", async () => {
      await make("web-1");
      await make("web-2");
      await scene.pending("elsewhere");

      await follow();

      expect(names()).toEqual(["web-1", "web-2"]);
      expect(view.pods()[0]).toMatchObject({ namespace: scene.namespace, node: node.name });
    });

    it("hears of one that is bound later, at once", async () => {
      await follow();
      expect(names()).toEqual([]);

      await make("late");

      await rings();
      expect(names()).toEqual(["late"]);
    });

    it("hears of one that the scheduler puts there", async () => {
      const [, name] = stage().nodes;
      view = await scene.cluster.follow(nodeName(name), bell);
      const nodeSelector = { scene: scene.namespace };
      const manifest = scene.manifest("waiting", { spec: { nodeName: "", nodeSelector } });
      await stage().administrator.make(manifest);
      const own = () => view.pods().filter(({ namespace }) => namespace === scene.namespace);
      expect(own()).toEqual([]);

      const node = { kind: "Node", metadata: { name } };
      await stage().administrator.change(node, { metadata: { labels: nodeSelector } });

      await vi.waitFor(() => expect(own()).toMatchObject([{ name: "waiting" }]), patience);
    });

    it("hears of every change, and of the end", async () => {
      await make("web");
      await follow();

      const manifest = scene.manifest("web");
      await stage().administrator.change(manifest, { metadata: { labels: { seen: "yes" } } });
      await rings();
      expect(view.pods()).toMatchObject([{ name: "web", labels: { seen: "yes" } }]);
      await stage().administrator.remove(manifest);
      await vi.waitFor(
        () => expect(view.pods()).toMatchObject([{ termination: { kind: "terminating" } }]),
        patience,
      );
      bell.heard();
      await stage().administrator.remove(manifest, 0);

      await rings();
      expect(names()).toEqual([]);
    });

    it("tells one from another of the same name", async () => {
      await make("web");
      await follow();
      const [before] = view.pods();

      await stage().administrator.remove(scene.manifest("web"), 0);
      await make("web");

      await vi.waitFor(() => {
        expect(names()).toEqual(["web"]);
        expect(view.pods()[0]?.uid).not.toBe(before?.uid);
      }, patience);
    });

    it("knows the budgets from the beginning, and their changes", async () => {
      await make("web", { app: "web" });
      await scene.budget("web", { minAvailable: 1 }, 1);

      await follow();

      const budget = () => view.budgets().find(({ namespace }) => namespace === scene.namespace);
      expect(budget()).toMatchObject({
        name: "web",
        observed: true,
        disruptionsAllowed: 0,
        desiredHealthy: 1,
        currentHealthy: 0,
      });
      const manifest = scene.budgetManifest("web", {});
      await stage().administrator.change(manifest, { spec: { minAvailable: 0 } });
      await rings();
      await vi.waitFor(
        () => expect(budget()).toMatchObject({ rule: "minAvailable 0", desiredHealthy: 0 }),
        patience,
      );
    });

    it(`lists ${many} of them in pages, and lists them anew when asked`, async () => {
      const all = Array.from({ length: many }, (_, index) => scene.manifest(`web-${index}`, here));
      await stage().administrator.make(...all);
      await behind();
      const before = (await stage().heard()).length;

      await follow();

      expect(view.pods()).toHaveLength(many);
      expect(new Set(view.pods().map(({ uid }) => uid)).size).toBe(many);
      const pages = (await stage().heard())
        .slice(before)
        .filter(({ verb, resource }) => verb === "list" && resource === "pods")
        .map(({ uri }) => new URL(uri, "https://127.0.0.1").searchParams);
      // A full page never knows that it is the last: pods of other nodes come behind it.
      expect(pages.map((query) => query.get("limit"))).toEqual(["500", "500", "500"]);
      expect(pages.map((query) => query.has("continue"))).toEqual([false, true, true]);
      const listed = view.listed();
      await view.list();
      expect(view.listed()).toBeGreaterThan(listed);
      expect(view.pods()).toHaveLength(many);
    });

    /** A pod of another node, behind all others in the order of lists. */
    const behind = async (): Promise<void> => {
      const namespace = `z-${scene.namespace}`;
      await stage().namespace(namespace);
      const manifest = scene.manifest("last");
      await stage().administrator.make({
        ...manifest,
        metadata: { ...manifest.metadata, namespace },
      });
    };
  });
