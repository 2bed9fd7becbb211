import { describe, expect, it } from "vitest";
import { nodes, pods } from "../../../sandbox/kubernetes/core-resources.ts";
import { terminateAction } from "../../../sandbox/scenarios/demo-action.ts";
import type { Site } from "../connect/a-site.ts";
import { jsonLines } from "../json-lines-schema.ts";
import {
  aZone,
  cordoned,
  evacuate,
  evacuated,
  first,
  held,
  join,
  nodeNow,
  second,
  statesIn,
  staying,
  takeSubnetOut,
  webOn,
  writesIn,
  zone,
} from "./a-zone.ts";

/** The pods of a node that no DaemonSet and no kubelet has made. */
const podsToMove = ({ cluster }: Site, node: string) =>
  cluster.store.list(pods).filter(({ spec, metadata: { ownerReferences: owners = [] } }) => {
    const stays = owners.some(({ kind }) => kind === "DaemonSet" || kind === "Node");
    return spec.nodeName === node && !stays;
  });

const inService = ["InService", "InService"];
const untouched = (site: Site) => {
  expect(writesIn(site)).toEqual([]);
  expect(statesIn(site)).toEqual(inService);
};

describe("evacuate --keep", () => {
  it("cordons all nodes of the zone before it evicts the first pod, and leaves them empty", async () => {
    const site = await aZone();

    const { told } = await evacuated(0, "--keep");

    const writes = writesIn(site);
    expect(writes.slice(0, 2).toSorted()).toEqual([`mark ${first}`, `mark ${second}`]);
    expect(writes.filter((one) => one === "evict").length).toBeGreaterThanOrEqual(3);
    expect(webOn(site, first, second)).toEqual([]);
    expect(cordoned(site, first, second, staying)).toEqual([first, second]);
    expect(nodeNow(site, first).metadata.annotations).toMatchObject({
      "eks-node-lifecycle/reason": "evacuated",
    });
    expect(statesIn(site)).toEqual(inService);
    expect(told).toMatch(/zone eu-west-1b: 2 nodes are empty, and cordoned until `evacuate demo /);
  });

  it("tells programs how it ended", async () => {
    await aZone();

    const { io } = await evacuated(0, "--keep", "--json");

    expect(jsonLines(io).at(-1)).toMatchObject({
      kind: "evacuation-end",
      cluster: "demo",
      zone,
      ending: "kept",
      exitCode: 0,
      nodes: [first, second],
      replaced: [],
      left: [],
    });
  });

  it("also drains a node that joins the zone meanwhile", async () => {
    const site = await aZone();
    const third = "ip-192-168-43-19.eu-west-1.compute.internal";
    const { code } = evacuate("--keep");
    await expect.poll(() => writesIn(site)).toContain("evict");

    join(site, third, "i-0a4c1f92d6b83e572");

    expect(await code).toBe(0);
    expect(cordoned(site, third)).toEqual([third]);
    expect(webOn(site, first, second, third)).toEqual([]);
  });

  it("comes to the same end when it is stopped and started again", async () => {
    const site = await aZone();
    takeSubnetOut(site);
    const { io, code } = evacuate("--at-once", "1");
    await expect.poll(() => writesIn(site)).toContain("evict");
    io.interrupt();
    expect(await code).toBe(3);
    expect(statesIn(site)).toEqual(inService);

    await evacuated(0);

    expect(webOn(site, first, second)).toEqual([]);
    expect(statesIn(site)).toEqual(["Terminating:Wait", "Terminating:Wait"]);
  });

  it("changes nothing in a dry run", async () => {
    const site = await aZone();

    const { told } = await evacuated(0, "--keep", "--dry-run");

    expect(told).toContain("evict   default/web-1");
    expect(told).toContain("nothing was changed; 2 nodes would be emptied");
    expect(webOn(site, first, second)).toHaveLength(3);
    expect(cordoned(site, first, second)).toEqual([]);
  });
});

describe("evacuate without --keep", () => {
  it("refuses while the group may launch in the zone, and names the ways out", async () => {
    const site = await aZone();

    const { complained } = await evacuated(1);

    expect(complained).toMatch(/may still launch in eu-west-1b/);
    expect(complained).toMatch(/start a zonal shift .*, take the subnet out .*, or .*--keep/s);
    untouched(site);
  });

  it("refuses to end instances of a group that belongs to a service", async () => {
    const site = await aZone();
    const { register } = site.aws.autoScaling;
    const theirs = register.findGroup(terminateAction.group);
    register.put({ ...theirs, operator: "batch.amazonaws.com" });

    const { complained } = await evacuated(1);

    expect(complained).toMatch(/belongs to the service batch.amazonaws.com .*--keep/s);
    untouched(site);
  });

  it("names a way out that it has where AWS denies a call", async () => {
    const site = await aZone();
    site.aws.authorize = ({ action }) =>
      action === "arc-zonal-shift:ListZonalShifts" ? "denied" : "allowed";

    const { complained } = await evacuated(1);

    expect(complained).toContain("aws.denied: listing zonal shifts");
    expect(complained).toMatch(/; sign in with a role that may do it \(--profile\)\n$/);
    untouched(site);
  });

  it("hands the empty instances to a group whose subnets lie in other zones, and keeps its capacity", async () => {
    const site = await aZone();
    takeSubnetOut(site);
    const { desired } = site.aws.autoScaling.register.findGroup(terminateAction.group);

    const { told } = await evacuated(0);

    expect(webOn(site, first, second)).toEqual([]);
    expect(statesIn(site)).toEqual(["Terminating:Wait", "Terminating:Wait"]);
    const after = site.aws.autoScaling.register.findGroup(terminateAction.group);
    expect(after.desired).toBe(desired);
    expect(told).toMatch(/2 instances handed over, to be replaced in other zones/);
  });

  it("hands them over while a zonal shift of the group is on, and not after it", async () => {
    const site = await aZone();
    const { arn } = site.aws.autoScaling.register.findGroup(terminateAction.group);
    site.aws.zonalShifts.start("arn:aws:eks:eu-west-1:123456789012:cluster/demo", zone);
    await evacuated(1);
    const { id } = site.aws.zonalShifts.start(arn, zone);
    const { io, code } = evacuate("--at-once", "1");
    await expect.poll(() => writesIn(site)).toContain("evict");

    site.aws.zonalShifts.cancel(id);

    expect(await code).toBe(1);
    expect(io.err()).toMatch(/may still launch in eu-west-1b/);
    expect(statesIn(site)).toEqual(inService);
    site.aws.zonalShifts.start(arn, zone);
    await evacuated(0);
    expect(statesIn(site)).toEqual(["Terminating:Wait", "Terminating:Wait"]);
  });

  it("refuses a group that has no other zone", async () => {
    const site = await aZone();
    const { register } = site.aws.autoScaling;
    register.put({ ...register.findGroup(terminateAction.group), zones: [zone] });

    const { complained } = await evacuated(1);

    expect(complained).toMatch(/has no subnet outside eu-west-1b/);
    untouched(site);
  });

  it("leaves the instance of a node that somebody has opened meanwhile", async () => {
    const site = await aZone();
    takeSubnetOut(site);
    const { io, code } = evacuate("--at-once", "1");
    await expect.poll(() => io.out()).toContain(`drained ${first.split(".")[0]}`);
    site.cluster.store.update({ resource: nodes, name: first }, ({ spec, ...node }) => {
      const { unschedulable: _, ...open } = spec;
      return { ...node, spec: open };
    });

    expect(await code).toBe(0);

    expect(io.out()).toContain("somebody has opened it meanwhile");
    expect(statesIn(site)).toEqual(["InService", "Terminating:Wait"]);
  });
});

describe("evacuate, before it touches anything,", () => {
  it("refuses pods that find no place in the other zones, unless they may be Pending", async () => {
    const site = await aZone();
    site.cluster.store.update({ resource: nodes, name: staying }, (node) => ({
      ...node,
      spec: { ...node.spec, unschedulable: true },
    }));

    const { complained } = await evacuated(1, "--keep");

    expect(complained).toMatch(/pods would find no place in the other zones: .*cordoned/s);
    expect(complained).toContain("--allow-pending");
    untouched(site);

    await evacuated(0, "--keep", "--allow-pending");
    expect(webOn(site, first, second)).toEqual([]);
  });

  it("counts no node of the zone as a place, whoever manages it", async () => {
    const site = await aZone();
    site.cluster.addNode({ name: "other", providerID: `aws:///${zone}/i-0fffffffffffffff1` });
    site.cluster.store.update({ resource: nodes, name: staying }, (node) => ({
      ...node,
      spec: { ...node.spec, unschedulable: true },
    }));

    await evacuated(1, "--keep");

    untouched(site);
  });

  it("refuses a zone of which nobody knows, and has nothing to do in one without nodes", async () => {
    const site = await aZone();
    const { register } = site.aws.autoScaling;
    const found = register.findGroup(terminateAction.group);
    register.put({ ...found, zones: [...found.zones, "eu-west-1d"] });

    const unknown = await evacuated(1, "--keep", "--zone", "eu-west-1z");
    expect(unknown.complained).toContain("name one of its zones: eu-west-1a, eu-west-1b");
    const empty = await evacuated(0, "--keep", "--zone", "eu-west-1d");
    expect(empty.told).toBe("zone eu-west-1d: it has no managed node\n");
    untouched(site);
  });

  it("leaves a node to the hook that holds its instance, and is not done while it has pods to move", async () => {
    const site = await aZone();

    const { told, complained } = await evacuated(3, "--keep", "--zone", held.zone);

    expect(told + complained).toContain(`1 node left to something else: ${held.node}`);
    expect(podsToMove(site, held.node)).not.toEqual([]);
    untouched(site);
  });

  it("leaves a node to the hook that holds its instance, and need not wait for it once it is empty", async () => {
    const site = await aZone();
    // As the function has cordoned it: else a controller puts its pods back there.
    site.cluster.store.update({ resource: nodes, name: held.node }, (node) => ({
      ...node,
      spec: { ...node.spec, unschedulable: true },
    }));
    for (const { metadata } of podsToMove(site, held.node)) {
      const { namespace = "default", name } = metadata;
      site.cluster.store.remove({ resource: pods, namespace, name });
    }

    const { told } = await evacuated(0, "--keep", "--zone", held.zone);

    expect(told).toMatch(/warning: left to it: .*Terminating:Wait/);
    expect(told).toContain(`1 node left to something else: ${held.node}`);
    untouched(site);
  });

  it("leaves a node to another drainer, and is not done while that node is there", async () => {
    const site = await aZone();
    const key = "ToBeDeletedByClusterAutoscaler";
    site.cluster.store.update({ resource: nodes, name: first }, (node) => ({
      ...node,
      spec: { ...node.spec, taints: [{ key, effect: "NoSchedule" }] },
    }));

    const { complained } = await evacuated(3, "--keep");

    expect(complained).toContain(`1 node left to something else: ${first}`);
    expect(cordoned(site, first, second)).toEqual([second]);
    expect(webOn(site, second)).toEqual([]);
  });
});

describe("evacuate --undo", () => {
  it("opens the nodes that an evacuation has cordoned, and no other", async () => {
    const site = await aZone();
    site.cluster.store.update({ resource: nodes, name: second }, (node) => ({
      ...node,
      spec: { ...node.spec, unschedulable: true },
    }));
    await evacuated(0, "--keep");

    const { told } = await evacuated(0, "--undo");

    expect(told).toContain(`node ${first} is open again\n`);
    expect(told).toContain("it stays cordoned, as it was before");
    expect(told).toContain("zone eu-west-1b: 2 nodes of an evacuation opened\n");
    expect(cordoned(site, first, second)).toEqual([second]);
    expect((await evacuated(0, "--undo")).told).toBe(
      "zone eu-west-1b: 0 nodes of an evacuation opened\n",
    );
  });

  it("leaves a node whose instance is about to end", async () => {
    const site = await aZone();
    takeSubnetOut(site);
    await evacuated(0);

    const { told } = await evacuated(0, "--undo");

    expect(told).toMatch(/warning: not opened: .*Terminating:Wait/);
    expect(cordoned(site, first, second)).toEqual([first, second]);
  });
});
