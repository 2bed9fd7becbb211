import { AppsV1Api, CoreV1Api } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { UpgradePlan } from "../../cli/upgrade/upgrade-schema.ts";
import { tryReadEntry } from "../../journal/entry-schema.ts";
import type { Dated } from "../../lambda/registrations/entry.ts";
import type { UpgradeEnd } from "../../lambda/upgrade/upgrade-entry.ts";
import type { Group } from "../../sandbox/aws/group.ts";
import type { ClusterNode } from "./control-plane-options.ts";
import { deployment, podDisruptionBudget } from "./manifests.ts";
import { PodHistory } from "./pod-history.ts";
import { readyFloor } from "./ready-floor.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";
import { joinAndLeave, planOf, prepareUpgrade, startUpgrade } from "./upgrade-site.ts";

const group = "workers";
const name = "$Latest";
const zones = ["eu-west-1a", "eu-west-1b", "eu-west-1c"];
const old: readonly ClusterNode[] = zones.map((zone, index) => ({
  ...{ name: `old-${index}`, zone },
  instanceId: `i-${String(index).padStart(17, "0")}`,
}));
const web = { app: "web", replicas: 6 };
const quick = { "after-drain": "2s", "look-every": "2s" };
const never = { ...quick, check: "label:never=there" };
const patience = { timeout: 60_000, interval: 250 };
const longPatience = { timeout: 400_000, interval: 500 };

/** How an upgrade has ended, and what it has left. */
interface Ended {
  readonly end: UpgradeEnd;
  readonly version: string;
  readonly sizes: Pick<Group, "desired" | "max" | "min">;
}

describe("three nodes that alone have room for their pods, of a group that names $Latest, on a real control plane", () => {
  let world: RealWorld;
  let history: PodHistory;
  let before: Ended["sizes"];
  let limited: Ended;
  let aborted: Ended;
  let planned: UpgradePlan;
  let done: Ended;

  beforeAll(async () => {
    world = await startRealWorld({
      nodes: old,
      group,
      settings: { DRAIN_SETTLE_SECONDS: "1" },
      // A kubelet that a busy machine keeps waiting has not failed: else its pods would no longer count as ready.
      env: { MONITOR_GRACE: "10m" },
    });
    const { template } = prepareUpgrade(world, group);
    world.aws.autoScaling.update(group, {
      LaunchTemplate: { LaunchTemplateId: template.id, Version: name },
    });
    before = sizes();
    joinAndLeave(world);
    await world.controlPlane.apply(
      deployment({ name: web.app, replicas: web.replicas }),
      podDisruptionBudget({ name: web.app, app: web.app, allows: { maxUnavailable: 1 } }),
    );
    await vi.waitFor(async () => expect(await readyReplicas()).toBe(web.replicas), patience);
    history = new PodHistory(world.controlPlane.kubeconfig);
    limited = await upgraded("2badcafe", { ...never, "time-limit": "1m" });
    aborted = await upgraded("0badcafe", never, async () => {
      await vi.waitFor(() => expect(told("upgrade-sized")).not.toEqual([]), patience);
      send({ upgrade: "abort", id: "aaaaaaaa", group, of: "0badcafe" });
    });
    planned = await planOf(world, group, { strategy: "MINIMAL", "launch-template-version": name });
    done = await upgraded("1badcafe", { ...quick, strategy: "MINIMAL" });
  }, 1_200_000);
  afterAll(async () => {
    await history.stop();
    await world.stop();
  });

  const sizes = () => {
    const { min, max, desired } = world.aws.autoScaling.register.findGroup(group);
    return { min, max, desired };
  };
  const told = <Kind extends Dated["kind"]>(kind: Kind) =>
    world.log
      .flatMap((line) => tryReadEntry(line) ?? [])
      .filter((entry): entry is Extract<Dated, { kind: Kind }> => entry.kind === kind);

  const readyReplicas = async () => {
    const apps = world.controlPlane.api(AppsV1Api);
    const { status } = await apps.readNamespacedDeployment({ name: web.app, namespace: "default" });
    return status?.readyReplicas;
  };

  const send = (message: object) =>
    world.aws.sns.publish(world.upgradesArn, { subject: "", message: JSON.stringify(message) });

  /** Upgrades the group, and waits until that has ended and nothing of it is left. */
  async function upgraded(
    id: string,
    options: Readonly<Record<string, string>>,
    meanwhile = async (): Promise<void> => undefined,
  ): Promise<Ended> {
    const answers = told("upgrade-answered").length;
    startUpgrade(world, { id, group, options, version: name });
    await meanwhile();
    const end = await vi.waitFor(() => {
      const last = told("upgrade-answered")
        .slice(answers)
        .find((one) => one.upgrade === id && one.end.kind !== "taken-over");
      expect(last).toBeDefined();
      return last?.end as UpgradeEnd;
    }, longPatience);
    await vi.waitFor(async () => {
      const { items } = await world.controlPlane.api(CoreV1Api).listNode();
      expect(items).toHaveLength(old.length);
    }, patience);
    const { version } = world.aws.autoScaling.register.findGroup(group).template;
    return { end, version, sizes: sizes() };
  }

  it("names $Latest again after its time was up while it waited for new nodes", () => {
    expect(limited.end).toEqual({ kind: "ended", outcome: "failed" });
    expect(limited).toMatchObject({ version: name, sizes: before });
    expect(told("upgrade-failing").map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^the time of the upgrade is up, and 3 nodes are still old: /),
    );
  });

  it("names $Latest again after an abort", () => {
    expect(aborted.end).toMatchObject({ kind: "ended", outcome: "aborted" });
    expect(aborted).toMatchObject({ version: name, sizes: before });
  });

  it("is upgraded without a surge in the end, one old node cordoned at a time as the dry run has said, and names $Latest", () => {
    expect(planned).toMatchObject({ kind: "upgrade-plan", exitCode: 0, cordon: "one-by-one" });
    expect(done.end).toEqual({ kind: "ended", outcome: "done" });
    expect(done).toMatchObject({ version: name, sizes: before });
    const instances = world.aws.autoScaling.register.instancesOf(group);
    expect(new Set(instances.map(({ template }) => template.version))).toEqual(new Set(["2"]));
    const deeds = told("upgrade-nodes").filter(({ upgrade }) => upgrade === "1badcafe");
    expect(deeds.filter(({ deed }) => deed === "blocked")).toEqual([]);
  });

  it("keeps all pods but one ready at every instant of that", () => {
    const changes = history.in("default");
    const lines = changes.map(({ name: pod, state, ready, node }) =>
      [pod, state, ready, node].join(" "),
    );
    expect(readyFloor(changes, web), lines.join("\n")).toBe(web.replicas - 1);
  });
});
