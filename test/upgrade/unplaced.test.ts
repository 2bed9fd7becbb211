import { describe, expect, it } from "vitest";
import { instanceId, nodeName } from "../../lambda/base/ids.ts";
import type { MachineNode } from "../../lambda/drain/node.ts";
import { type NodeInfo, sumOf } from "../../lambda/drain/node-info.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import type { NodeDemand, ReschedulablePod } from "../../lambda/drain/reschedulable-pod.ts";
import { type UpgradeOptions, usualOptions } from "../../lambda/upgrade/options.ts";
import { batchesIn, refusedPods, unplacedIn } from "../../lambda/upgrade/unplaced.ts";
import { anInstance, aScalingGroup } from "../group/group-builders.ts";
import { aDaemonPod, aPod, noon, someSettings } from "../support/builders.ts";
import { aGroupNode } from "./upgrade-builders.ts";

const cpus = (cpu: number) => ({ cpu: cpu * 1000, pods: 1 });
const asking = (name: string, cpu: number, change: Partial<Pod> = {}): ReschedulablePod => ({
  pod: aPod({ name, ...change }),
  requests: cpus(cpu),
  demands: [],
});
const demanding = (key: string, value: string): NodeDemand => ({
  from: "node affinity",
  anyOf: [{ labels: [{ key, operator: "In", values: [value] }], fields: [] }],
});
const inZone = (zone: string): ReschedulablePod => ({
  ...asking(`in-${zone}`, 1),
  demands: [demanding("topology.kubernetes.io/zone", zone)],
});

interface Plot {
  readonly pods: readonly ReschedulablePod[];
  /** @default 4 */
  readonly cpu?: number;
  readonly zone?: string;
  readonly node?: Partial<MachineNode>;
}

/** What is unplaced when the first of these nodes are upgraded; those behind them are of other groups. */
function unplaced(
  own: readonly Plot[],
  others: readonly Plot[],
  change: Partial<UpgradeOptions>,
  shifted: readonly string[] = [],
) {
  const nodeInfos = [...own, ...others].map(
    ({ pods, cpu = 4, zone = "a", node = {} }, at): NodeInfo<MachineNode> => ({
      node: aGroupNode({
        name: nodeName(`node-${at}`),
        instance: instanceId(`i-${at}`),
        labels: { "topology.kubernetes.io/zone": zone },
        unschedulable: false,
        ...node,
      }),
      allocatable: { cpu: cpu * 1000, pods: 10 },
      requested: sumOf(pods),
      pods,
    }),
  );
  const instances = own.map(({ zone = "a" }, at) =>
    anInstance({ id: instanceId(`i-${at}`), zone }),
  );
  const zones = [...new Set(own.map(({ zone = "a" }) => zone))];
  const sizes = { min: 1, max: 20, desired: own.length };
  const outlook = {
    ...({ id: "0badcafe", now: noon, targets: "all new", nodeInfos } as const),
    group: aScalingGroup({ instances, zones, sizes }),
    options: { ...usualOptions, ...change },
    settings: someSettings(),
    shifted,
  };
  return unplacedIn(outlook, batchesIn(outlook));
}

const podsOf = (...its: Parameters<typeof unplaced>) =>
  unplaced(...its).flatMap(({ pods }) => pods);
const full = (name: string, cpu = 4) => ({ pods: [asking(name, cpu)], cpu });
const one = { surge: 1 } as const;

