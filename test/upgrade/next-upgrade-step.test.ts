import { describe, expect, it } from "vitest";
import { instanceId, nodeName } from "../../lambda/base/ids.ts";
import {
  type Duration,
  hours,
  later,
  minutes,
  seconds,
  timestamp,
} from "../../lambda/base/time.ts";
import type { MachineNode } from "../../lambda/drain/node.ts";
import type { Bookmark } from "../../lambda/upgrade/bookmark.ts";
import { nextUpgradeStep } from "../../lambda/upgrade/next-upgrade-step.ts";
import { tryReopening, tryRestoring, validatedMarking } from "../../lambda/upgrade/node-marks.ts";
import { type UpgradeOptions, usualOptions } from "../../lambda/upgrade/options.ts";
import { noPods } from "../../lambda/upgrade/pending-pods.ts";
import type { UpgradeScene } from "../../lambda/upgrade/scene.ts";
import { anInstance, aScalingGroup, template } from "../group/group-builders.ts";
import { ago, noon } from "../support/builders.ts";
import { aBookmark, aGroupNode } from "./upgrade-builders.ts";

type Change = Partial<MachineNode>;

const valid: Change = { annotations: { "eks-node-lifecycle/upgrade-validated": "0badcafe true" } };
const cordoned: Change = { unschedulable: true };

/** A group of three, of which so many nodes are old; each change is a new node. */
function aScene(old: readonly Change[], fresh: readonly Change[]): UpgradeScene {
  const pairs = [...old, ...fresh].map((change, index) => {
    const id = instanceId(`i-${index}`);
    const node = aGroupNode({ name: nodeName(`n-${index}`), instance: id, ...change });
    const version = index < old.length ? 1 : 2;
    return { instance: anInstance({ id, source: { template, version } }), node };
  });
  const source = { kind: "template", template: { template, version: 2 } } as const;
  const options = { ...usualOptions, strategy: "MINIMAL" } as const;
  return {
    now: noon,
    group: aScalingGroup({ source, instances: pairs.map(({ instance }) => instance) }),
    bookmark: aBookmark({ options, since: ago(minutes(5)) }),
    targets: [{ template, version: 2 }],
    namesTarget: false,
    nodes: new Map(pairs.map(({ node }) => [node.instance, node])),
    drainedSince: new Map(),
    unwritable: new Set(),
    checks: new Map(),
    pending: noPods,
    failures: [],
    shifted: [],
    server: "v1.33.4",
    startupTaints: [],
    taints: [],
  };
}

/** An old node that was drained that long before now in one of its attempts, which it had or has. */
const drained = (at: number, { had = 1, has = 1, marked = minutes(30) } = {}): Change => ({
  unschedulable: true,
  annotations: {
    "eks-node-lifecycle/upgrade-turn": `0badcafe ${has} ${timestamp(ago(minutes(30)))}`,
    "eks-node-lifecycle/marked-at": timestamp(ago(marked)),
    "eks-node-lifecycle/upgrade-drained": `0badcafe ${had} ${timestamp(ago(seconds(at)))}`,
  },
});

describe("the next step of an upgrade that never has more nodes than before", () => {
  it("begins with an old node once all others are there", () => {
    expect(nextUpgradeStep(aScene([cordoned, cordoned], [valid]))).toMatchObject({
      kind: "begin",
      attempts: [{ attempt: { number: 1, begun: noon } }],
    });
  });

  it.each<[string, readonly Change[]]>([
    ["has not come", []],
    ["is not ready", [{ ...valid, readiness: "not-ready" }]],
    ["is not valid", [{}]],
  ])("waits while the replacement of the last one %s", (_, fresh) => {
    expect(nextUpgradeStep(aScene([cordoned, cordoned], fresh))).toMatchObject({
      kind: "wait",
      until: later(noon, seconds(15)),
    });
  });

  it("waits while the replacement of the last one is still held by a launch hook", () => {
    const scene = aScene([cordoned, cordoned], [valid]);
    const instances = scene.group.instances.map((one) =>
      one.id === "i-2" ? { ...one, state: "Pending:Wait" } : one,
    );

    expect(nextUpgradeStep({ ...scene, group: { ...scene.group, instances } }).kind).toBe("wait");
  });

  it("ends an instance a minute after its drain, and never by that of an earlier attempt or mark", () => {
    const kindOf = (...how: Parameters<typeof drained>) =>
      nextUpgradeStep(aScene([drained(...how), cordoned], [valid])).kind;

    expect(kindOf(60)).toBe("terminate");
    expect(kindOf(59)).toBe("wait");
    expect(kindOf(-60)).toBe("wait");
    expect(kindOf(120, { has: 2 })).toBe("drain");
    expect(kindOf(120, { marked: seconds(120) })).toBe("terminate");
    expect(kindOf(120, { marked: seconds(119) })).toBe("drain");
  });
});

