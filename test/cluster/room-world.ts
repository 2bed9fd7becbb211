import { readFile } from "node:fs/promises";
import { AppsV1Api } from "@kubernetes/client-node";
import { expect, vi } from "vitest";
import { tryReadEntry } from "../../journal/entry-schema.ts";
import { trySurge } from "../../lambda/making-room/record.ts";
import { PodHistory } from "./pod-history.ts";
import { readyFloor } from "./ready-floor.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";

/** What comes soon is not waited for any longer; a busy machine needs it. */
export const patience = { timeout: 300_000, interval: 100 };

export const numbered = (name: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${name}-${index + 1}`);

const spares = numbered("spare", 3);

const onHosts = (values: readonly string[]) => ({
  matchExpressions: [{ key: "kubernetes.io/hostname", operator: "In", values: [...values] }],
});

/** Pods that are on some nodes and nowhere else. */
export const onlyOn = (...nodes: readonly string[]) => ({
  requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [onHosts(nodes)] },
});

/** Pods of an app that begin on some nodes, one on each, and may go to the spare ones. */
export const beginOn = (app: string, nodes: readonly string[]) => ({
  terminationGracePeriodSeconds: 5,
  affinity: {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 100, preference: onHosts(nodes) },
      ],
      ...onlyOn(...nodes, ...spares),
    },
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          podAffinityTerm: {
            topologyKey: "kubernetes.io/hostname",
            labelSelector: { matchLabels: { app } },
          },
          weight: 100,
        },
      ],
    },
  },
});

/** A real control plane whose function makes room, and a witness of its pods in the namespace `default`. */
export interface RoomWorld extends RealWorld {
  instanceOf(node: string): string;
  /** Waits until each of these nodes has a ready pod of an app. */
  isOn(app: string, ...nodes: readonly string[]): Promise<unknown>;
  /** Terminates the instances of some nodes, and waits until each may go. */
  drain(...nodes: readonly string[]): Promise<void>;
  /** How many pods of an app were ready at the least since all were, how many there have been, and the count. */
  figuresOf(
    app: string,
    replicas: number,
  ): Promise<{ readonly floor: number; readonly made: number; readonly count: number }>;
  /** What the journal says about the room for a workload. */
  toldOf(app: string): readonly { readonly stage: string; readonly why: string }[];
  /** The Deployments that have a record of room that was made or not found. */
  recorded(): Promise<readonly string[]>;
}

/** Starts a world with nodes of these names, and some spare ones. */
export async function startRoomWorld(names: readonly string[]): Promise<RoomWorld> {
  const nodes = [...names, ...spares].map((name, index) => ({
    name,
    instanceId: `i-${(index + 1).toString(16).padStart(17, "0")}`,
    zone: "eu-west-1a",
  }));
  // Nothing is forced, however long the machine takes.
  const settings = { DRAIN_MAKE_ROOM: "on", DRAIN_TIMEOUT_SECONDS: "3600" };
  const world = await startRealWorld({ nodes, group: "workers", settings });
  const { controlPlane } = world;
  const history = new PodHistory(controlPlane.kubeconfig);
  const rights = ["room-fence", "rbac-making-room"].map((name) =>
    readFile(new URL(`../../lambda/rights/${name}.yaml`, import.meta.url), "utf8"),
  );
  await controlPlane.apply(...(await Promise.all(rights)));
  const apps = controlPlane.api(AppsV1Api);
  const changesOf = (app: string) =>
    history.in("default").filter(({ name }) => name.startsWith(`${app}-`));
  const instanceOf = (node: string) =>
    nodes.find(({ name }) => name === node)?.instanceId ?? `no node ${node}`;
  return {
    ...world,
    instanceOf,
    isOn: (app, ...wanted) =>
      vi.waitFor(() => {
        const ready = changesOf(app).filter((pod) => pod.ready);
        expect(ready.map(({ node }) => node)).toEqual(expect.arrayContaining([...wanted]));
      }, patience),
    async drain(...wanted) {
      const instances = wanted.map(instanceOf);
      for (const instance of instances) world.terminate(instance);
      const actions = await world.released(...instances);
      const goesOn = expect.objectContaining({ result: "CONTINUE" });
      expect(actions.map(({ end }) => end)).toEqual(instances.map(() => goesOn));
    },
    async figuresOf(app, replicas) {
      const read = await apps.readNamespacedDeployment({ name: app, namespace: "default" });
      return {
        floor: readyFloor(changesOf(app), { app, replicas }),
        made: new Set(changesOf(app).map(({ uid }) => uid)).size,
        count: read.spec?.replicas ?? 0,
      };
    },
    toldOf: (app) =>
      world.log
        .flatMap((line) => tryReadEntry(line) ?? [])
        .flatMap((entry) => (entry.kind === "making-room" ? [entry] : []))
        .filter(({ workload }) => workload.endsWith(`/${app}`)),
    async recorded() {
      const { items } = await apps.listDeploymentForAllNamespaces();
      return items.flatMap(({ metadata }) =>
        trySurge(metadata?.annotations ?? {}) === undefined ? [] : (metadata?.name ?? ""),
      );
    },
    async stop() {
      await history.stop();
      await world.stop();
    },
  };
}