describe("the pods of an upgrade", () => {
  it("find none together where the pods of DaemonSets leave new nodes too little", () => {
    const agent: ReschedulablePod = { pod: aDaemonPod(), requests: cpus(2), demands: [] };
    const small = { pods: [agent, asking("a", 2)] };
    const large = { pods: [agent, asking("b", 2), asking("c", 1)], cpu: 5 };
    expect(podsOf([small, large], [], one)).toEqual(["demo/b"]);
  });

  it.each([
    ["a DaemonSet has, as it says", aDaemonPod()],
    ["mirrors a static one, as it says", aPod({ mirror: true })],
  ])("find a new node though a pod that %s fills one node of the group", (_, pod) => {
    const tenant: ReschedulablePod = { pod, requests: cpus(4), demands: [] };
    expect(podsOf([{ pods: [tenant] }, { pods: [asking("a", 2)] }], [], one)).toEqual([]);
  });

  it("go to old nodes only while those are not cordoned yet", () => {
    const own = [{ pods: [] }, full("large", 8), { pods: [], cpu: 8 }];
    expect(podsOf(own, [], one)).toEqual(["demo/large"]);
    expect(podsOf(own, [], { ...one, cordon: "one-by-one" })).toEqual([]);
  });

  it("that go to one zone alone find a new node there if the surge is for all zones", () => {
    const own = [{ pods: [inZone("a")] }, { pods: [inZone("b")], zone: "b" }];
    expect(podsOf(own, [], {})).toEqual([]);
    expect(podsOf(own, [], one)).toEqual(["demo/in-b"]);
  });

  it("find the nodes of a large surge though the kubelet of one of the group has written many labels: these are copied a few times", () => {
    let copies = 0;
    const labels = new Proxy<Record<string, string>>(
      { "topology.kubernetes.io/zone": "a", disk: "fast" },
      {
        ownKeys: (its) => {
          copies += 1;
          return Reflect.ownKeys(its);
        },
      },
    );
    const picky = { ...asking("picky", 1), demands: [demanding("disk", "fast")] };

    expect(podsOf([{ pods: [], node: { labels } }, { pods: [picky] }], [], { surge: 50 })).toEqual(
      [],
    );

    expect(copies).toBeLessThan(10);
  });

  it("count only where their own node would still take them, whatever is wrong with it alone", () => {
    const cordon = { key: "node.kubernetes.io/unschedulable", value: "", effect: "NoSchedule" };
    const taints = [{ ...cordon, timeAdded: "" }];
    const own = (node: Partial<MachineNode>) => [{ pods: [] }, { ...full("large", 8), node }];
    expect(podsOf(own({ unschedulable: true, taints }), [], one)).toEqual(["demo/large"]);
    expect(podsOf(own({ readiness: "unreachable" }), [], one)).toEqual([]);
    const moved = { pods: [inZone("elsewhere")] };
    expect(podsOf([moved, moved], [], one)).toEqual([]);
  });

  it.each([
    ["its host name", "kubernetes.io/hostname", "ip-10-0-0-1.internal"],
    ["its instance", "alpha.eksctl.io/instance-id", "i-1"],
    ["its name in a label", "example.com/node", "node-1"],
  ])("do not count where they name the machine of their node, by %s", (_, key, value) => {
    const own = (labels: Readonly<Record<string, string>>) => [
      { pods: [] },
      {
        pods: [{ ...asking("bound", 1), demands: [demanding(key, value)] }],
        node: {
          labels: { "kubernetes.io/hostname": "ip-10-0-0-1.internal", [key]: value, ...labels },
        },
      },
    ];
    expect(podsOf(own({}), [], one)).toEqual([]);
  });

  it("do not count either where a field names their node, and leave others their room", () => {
    const fields = [{ key: "metadata.name", operator: "In", values: ["node-1"] }] as const;
    const demands = [{ from: "node affinity", anyOf: [{ labels: [], fields }] }];
    const bound = { ...asking("bound", 4), demands };
    const own = [{ pods: [] }, { pods: [bound, asking("small", 1)], cpu: 5 }];
    expect(podsOf(own, [], one)).toEqual([]);
  });

  it("count where a label is that of some nodes only, even of one", () => {
    const disk = { ...asking("picky", 1), demands: [demanding("disk", "fast")] };
    const own = [{ pods: [] }, { pods: [disk], node: { labels: { disk: "fast" } } }];
    expect(podsOf(own, [], one)).toEqual(["demo/picky"]);
  });

  it("count only where somebody puts them up again", () => {
    const bare = asking("bare", 8, { controller: { kind: "none" } });
    expect(podsOf([{ pods: [] }, { pods: [bare], cpu: 8 }], [], one)).toEqual([]);
  });

  it("are named with the reason, a few of them", () => {
    const pods = ["a", "b", "c", "d"].map((name) => asking(name, 5));
    const own = [{ pods: [] }, { pods, cpu: 20 }];
    const [{ code, message } = { code: "", message: "" }] = refusedPods(unplaced(own, [], one));
    expect(code).toBe("UnschedulablePods");
    expect(message).toContain("demo/a, demo/b, demo/c and 1 more: its replacement finds no place");
    expect(message).toContain("too little cpu (1)");
    expect(refusedPods([])).toEqual([]);
  });
});