describe("the next step of an upgrade in one of whose nodes a kubelet has written the year 9999", () => {
  const ahead = "9999-12-31T00:00:00.000Z";
  const attempt = { "eks-node-lifecycle/upgrade-turn": `0badcafe 1 ${ahead}` };

  it("ends the instance if it claims to be drained", () => {
    const { annotations = {} } = drained(0);
    const claims = { ...annotations, "eks-node-lifecycle/upgrade-drained": `0badcafe 1 ${ahead}` };
    const node = { ...drained(0), annotations: claims };
    expect(nextUpgradeStep(aScene([node, cordoned], [valid])).kind).toBe("terminate");
  });

  it("drains it by a deadline that is over if its attempt is to begin then, so that the next one counts", () => {
    const node = { ...cordoned, annotations: attempt };
    expect(nextUpgradeStep(aScene([node, cordoned], [valid]))).toMatchObject({
      kind: "drain",
      attempts: [{ attempt: { number: 1, begun: 0 } }],
    });
  });
});

describe("what an upgrade takes off a node", () => {
  it("is neither the cordon nor the annotation of somebody else", () => {
    const key = "cluster-autoscaler.kubernetes.io/scale-down-disabled";
    const theirs = aGroupNode({ unschedulable: true, annotations: { [key]: "true" } });
    const { annotations } = validatedMarking(theirs, "0badcafe", []);

    expect(Object.keys(annotations)).not.toContain(key);
    const marked = { ...theirs, annotations: { ...theirs.annotations, ...valid.annotations } };
    expect(tryRestoring(marked, [])).toMatchObject({
      unschedulable: "as it is",
      annotations: { "eks-node-lifecycle/upgrade-validated": null },
    });
    expect(Object.keys(tryRestoring(marked, [])?.annotations ?? {})).not.toContain(key);
  });
});

describe("the next step of a scale-down", () => {
  const [there, bare] = ["eu-west-1a", "eu-west-1b"];

  /** A group that is to have one node again, with new ones in these zones, of which nodes are not ready. */
  function stepOf(
    zones: readonly string[],
    how: { readonly desired?: number; readonly since?: Duration; readonly aside?: number } = {},
    old: readonly Change[] = [],
  ) {
    const { desired = zones.length, since = minutes(1), aside = 0 } = how;
    const ready = (zone: string): Change => (zone === bare ? { readiness: "not-ready" } : {});
    const scene = aScene(
      old,
      zones.map((zone) => ({ ...valid, ...ready(zone) })),
    );
    const { before } = aBookmark();
    return nextUpgradeStep({
      ...scene,
      group: {
        ...scene.group,
        sizes: { min: 1, max: 9, desired },
        instances: scene.group.instances.map((one, at) => ({
          ...one,
          zone: [...old.map(() => there), ...zones][at] ?? "",
        })),
      },
      bookmark: aBookmark({
        phase: "scale-down",
        size: desired,
        since: ago(since),
        aside,
        before: { ...before, sizes: { min: 1, max: 9, desired: 1 } },
      }),
    });
  }

  it("waits ten minutes for a node that is on its way to a zone without one, and for no other", () => {
    expect(stepOf([there, there], { desired: 3 }).kind).toBe("wait");
    expect(stepOf([there, bare]).kind).toBe("wait");
    expect(stepOf([there, bare], { since: minutes(10) }).kind).toBe("end-one");
    expect(stepOf([there, there], { desired: 3, since: minutes(10) }).kind).toBe("resize");
    expect(stepOf([there, there]).kind).toBe("end-one");
  });

  it("keeps a node more for each that was set aside and is still there, and for no other old one", () => {
    expect(stepOf([there], { desired: 2, aside: 1 }, [cordoned])).toMatchObject({
      kind: "restore",
    });
    expect(stepOf([there, there], { aside: 1 }).kind).toBe("end-one");
    expect(stepOf([there], { desired: 2 }, [cordoned]).kind).toBe("end-one");
  });
});

