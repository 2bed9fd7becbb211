import { describe, expect, vi } from "vitest";
import { type NodeName, nodeName } from "../../lambda/base/ids.ts";
import { type Following, patience, type Scene } from "./scene.ts";
import { sceneTest } from "./scene-test.ts";
import type { Stage } from "./stage.ts";

const many = 1000;

/** Waits until the wakeup has rung and the pods are these. */
const hears = ({ view, wakeup }: Following, pods: readonly object[]): Promise<void> =>
  vi.waitFor(() => {
    expect(view.pods()).toMatchObject(pods);
    expect(wakeup.consume()).toBe(true);
  }, patience);

const on = (node: NodeName) => ({ spec: { nodeName: node } });

/** What the function knows about a node's pods while it drains the node. */
export const followingPods = (stage: () => Stage) =>
  describe("following the pods of a node", () => {
    const it = sceneTest(stage);

    it("shows the pods that are bound to it, and no others", async ({ scene }) => {
      const { name } = await scene.node();
      const { administrator } = stage();
      await administrator.make(
        scene.manifest("web-1", on(name)),
        scene.manifest("web-2", on(name)),
      );
      await scene.pending("elsewhere");

      const { view } = await scene.follow(name);

      expect(
        view
          .pods()
          .map((pod) => pod.name)
          .toSorted(),
      ).toEqual(["web-1", "web-2"]);
      expect(view.pods()[0]).toMatchObject({ namespace: scene.namespace, node: name });
    });

    it("shows a pod that is bound later", async ({ scene }) => {
      const following = await scene.follow((await scene.node()).name);
      expect(following.view.pods()).toEqual([]);

      await stage().administrator.make(scene.manifest("late", on(following.node)));

      await hears(following, [{ name: "late" }]);
    });

    it("shows a pod that the scheduler puts there", async ({ scene }) => {
      const [, name] = stage().nodes;
      const { view } = await scene.follow(nodeName(name));
      const nodeSelector = { scene: scene.namespace };
      const manifest = scene.manifest("waiting", { spec: { nodeName: "", nodeSelector } });
      await stage().administrator.make(manifest);
      const own = () => view.pods().filter(({ namespace }) => namespace === scene.namespace);
      expect(own()).toEqual([]);

      const node = { kind: "Node", metadata: { name } };
      await stage().administrator.change(node, { metadata: { labels: nodeSelector } });

      await vi.waitFor(() => expect(own()).toMatchObject([{ name: "waiting" }]), patience);
    });

    it("shows every change, and the end of a pod", async ({ scene }) => {
      const { administrator } = stage();
      const following = await scene.follow((await scene.node()).name);
      const manifest = scene.manifest("web", on(following.node));
      await administrator.make(manifest);
      await hears(following, [{ name: "web", labels: { app: "web" } }]);

      await administrator.change(manifest, { metadata: { labels: { seen: "yes" } } });
      await hears(following, [{ name: "web", labels: { seen: "yes" } }]);
      await administrator.remove(manifest);
      await hears(following, [{ name: "web", termination: { kind: "terminating" } }]);
      await administrator.remove(manifest, 0);

      await hears(following, []);
    });

    it("distinguishes two pods of the same name", async ({ scene }) => {
      const { administrator } = stage();
      const following = await scene.follow((await scene.node()).name);
      const manifest = scene.manifest("web", on(following.node));
      await administrator.make(manifest);
      await hears(following, [{ name: "web" }]);
      const [before] = following.view.pods();

      await administrator.remove(manifest, 0);
      await administrator.make(manifest);

      const uid = expect.not.stringContaining(before?.uid ?? "");
      await hears(following, [{ name: "web", uid }]);
    });

    it("shows the budgets from the start, and their changes", async ({ scene }) => {
      const { node } = await scene.pending("web");
      await scene.budget("web", { minAvailable: 1 }, 1);

      const { view } = await scene.follow(node);

      const budget = () => view.budgets().find(({ namespace }) => namespace === scene.namespace);
      // A server that takes more than two seconds for a list is not waited for.
      await vi.waitFor(() => expect(view.unread()).toEqual(new Map()), patience);
      expect(budget()).toMatchObject({
        name: "web",
        observed: true,
        disruptionsAllowed: 0,
        desiredHealthy: 1,
        currentHealthy: 0,
      });
      const manifest = scene.budgetManifest("web", {});
      await stage().administrator.change(manifest, { spec: { minAvailable: 0 } });
      await vi.waitFor(
        () =>
          expect(budget()).toMatchObject({
            rule: { kind: "minAvailable", amount: 0 },
            desiredHealthy: 0,
          }),
        patience,
      );
    });

    it("hears of a budget that selects one of them, before or after its change, and of no other", async ({
      scene,
    }) => {
      const { administrator } = stage();
      const { node } = await scene.pending("web");
      await scene.budget("web", { minAvailable: 0 }, 1);
      await scene.budget("other", { minAvailable: 0 }, 0);
      const { view, wakeup } = await scene.follow(node);
      const ruleOf = (name: string) => view.budgets().find((budget) => budget.name === name)?.rule;
      const one = { kind: "minAvailable", amount: 1 };
      const change = (name: string, spec: object) =>
        administrator.change(scene.budgetManifest(name, {}), { spec });
      const settled = () => vi.waitFor(() => expect(wakeup.consume()).toBe(false), patience);
      await settled();

      await change("other", { minAvailable: 1 });
      await vi.waitFor(() => expect(ruleOf("other")).toEqual(one), patience);
      expect(wakeup.consume()).toBe(false);

      await change("web", { minAvailable: 1 });
      await vi.waitFor(() => expect(ruleOf("web")).toEqual(one), patience);
      expect(wakeup.consume()).toBe(true);
    });

    it("shows the budgets of more namespaces than it follows one by one", async ({ scene }) => {
      const { administrator } = stage();
      const { name: node } = await scene.node();
      const spaces = Array.from({ length: 33 }, (_, index) => `${scene.namespace}-${index}`);
      for (const namespace of spaces) {
        const there = <T extends { readonly metadata?: object }>(manifest: T) => ({
          ...manifest,
          metadata: { ...manifest.metadata, namespace },
        });
        await stage().namespace(namespace);
        await administrator.make(
          there(scene.manifest("web", on(node))),
          there(scene.budgetManifest("web", { minAvailable: 0 })),
        );
      }

      const { view } = await scene.follow(node);

      await vi.waitFor(() => expect(view.unread()).toEqual(new Map()), patience);
      const shown = view.budgets().map(({ namespace }) => namespace);
      expect(shown).toHaveLength(spaces.length);
      expect(new Set(shown)).toEqual(new Set(spaces));
    });

    it(`lists ${many} of them in pages, and lists them anew when asked`, async ({ scene }) => {
      const { name } = await scene.node();
      await stage().administrator.make(
        ...Array.from({ length: many }, (_, index) => scene.manifest(`web-${index}`, on(name))),
      );
      await behindAll(scene);

      const { view } = await scene.follow(name);

      expect(view.pods()).toHaveLength(many);
      expect(new Set(view.pods().map(({ uid }) => uid)).size).toBe(many);
      const all = await stage().heard();
      const pages = all
        .filter(({ verb, uri }) => verb === "list" && uri.includes(name))
        .map(({ uri }) => new URL(uri, "https://127.0.0.1").searchParams);
      // A full page is never the last: pods of other nodes come after it.
      expect(pages.map((query) => query.get("limit"))).toEqual(["500", "500", "500"]);
      expect(pages.map((query) => query.has("continue"))).toEqual([false, true, true]);
      const listed = view.listed();
      await view.list();
      expect(view.listed()).toBeGreaterThan(listed);
      expect(view.pods()).toHaveLength(many);
    });
  });

/** Makes a pod on another node that comes last in lists. */
async function behindAll(scene: Scene): Promise<void> {
  const { stage } = scene;
  const namespace = `z-${scene.namespace}`;
  await stage.namespace(namespace);
  const manifest = scene.manifest("last");
  await stage.administrator.make({ ...manifest, metadata: { ...manifest.metadata, namespace } });
}
