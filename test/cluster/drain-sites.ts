import { readFile } from "node:fs/promises";
import { CoreV1Api } from "@kubernetes/client-node";
import { vi } from "vitest";
import { seconds } from "../../lambda/base/time.ts";
import type { ClusterNode } from "./control-plane-options.ts";
import { DrainSite } from "./drain-site.ts";
import { namespace } from "./manifests.ts";
import { type Comparison, table } from "./plan-comparison.ts";
import { PodHistory } from "./pod-history.ts";
import { type RealWorld, type RealWorldOptions, startRealWorld } from "./real-world.ts";

/** The differences of a site from the default. */
export interface SitePlan {
  /** The settings of its group. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Whether the site has a second node, which stays and takes only the site's own pods. */
  readonly refuge?: "needed";
}

/** Sites of one world, with concurrent drains. */
export interface DrainSites<Name extends string> {
  readonly world: RealWorld;
  site(name: Name): DrainSite;
  stop(): Promise<void>;
}

/**
 * The most concurrent invocations of the sandbox's function, with one notice each, so that no drain
 * waits for another's pass.
 */
export const mostAtOnce = 10;

const mapping = {
  batchSize: 1,
  window: seconds(0),
  maximumConcurrency: mostAtOnce,
  responses: "report-batch-item-failures",
} as const;

const patience = { timeout: 60_000, interval: 100 };
const tagPrefix = "eks-node-lifecycle/";

/** Starts a world with a site for each plan. */
export async function startSites<Name extends string>(
  plans: Readonly<Record<Name, SitePlan>>,
  options: Pick<RealWorldOptions, "env" | "settings" | "timeout"> = {},
): Promise<DrainSites<Name>> {
  const names = Object.keys(plans) as Name[];
  const instances = new Map(names.map((name, index) => [name, nodeOf(name, index)]));
  const nodeAt = (name: Name) => instances.get(name) ?? nodeOf(name, -1);
  const refuges = names.filter((name) => plans[name].refuge !== undefined);
  const world = await startRealWorld({
    ...options,
    mapping,
    group: "staying",
    nodes: refuges.map((name, index) => nodeOf(`${name}-refuge`, names.length + index)),
    groups: names.map((name) => ({
      name: `at-${name}`,
      nodes: [nodeAt(name)],
      tags: prefixed(plans[name].tags ?? {}),
    })),
  });
  const history = new PodHistory(world.controlPlane.kubeconfig);
  const comparisons: Comparison[] = [];
  await furnish(world, names, refuges);
  return {
    world,
    site: (name) =>
      new DrainSite({
        ...{ world, history, comparisons, node: nodeAt(name) },
        settings: drainSettingsOf({ ...options.settings, ...asVariables(plans[name].tags ?? {}) }),
      }),
    async stop() {
      process.stderr.write(`${table(comparisons)}\n`);
      await history.stop();
      await world.stop();
    },
  };
}

const nodeOf = (name: string, index: number): ClusterNode => ({
  name: `at-${name}`,
  instanceId: `i-${String(index + 1).padStart(17, "0")}`,
  zone: "eu-west-1a",
});

const prefixed = (tags: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(tags).map(([key, value]) => [`${tagPrefix}${key}`, value]));

const asVariables = (tags: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(tags).map(([key, value]) => [key.toUpperCase().replaceAll("-", "_"), value]),
  );

const drainSettingsOf = (settings: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(settings).filter(([key]) => key.startsWith("DRAIN_")));

/**
 * Makes a namespace for each site, and cordons each refuge until the site's pods are on the node to
 * drain.
 */
async function furnish(
  { controlPlane }: RealWorld,
  names: readonly string[],
  refuges: readonly string[],
): Promise<void> {
  const core = controlPlane.api(CoreV1Api);
  const force = await readFile(
    new URL("../../lambda/rights/rbac-force.yaml", import.meta.url),
    "utf8",
  );
  await controlPlane.apply(force, ...names.map((name) => namespace(`at-${name}`)));
  if (refuges.length > 0)
    await controlPlane.kubectlText("cordon", ...refuges.map((name) => `at-${name}-refuge`));
  for (const name of names)
    await vi.waitFor(
      () => core.readNamespacedServiceAccount({ name: "default", namespace: `at-${name}` }),
      patience,
    );
}