describe("a blocked node that another drain has marked since", () => {
  const blocked = (reason: string): Change => ({
    unschedulable: true,
    labels: { "node.kubernetes.io/exclude-from-external-load-balancers": "eks-node-lifecycle" },
    annotations: {
      "eks-node-lifecycle/upgrade-cordoned": "0badcafe true",
      "eks-node-lifecycle/upgrade-turn": `0badcafe 1 ${timestamp(ago(minutes(30)))}`,
      "eks-node-lifecycle/upgrade-blocked": "0badcafe 1 web-1",
      "eks-node-lifecycle/marked-at": timestamp(ago(minutes(30))),
      "eks-node-lifecycle/reason": reason,
    },
  });

  it("stays closed while the upgrade goes on", () => {
    const kindOf = (reason: string) =>
      nextUpgradeStep(aScene([blocked(reason), cordoned], [valid, valid])).kind;

    expect(kindOf("upgraded")).toBe("reopen");
    expect(kindOf("interrupted")).not.toBe("reopen");
    expect(tryReopening(aGroupNode(blocked("interrupted")), [])).toBeUndefined();
  });

  it("stays closed when the upgrade ends, and the cordon is the other drain's", () => {
    const restoring = (reason: string) => tryRestoring(aGroupNode(blocked(reason)), []);

    expect(restoring("upgraded")).toMatchObject({
      unschedulable: false,
      labels: { "node.kubernetes.io/exclude-from-external-load-balancers": null },
      annotations: { "eks-node-lifecycle/marked-at": null },
    });
    expect(restoring("interrupted")).toEqual({
      labels: {},
      unschedulable: "as it is",
      taints: "as they are",
      annotations: {
        "eks-node-lifecycle/upgrade-cordoned": null,
        "eks-node-lifecycle/upgrade-turn": null,
        "eks-node-lifecycle/upgrade-blocked": null,
        "eks-node-lifecycle/cordoned": "true",
      },
    });
  });
});

describe("scaling up", () => {
  it("waits for a valid new node in every zone of old ones", () => {
    const scene = aScene([{}, {}], [valid]);
    const inZones = (...zones: readonly string[]) => ({
      ...scene.group,
      sizes: { min: 1, max: 9, desired: 7 },
      instances: scene.group.instances.map((one, at) => ({ ...one, zone: zones[at] ?? "" })),
    });
    const bookmark = aBookmark({ phase: "scale-up", since: noon, size: 7 });
    const stepIn = (...zones: readonly string[]) =>
      nextUpgradeStep({ ...scene, bookmark, group: inZones(...zones) });

    expect(stepIn("b", "a", "a")).toMatchObject({
      kind: "wait",
      reason: expect.stringContaining("in b are not valid"),
    });
    expect(stepIn("a", "a", "a")).toEqual({ kind: "enter", phase: "upgrade" });
  });
});

describe("the time that an upgrade waits", () => {
  const late = aScene([cordoned, cordoned], [{}]);
  const kindOf = (change: Partial<Bookmark>, scene = late) =>
    nextUpgradeStep({ ...scene, bookmark: { ...scene.bookmark, ...change } }).kind;

  it("is over at once where Auto Scaling cannot mend by itself what it has failed at", () => {
    const failed = (message: string, since: Duration) => {
      const failures = [{ at: noon, description: "Launching", message }];
      const bookmark = { ...late.bookmark, since: ago(since) };
      const step = nextUpgradeStep({ ...late, failures, bookmark });
      return step.kind === "fail" ? step.issue.code : step.kind;
    };

    expect(failed("The image id '[ami-1]' does not exist", minutes(1))).toBe("AmiIdNotFound");
    expect(failed("not enough free addresses in subnet", minutes(1))).toBe("wait");
    expect(failed("not enough free addresses in subnet", minutes(30))).toBe(
      "InsufficientFreeAddresses",
    );
  });

  it("before it takes marks off nodes is two minutes, in which an earlier pass may still mark some", () => {
    const marked = aScene([drained(10)], [valid, valid]);
    const told = (at: Duration, scene = marked) =>
      kindOf({ state: "failing", told: ago(at), size: 3 }, scene);

    expect(told(seconds(119))).toBe("wait");
    expect(told(minutes(2))).toBe("restore");
    expect(told(seconds(0), aScene([cordoned], [valid, valid]))).toBe("restore");
  });
});

describe("an upgrade that puts back", () => {
  it("gives up the places that are still empty first, and ends no node by that", () => {
    const scene = aScene([{}, {}, {}], [{}]);
    const source = { kind: "template", template: { template, version: 1 } } as const;
    const group = { ...scene.group, source, sizes: { min: 1, max: 11, desired: 9 } };
    const options = { ...usualOptions, surge: 6 };
    const bookmark = aBookmark({ state: "aborting", told: ago(minutes(5)), size: 9, options });

    expect(nextUpgradeStep({ ...scene, group, bookmark })).toEqual({
      kind: "resize",
      sizes: { desired: 4, max: 6 },
      size: 4,
    });
  });

  it("ends new nodes: one that is not ready first, then one of the zone that has the most", () => {
    const victim = (...fresh: readonly Change[]) => {
      const scene = aScene([{}], fresh);
      const instances = scene.group.instances.map((one, at) => ({
        ...one,
        zone: at === 1 ? "a" : "b",
      }));
      const source = { kind: "template", template: { template, version: 1 } } as const;
      const sizes = { min: 1, max: 9, desired: instances.length };
      const group = { ...scene.group, source, sizes, instances };
      const before = { ...scene.bookmark.before, sizes: { min: 1, max: 5, desired: 1 } };
      const bookmark = aBookmark({ state: "aborting", told: ago(minutes(5)), size: 9, before });
      const step = nextUpgradeStep({ ...scene, group, bookmark });
      return step.kind === "end-one" ? [step.capacity, step.candidates[0].instance.id] : [];
    };

    const shrinks = (id: string) => ["shrinks", id];
    expect(victim({}, {}, {})).toEqual(shrinks("i-2"));
    expect(victim({ readiness: "not-ready" }, {}, {})).toEqual(shrinks("i-1"));
  });
});

