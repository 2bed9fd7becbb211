import { expect, it, vi } from "vitest";
import { drained, granted, onlyOn } from "./drain-evidence.ts";
import type { DrainSite } from "./drain-site.ts";
import { podDisruptionBudget, replicaSet } from "./manifests.ts";
import { patience } from "./site-pods.ts";

type Name = "anew" | "crowded" | "opened";

const uncordon = (at: DrainSite) => at.world.controlPlane.kubectlText("uncordon", at.name);

async function registerAnew(at: DrainSite): Promise<void> {
  const { spec } = await at.core.readNode({ name: at.name });
  await at.core.deleteNode({ name: at.name });
  const metadata = { name: at.name, labels: { "kubernetes.io/hostname": at.name } };
  const { providerID } = spec ?? {};
  await at.apply({ apiVersion: "v1", kind: "Node", metadata, ...{ spec: { providerID } } });
}

/** Runs pods that have no other place than the node; `app` names those that the budget is for. */
async function crowd(at: DrainSite, replicas: number, app: string): Promise<void> {
  const web = { name: "web", namespace: at.name, replicas, spec: onlyOn(at.name) };
  const allows = { maxUnavailable: app === "web" ? 1 : 0 };
  await at.run(at.pod("held"));
  await at.apply(replicaSet(web));
  await at.settled("web", replicas);
  await at.apply(podDisruptionBudget({ name: "hold", namespace: at.name, app, allows }));
}

const evictionsOfWeb = async (at: DrainSite): Promise<readonly string[]> =>
  granted(await at.requests())
    .filter(({ pod }) => pod.startsWith("web-"))
    .map(({ uid }) => uid);

/** The number of pods that wait for a place. */
async function waiting(at: DrainSite): Promise<number> {
  const pods = await at.pods();
  return pods.filter(({ spec }) => spec?.nodeName === undefined).length;
}

/** How a drain reacts to somebody who opens its node. */
export function openedNodes(site: (name: Name) => DrainSite): void {
  it.concurrent.each([
    [
      "opened",
      "uncordons, where every pod may leave",
      { open: uncordon, replicas: 2, app: "held" },
    ],
    [
      "anew",
      "deletes and registers anew, where every pod may leave",
      { open: registerAnew, replicas: 2, app: "held" },
    ],
    [
      "crowded",
      "uncordons, where one of 60 pods may leave at a time",
      { open: uncordon, replicas: 60, app: "web" },
    ],
  ] as const)(
    "(%s) that somebody %s is marked again before the pods that come are evicted",
    async (name, _, { open, replicas, app }) => {
      const at = site(name);
      await crowd(at, replicas, app);
      const first = app === "web" ? 1 : replicas;
      await at.terminate();
      await vi.waitFor(async () => expect(await waiting(at)).toBe(first), patience);

      await open(at);
      await vi.waitFor(() => expect(at.told("node-marked")).toHaveLength(2), patience);
      await vi.waitFor(async () => expect(await waiting(at)).toBe(first), patience);
      const evicted = await evictionsOfWeb(at);
      await at.letGo();
      const { outcome, requests } = await at.drained();

      expect(evicted.length).toBeLessThanOrEqual(first + 2);
      expect(outcome).toEqual(drained);
      const uids = granted(requests).map(({ uid }) => uid);
      expect(new Set(uids).size).toBe(uids.length);
    },
  );
}
