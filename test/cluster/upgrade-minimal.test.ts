import { AppsV1Api, CoreV1Api } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { UpgradePlan } from "../../cli/upgrade/upgrade-schema.ts";
import type { Dated } from "../../journal/entry.ts";
import { tryReadEntry } from "../../journal/entry-schema.ts";
import type { UpgradeEnd } from "../../lambda/upgrade/upgrade-entry.ts";
import { zoneId } from "../../sandbox/aws/zonal-shifts.ts";
import type { ClusterNode } from "./control-plane-options.ts";
import { deployment, podDisruptionBudget } from "./manifests.ts";
import { PodHistory } from "./pod-history.ts";
import { readyFloor } from "./ready-floor.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";
import { joinAndLeave, planOf, prepareUpgrade, startUpgrade } from "./upgrade-site.ts";

const group = "workers";
const name = "$Latest";
const zones = ["eu-west-1a", "eu-west-1b", "eu-west-1c"];
const nobody: ClusterNode = { name: "", zone: "", instanceId: "" };
const old: readonly ClusterNode[] = zones.map((zone, index) => ({
  name: `old-${index}`,
  zone,
  instanceId: `i-${String(index).padStart(17, "0")}`,
}));
const [first = nobody] = old;
const web = { app: "web", replicas: 6 };
const patience = { timeout: 60_000, interval: 250 };
const longPatience = { timeout: 400_000, interval: 500 };

interface Ended {
  readonly end: UpgradeEnd | undefined;
  /** The version that the group names, and its sizes. */
  readonly named: object;
  readonly versions: readonly string[];
}

describe("three nodes that alone have room for their pods, of a group that names $Latest, on a real control plane", () => {
  let world: RealWorld;
  let history: PodHistory;
  let before: object;
  let planned: UpgradePlan;
  let duringShift: object;
  let upgraded: Ended;
  let back: Ended;

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
    before = nameAndSizes();
    joinAndLeave(world);
    await world.controlPlane.apply(
      deployment({ name: web.app, replicas: web.replicas }),
      podDisruptionBudget({ name: web.app, app: web.app, allows: { maxUnavailable: 1 } }),
    );
    await vi.waitFor(async () => expect(await readyReplicas()).toBe(web.replicas), patience);
    history = new PodHistory(world.controlPlane.kubeconfig);
    planned = await planOf(world, group, { strategy: "MINIMAL", "launch-template-version": name });
    const options = { "after-drain": "2s", "look-every": "2s", strategy: "MINIMAL" };
    const shift = await shiftAway(first);
    startUpgrade(world, { id: "1badcafe", group, options, version: name });
    await vi.waitFor(
      () => expect(told("upgrade-held").at(-1)?.reason).toMatch(/^traffic is shifted away/),
      longPatience,
    );
    duringShift = await asLeft(first);
    world.aws.zonalShifts.cancel(shift);
    upgraded = await ended(1);
    startUpgrade(world, { id: "2badcafe", group, options, version: "1" });
    back = await ended(2);
  }, 900_000);
  afterAll(async () => {
    await history.stop();
    await world.stop();
  });

  /** Moves traffic away from the zone of a node, and returns the id of the shift. */
  async function shiftAway({ name: node, zone }: ClusterNode): Promise<string> {
    const label = `topology.k8s.aws/zone-id=${zoneId(zone)}`;
    await world.controlPlane.kubectlText("label", "node", node, label);
    return world.aws.zonalShifts.start(world.aws.autoScaling.register.findGroup(group).arn, zone)
      .id;
  }

  /** What an upgrade has done to a node, and the versions of the group. */
  async function asLeft({ name: node }: ClusterNode): Promise<object> {
    const { metadata, spec } = await world.controlPlane.api(CoreV1Api).readNode({ name: node });
    const marks = Object.keys(metadata?.annotations ?? {}).filter((key) =>
      key.endsWith("marked-at"),
    );
    const instances = world.aws.autoScaling.register.instancesOf(group);
    const versions = instances.map(({ template }) => template.version).toSorted();
    return { marks, cordoned: spec?.unschedulable ?? false, versions };
  }

  const nameAndSizes = () => {
    const { min, max, desired, template } = world.aws.autoScaling.register.findGroup(group);
    return { min, max, desired, version: template.version };
  };
  const told = <Kind extends Dated["kind"]>(kind: Kind) =>
    world.log
      .flatMap((line) => tryReadEntry(line) ?? [])
      .filter((entry): entry is Extract<Dated, { kind: Kind }> => entry.kind === kind);

  /** The end of the upgrade with this number, once its nodes are there. */
  async function ended(number: number): Promise<Ended> {
    await vi.waitFor(() => expect(told("upgrade-answered")).toHaveLength(number), longPatience);
    await vi.waitFor(async () => {
      const { items } = await world.controlPlane.api(CoreV1Api).listNode();
      expect(items).toHaveLength(old.length);
    }, patience);
    const instances = world.aws.autoScaling.register.instancesOf(group);
    return {
      end: told("upgrade-answered").at(-1)?.end,
      named: nameAndSizes(),
      versions: instances.map(({ template }) => template.version),
    };
  }

  const readyReplicas = async () => {
    const apps = world.controlPlane.api(AppsV1Api);
    const { status } = await apps.readNamespacedDeployment({ name: web.app, namespace: "default" });
    return status?.readyReplicas;
  };

  it("is upgraded without a surge, one old node cordoned at a time as the dry run has said, and names $Latest", () => {
    expect(planned).toMatchObject({ kind: "upgrade-plan", exitCode: 0, cordon: "one-by-one" });
    expect(before).toMatchObject({ version: name });
    const end = { kind: "ended", outcome: "done" };
    expect(upgraded).toEqual({ end, named: before, versions: ["2", "2", "2"] });
    expect(told("upgrade-nodes").filter(({ deed }) => deed === "blocked")).toEqual([]);
  });

  it("leaves the old node of a zone alone that traffic is shifted away from, until the shift ends", () => {
    expect(duringShift).toEqual({ marks: [], cordoned: false, versions: ["1", "2", "2"] });
  });

  it("is taken back to its older version in the same way, whose number it names then", () => {
    const end = { kind: "ended", outcome: "done" };
    const named = { ...before, version: "1" };
    expect(back).toEqual({ end, named, versions: ["1", "1", "1"] });
  });

  it("keeps all pods but one ready at every instant of both", () => {
    const changes = history.in("default");
    const lines = changes.map(({ name: pod, state, ready, node }) =>
      [pod, state, ready, node].join(" "),
    );
    expect(readyFloor(changes, web), lines.join("\n")).toBe(web.replicas - 1);
  });
});