describe("an upgrade of whose group somebody has suspended a process", () => {
  it("gives new nodes their time anew once that is resumed", () => {
    const scene = aScene([cordoned, cordoned], [valid]);
    const group = { ...scene.group, suspended: ["Launch"] };

    expect(nextUpgradeStep({ ...scene, group })).toMatchObject({ kind: "wait", since: "restarts" });
  });
});

describe("an upgrade that is held", () => {
  const closed = { days: [1], from: 0, to: 60 };

  it.each([
    ["set-up", 3],
    ["scale-up", 3],
    ["scale-down", 5],
  ] as const)("changes nothing in the phase %s", (phase, size) => {
    const scene = aScene(phase === "scale-down" ? [] : [{}], [valid, valid, valid, valid, valid]);
    const version = phase === "set-up" ? 1 : 2;
    const source = { kind: "template", template: { template, version } } as const;
    const sizes = { min: 1, max: 9, desired: size };
    const stepIn = (window: UpgradeOptions["window"], state: Bookmark["state"] = "running") =>
      nextUpgradeStep({
        ...scene,
        group: { ...scene.group, source, sizes, instances: scene.group.instances },
        bookmark: aBookmark({
          phase,
          size,
          state,
          told: ago(minutes(5)),
          options: { ...usualOptions, surge: 2, window },
        }),
      });

    expect(stepIn("always").kind).not.toBe("wait");
    expect(stepIn(closed)).toMatchObject({ kind: "wait", since: "restarts" });
    expect(stepIn("always", "paused").kind).toBe("pause");
  });

  it("fails at its time limit, though its maintenance window is closed", () => {
    const scene = aScene([cordoned], [valid, valid]);
    const options = { ...scene.bookmark.options, window: closed, timeLimit: hours(1) };
    const stepOf = (took: Duration) =>
      nextUpgradeStep({
        ...scene,
        nodes: new Map(
          [...scene.nodes].map(([id, node]) => [id, { ...node, unschedulable: false }]),
        ),
        bookmark: { ...scene.bookmark, begun: ago(took), options },
      });

    expect(stepOf(minutes(59)).kind).toBe("wait");
    expect(stepOf(hours(1))).toMatchObject({ kind: "fail", issue: { code: "TimeLimitExceeded" } });
  });

  it("leaves a cordon that is somebody else's", () => {
    const scene = aScene([cordoned], [valid, valid]);
    const bookmark = { ...scene.bookmark, state: "paused", told: ago(minutes(5)) } as const;

    expect(nextUpgradeStep({ ...scene, bookmark }).kind).toBe("pause");
  });

  it("leaves a node closed that another drain has marked", () => {
    const annotations = { "eks-node-lifecycle/upgrade-cordoned": "0badcafe true" };
    const marked = { ...annotations, "eks-node-lifecycle/marked-at": timestamp(ago(minutes(1))) };
    const stepOf = (...nodes: readonly Change["annotations"][]) => {
      const scene = aScene(
        nodes.map((own = {}) => ({ ...cordoned, annotations: own })),
        [valid, valid],
      );
      const bookmark = { ...scene.bookmark, state: "paused", told: ago(minutes(5)) } as const;
      return nextUpgradeStep({ ...scene, bookmark });
    };

    expect(stepOf(annotations, marked)).toMatchObject({
      kind: "uncordon",
      nodes: [{ name: "n-0" }],
    });
    expect(stepOf(marked).kind).toBe("pause");
  });

  it("opens a node that was blocked for pods, and cordons it when it goes on", () => {
    const annotations = {
      "eks-node-lifecycle/upgrade-turn": `0badcafe 1 ${timestamp(ago(minutes(30)))}`,
      "eks-node-lifecycle/upgrade-blocked": "0badcafe 1 web-1",
    };
    const own = { ...annotations, "eks-node-lifecycle/upgrade-cordoned": "0badcafe true" };
    const kindOf = (state: Bookmark["state"], node: Change) => {
      const scene = aScene([node], [valid, valid]);
      return nextUpgradeStep({ ...scene, bookmark: { ...scene.bookmark, state } }).kind;
    };

    expect(kindOf("paused", { ...cordoned, annotations: own })).toBe("uncordon");
    expect(kindOf("running", { unschedulable: false, annotations })).toBe("cordon");
  });
});
