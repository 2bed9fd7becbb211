import { describe, expect, it } from "vitest";
import { type Duration, later, minutes, never, seconds } from "../../lambda/base/time.ts";
import { awaitedVolumesAnnotation, emptiedAtAnnotation } from "../../lambda/drain/marking.ts";
import { pods } from "../../sandbox/kubernetes/core-resources.ts";
import { podRemoval } from "../../sandbox/kubernetes/pod-lifecycle.ts";
import { attachmentName, claimDraft } from "../../sandbox/kubernetes/volume-drafts.ts";
import {
  persistentVolumeClaims,
  volumeAttachments,
} from "../../sandbox/kubernetes/volume-resources.ts";
import {
  changeBudget,
  changeNode,
  deleteAttachment,
  deletePod,
  nodeNow,
  uncordon,
} from "../world/change.ts";
import { endingsIn, evictedIn, evictionsIn, outcomesIn, took } from "../world/evidence.ts";
import { type Fault, failing, well } from "../world/fault-plan.ts";
import { refusal } from "../world/refusal.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn, runWithVolume } from "../world/workloads.ts";
import { nodeOf } from "../world/world-options.ts";

const drained = [{ kind: "drained", attached: [], stuck: [] }];
const aDay = minutes(24 * 60);
const requestsIn = (world: VirtualWorld, form: RegExp) =>
  world.requests.map(({ what }) => what).filter((what) => form.test(what));
const watchesOfAttachments = (world: VirtualWorld) => requestsIn(world, /^watch volumeattachments/);
const ofAllAttachments = /^(list|watch) volumeattachments$/;

/** A pod whose volume nothing attaches, such as one of EFS. */
function runWithSharedVolume({ cluster }: VirtualWorld, name: string): void {
  cluster.addVolume({ volume: `pv-${name}`, claim: name });
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: name } }];
  cluster.addPod({ name, node: nodeOf(1), spec: { volumes } });
}

describe("the volume of a drained pod", () => {
  it.each([0, 8, 31.5])("holds the drain until it detaches, %d s after the pod", async (wait) => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(wait) });
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    expect(took(world)).toBe(Math.max(seconds(5), seconds(1 + wait) + podRemoval));
  });

  it("that is never detached holds the drain for three minutes, over several passes, and is named", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: aDay });
    await world.drain();
    expect(outcomesIn(world)).toEqual([{ kind: "drained", attached: ["pv-data"], stuck: [] }]);
    expect(world.told("pass-started").length).toBeGreaterThanOrEqual(3);
    expect(took(world)).toBe(seconds(5 + 180));
  });

  it.each(["..", ".", "x".repeat(70_000)])(
    "is found beside a pod of others whose claim has a name that no claim can have",
    async (claimName) => {
      const world = new VirtualWorld();
      runWithVolume(world, { name: "data", node: 1, detaching: seconds(8) });
      const volumes = [{ name: "data", persistentVolumeClaim: { claimName } }];
      const annotations = { "eks-node-lifecycle/drain": "skip" };
      world.cluster.addPod({ name: "other", node: nodeOf(1), annotations, spec: { volumes } });
      await world.drain();
      expect(world.told("fault")).toEqual([]);
      expect(outcomesIn(world)).toEqual(drained);
    },
  );

  it.each([
    ["the same one 300 times", () => "shared", 1],
    ["one of 300", (index: number) => `claim-${index}`, 100],
  ])(
    "is found beside pods that stay whose volumes name %s: no claim is read twice, and of a namespace a hundred at the most",
    async (_, claimOf, reads) => {
      const world = new VirtualWorld();
      runWithVolume(world, { name: "data", node: 1, detaching: seconds(8) });
      const annotations = { "eks-node-lifecycle/drain": "skip" };
      const volumes = Array.from({ length: 300 }, (_, index) => ({
        name: `volume-${index}`,
        persistentVolumeClaim: { claimName: claimOf(index) },
      }));
      for (const name of ["a", "b", "c"])
        world.cluster.addPod({
          name,
          namespace: "tenant",
          node: nodeOf(1),
          annotations,
          spec: { volumes },
        });
      await world.drain();
      expect(outcomesIn(world)).toEqual(drained);
      const asked = world.requests.filter(({ what }) => /^get persistentvolumeclaims/.test(what));
      expect(asked).toHaveLength(reads);
      const told = world.told("warning").filter(({ about }) => about === "volume claims");
      expect(told.map(({ warnings }) => warnings)).toEqual(
        reads === 1
          ? []
          : [[expect.stringMatching(/^pods of namespace tenant name more than 100/)]],
      );
    },
  );

  it("does not hold the drain longer when the function dies meanwhile", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: aDay });
    world.dieIn(seconds(20));
    await world.drain();
    expect(outcomesIn(world)).toEqual([{ kind: "drained", attached: ["pv-data"], stuck: [] }]);
    expect(took(world)).toBeGreaterThanOrEqual(seconds(5 + 180));
    expect(took(world)).toBeLessThanOrEqual(seconds(5 + 180 + 10));
  });

  it("holds the drain by its own timeout, which may exceed the drain's", async () => {
    const world = new VirtualWorld({ settings: { DRAIN_TIMEOUT_SECONDS: "60" } });
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(170) });
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    expect(took(world)).toBe(seconds(171) + podRemoval);
  });

  it("holds the drain no longer than heartbeats can hold the hook", async () => {
    const settings = { DRAIN_VOLUME_TIMEOUT_SECONDS: "3600" };
    const world = new VirtualWorld({ settings, heartbeat: seconds(30) });
    runWithVolume(world, { name: "data", node: 1, detaching: aDay });
    await world.drain();
    expect(outcomesIn(world)).toEqual([{ kind: "drained", attached: ["pv-data"], stuck: [] }]);
    expect(took(world)).toBe(seconds(3000 - 15));
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });

  it("holds the drain although its pod left before the last pass", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(100) });
    const spec = { terminationGracePeriodSeconds: 90 };
    deploy(world, {
      name: "slow",
      annotations: { "hollow/term-seconds": "70" },
      spec,
      on: { 1: 1 },
    });
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    expect(world.told("pass-started").length).toBeGreaterThan(1);
    expect(took(world)).toBeGreaterThanOrEqual(seconds(101));
  });

  it("holds the drain although its pod left before the drain listed the pods", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(20) });
    deletePod(world, "data");
    world.pass(seconds(3));
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    expect(took(world)).toBeGreaterThan(seconds(15));
  });

  it("holds the drain although its pod left before the drain listed the pods that are still there", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 1 } });
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(20) });
    deletePod(world, "data");
    world.pass(seconds(3));
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    expect(world.told("volumes-awaited")).toMatchObject([{ volumes: ["pv-data"] }]);
    expect(took(world)).toBeGreaterThan(seconds(15));
  });

  it("holds the drain although its pod left long before the drain, and only the node's status tells of it", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 1 } });
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(320) });
    deletePod(world, "data");
    world.pass(minutes(5));
    changeNode(world, 1, ({ metadata, ...node }) => ({
      ...node,
      metadata: { ...metadata, annotations: {} },
    }));
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    expect(world.told("volumes-awaited")).toMatchObject([{ volumes: ["pv-data"] }]);
    expect(took(world)).toBeGreaterThan(seconds(15));
  });

  it("holds the drain although its pod ended by itself", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 1 } });
    const spec = { restartPolicy: "Never" };
    runWithVolume(world, {
      name: "job",
      node: 1,
      detaching: aDay,
      spec,
      annotations: { "hollow/exit.main": "2" },
    });
    world.pass(seconds(10));
    await world.drain();
    expect(outcomesIn(world)).toEqual([{ kind: "drained", attached: ["pv-job"], stuck: [] }]);
  });

  it("holds the drain for three minutes although others write to the node at the same time", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: aDay });
    let writers = 0;
    world.faults = ({ what }) => {
      if (!what.startsWith("patch nodes") || world.told("pod-gone").length === 0 || writers >= 3)
        return well;
      writers += 1;
      const annotations = { busy: String(writers) };
      changeNode(world, 1, ({ metadata, ...node }) => ({
        ...node,
        metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } },
      }));
      return well;
    };
    await world.drain();
    expect(writers).toBe(3);
    expect(outcomesIn(world)).toEqual([{ kind: "drained", attached: ["pv-data"], stuck: [] }]);
    expect(took(world)).toBe(seconds(5 + 180));
    expect(nodeNow(world, 1).metadata.annotations).toHaveProperty([emptiedAtAnnotation]);
  });

  it.each([403, 422, 500])(
    "is waited for three minutes though the node could not be written at first (HTTP %d)",
    async (status) => {
      const world = new VirtualWorld();
      runWithVolume(world, { name: "data", node: 1, detaching: aDay });
      let refused = 0;
      world.faults = ({ what }) => {
        const isNote = what.startsWith("patch nodes") && world.told("pod-gone").length > 0;
        if (!isNote || refused >= 3) return well;
        refused += 1;
        return { kind: "cluster-fault", fault: refusal(status, "not now"), moment: "before" };
      };
      await world.drain();
      expect(refused).toBe(3);
      expect(outcomesIn(world)).toEqual([{ kind: "drained", attached: ["pv-data"], stuck: [] }]);
      expect(took(world)).toBe(seconds(5 + 180));
    },
  );

  it("does not hold passes that cannot know how long the wait has lasted", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: aDay });
    const fault = refusal(409, "the object has been modified");
    world.faults = ({ what }) =>
      what.startsWith("patch nodes") && world.told("pod-gone").length > 0
        ? { kind: "cluster-fault", fault, moment: "before" }
        : well;
    await world.drain();
    expect(outcomesIn(world)).toEqual([{ kind: "drained", attached: ["pv-data"], stuck: [] }]);
    expect(took(world)).toBe(seconds(50));
  });

  it("holds the drain although its pod left before the node had to be marked again", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(60) });
    deploy(world, { name: "slow", annotations: { "hollow/term-seconds": "29" }, on: { 1: 1 } });
    world.in(seconds(10), () => uncordon(world, 1));
    await world.drain();
    expect(world.told("node-marked")).toHaveLength(2);
    expect(world.told("volumes-awaited")).not.toEqual([]);
    expect(took(world)).toBeGreaterThan(seconds(61));
  });

  it("leaves time for pods to arrive: the drain evicts them at once, before it calls the node drained", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(40) });
    world.in(seconds(10), () => world.cluster.addPod({ name: "late", node: nodeOf(1) }));
    await world.drain();
    expect(evictionsIn(world).map(({ what }) => what)).toEqual([
      "create pods/eviction data 201",
      "create pods/eviction late 201",
    ]);
    const [first, late] = evictionsIn(world).map(({ at }) => at);
    expect(late).toBe(later(first ?? never, seconds(10)));
    expect(namesOn(world, 1)).toEqual([]);
    expect(outcomesIn(world)).toEqual(drained);
  });

  it.each([60, 75, 90, 105, 120])(
    "holds the drain without long rests between passes: %d s",
    async (detaching) => {
      const world = new VirtualWorld();
      runWithVolume(world, { name: "data", node: 1, detaching: seconds(detaching) });
      await world.drain();
      expect(outcomesIn(world)).toEqual(drained);
      expect(took(world)).toBeLessThanOrEqual(seconds(detaching + 1 + 6) + podRemoval);
    },
  );

  it("holds the drain although the API server could not list attachments for a while", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(40) });
    let refused = 0;
    world.faults = ({ what }) => {
      if (!/ volumeattachments/.test(what) || refused >= 2) return well;
      refused += 1;
      return { kind: "cluster-fault", fault: refusal(403, "not yet"), moment: "before" };
    };
    await world.drain();
    expect(world.told("fault")).toHaveLength(1);
    expect(outcomesIn(world)).toEqual(drained);
    expect(took(world)).toBeGreaterThanOrEqual(seconds(41));
  });

  it.each([20, 100])(
    "holds the drain until its driver has detached it, though the node's status no longer lists it: %d s",
    async (detaching) => {
      const world = new VirtualWorld();
      runWithVolume(world, { name: "data", node: 1, detaching: seconds(detaching) });
      world.onDeparture(({ name }) => world.cluster.listVolume(nodeOf(1), `pv-${name}`, "remove"));
      await world.drain();
      expect(outcomesIn(world)).toEqual(drained);
      expect(world.told("volumes-awaited")[0]).toMatchObject({ volumes: ["pv-data"] });
      expect(requestsIn(world, ofAllAttachments)).toEqual([]);
      expect(took(world)).toBeGreaterThanOrEqual(seconds(detaching + 1) + podRemoval);
    },
  );

  it("holds the drain although it was attached after the node was read, and before its pods were", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(20) });
    world.cluster.listVolume(nodeOf(1), "pv-data", "remove");
    world.faults = ({ what }) => {
      if (what === "list pods") world.cluster.listVolume(nodeOf(1), "pv-data", "add");
      return well;
    };
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    expect(watchesOfAttachments(world)).toEqual([
      `watch volumeattachments ${attachmentName("pv-data", nodeOf(1))}`,
    ]);
    expect(took(world)).toBe(seconds(21) + podRemoval);
  });

  describe("holds the drain, which follows all attachments, as no status of the node lists it:", () => {
    const isSecondLook = (world: VirtualWorld, what: string): boolean =>
      what === `get nodes ${nodeOf(1)}` && requestsIn(world, /^list pods/).length === 1;
    const unreadable: Fault = {
      kind: "cluster-fault",
      fault: refusal(403, "not now"),
      moment: "before",
    };

    it.each<[string, object, (world: VirtualWorld, what: string) => Fault]>([
      ["its pod has not started", { status: { phase: "Pending" } }, () => well],
      [
        "the node cannot be read again",
        {},
        (world, what) => (isSecondLook(world, what) ? unreadable : well),
      ],
    ])("%s", async (_, pod, fate) => {
      const world = new VirtualWorld();
      runWithVolume(world, { name: "data", node: 1, detaching: seconds(20), ...pod });
      world.cluster.listVolume(nodeOf(1), "pv-data", "remove");
      world.faults = ({ what }) => fate(world, what);
      await world.drain();
      expect(outcomesIn(world)).toEqual(drained);
      expect(world.told("volumes-awaited")).toMatchObject([{ volumes: ["pv-data"] }]);
      expect(watchesOfAttachments(world)).toEqual(["watch volumeattachments"]);
      expect(took(world)).toBeGreaterThanOrEqual(seconds(20));
    });

    it("its pod ends while the node is read again", async () => {
      const world = new VirtualWorld();
      const { cluster } = world;
      runWithVolume(world, { name: "data", node: 1, detaching: aDay });
      cluster.listVolume(nodeOf(1), "pv-data", "remove");
      world.in(seconds(20), () => cluster.detachVolume(attachmentName("pv-data", nodeOf(1))));
      world.faults = ({ what }) => {
        const ref = { resource: pods, namespace: "default", name: "data" };
        if (isSecondLook(world, what))
          cluster.store.update(ref, (pod) => ({
            ...pod,
            status: { ...pod.status, phase: "Succeeded" as const },
          }));
        return well;
      };
      await world.drain();
      expect(outcomesIn(world)).toEqual(drained);
      expect(watchesOfAttachments(world)).toEqual(["watch volumeattachments"]);
      expect(took(world)).toBe(seconds(20));
    });

    it("an earlier version has waited for it, and noted no volumes", async () => {
      const world = new VirtualWorld();
      runWithVolume(world, { name: "data", node: 1, detaching: seconds(100) });
      world.onDeparture(({ name }) => world.cluster.listVolume(nodeOf(1), `pv-${name}`, "remove"));
      world.in(seconds(20), () =>
        changeNode(world, 1, ({ metadata, ...node }) => {
          const { [awaitedVolumesAnnotation]: noted, ...annotations } = metadata.annotations ?? {};
          expect(noted).toBe("kubernetes.io/csi/ebs.csi.aws.com^pv-data");
          return { ...node, metadata: { ...metadata, annotations } };
        }),
      );
      await world.drain();
      expect(outcomesIn(world)).toEqual(drained);
      expect(new Set(watchesOfAttachments(world))).toEqual(
        new Set([
          `watch volumeattachments ${attachmentName("pv-data", nodeOf(1))}`,
          "watch volumeattachments",
        ]),
      );
      expect(took(world)).toBeGreaterThanOrEqual(seconds(101) + podRemoval);
    });

    it("its node lists more volumes than a machine has", async () => {
      const world = new VirtualWorld();
      runWithVolume(world, { name: "data", node: 1, detaching: seconds(20) });
      for (let index = 0; index < 256; index += 1)
        world.cluster.listVolume(nodeOf(1), `untrue-${index}`, "add");
      await world.drain();
      expect(outcomesIn(world)).toEqual(drained);
      expect(watchesOfAttachments(world)).toEqual(["watch volumeattachments"]);
      expect(took(world)).toBe(seconds(21) + podRemoval);
    });
  });

  // A process drains several nodes: what takes one of them long keeps the others waiting.
  it("holds the drain beside 100,000 that the kubelet lists, which take no time from other drains", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(20) });
    const volumesInUse = Array.from({ length: 100_000 }, (_, index) => index.toString(36));
    changeNode(world, 1, (node) => ({ ...node, status: { ...node.status, volumesInUse } }));
    const { user } = process.cpuUsage();
    await world.drain();
    const milliseconds = process.cpuUsage({ user, system: 0 }).user / 1000;
    expect(milliseconds).toBeLessThan(10_000);
    expect(outcomesIn(world)).toEqual(drained);
    expect(took(world)).toBe(seconds(21) + podRemoval);
  }, 120_000);

  it("holds the drain although a pod that stays has a claim that names it and is not bound", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(20) });
    const claim = claimDraft({ volume: "pv-data", claim: "theirs", namespace: "tenant" });
    world.cluster.addNamespace("tenant");
    world.cluster.store.create(persistentVolumeClaims, { ...claim, status: { phase: "Pending" } });
    const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "theirs" } }];
    const annotations = { "eks-node-lifecycle/drain": "skip" };
    const pod = { name: "stays", namespace: "tenant", annotations, spec: { volumes } };
    world.cluster.addPod({ ...pod, node: nodeOf(1) });
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    expect(took(world)).toBe(seconds(21) + podRemoval);
  });

  describe("of a node with more of them than get a watch each", () => {
    /** Forty volumes of one node, and as many of another that have nothing to do with it. */
    function withForty(detaching: Duration): VirtualWorld {
      const world = new VirtualWorld();
      for (let index = 1; index <= 40; index += 1) {
        runWithVolume(world, { name: `data-${index}`, node: 1, detaching });
        world.cluster.addVolumeAttachment({ node: nodeOf(2), volume: `other-${index}` });
      }
      return world;
    }
    const namesOf = (node: number, name: string) =>
      Array.from({ length: 40 }, (_, index) =>
        attachmentName(`${name}-${index + 1}`, nodeOf(node)),
      );

    it("holds the drain: each is read by its name, and again when the watch of all tells of it", async () => {
      const world = withForty(seconds(20));
      world.in(seconds(15), () => {
        for (const name of namesOf(2, "other")) world.cluster.detachVolume(name);
      });
      await world.drain();
      expect(outcomesIn(world)).toEqual(drained);
      expect(watchesOfAttachments(world)).toEqual(["watch volumeattachments"]);
      const listed = requestsIn(world, /^list volumeattachments/);
      expect(new Set(listed)).toEqual(
        new Set(["none", ...namesOf(1, "pv-data")].map((name) => `list volumeattachments ${name}`)),
      );
      expect(listed.length).toBeLessThanOrEqual(1 + 2 * 40);
      expect(took(world)).toBe(seconds(21) + podRemoval);
    });

    it("holds the drain over several passes", async () => {
      const world = withForty(seconds(100));
      await world.drain();
      expect(outcomesIn(world)).toEqual(drained);
      expect(requestsIn(world, /^list volumeattachments$/)).toEqual([]);
      expect(took(world)).toBeGreaterThanOrEqual(seconds(101) + podRemoval);
    });

    it.each([/^watch volumeattachments$/, /^list volumeattachments csi/])(
      "holds the drain though requests fail for half a minute: %s",
      async (form) => {
        const world = withForty(seconds(20));
        world.faults = failing(form, refusal(500, "not now"));
        world.in(seconds(35), () => {
          world.faults = () => well;
        });
        await world.drain();
        expect(outcomesIn(world)).toEqual(drained);
        expect(took(world)).toBeGreaterThanOrEqual(seconds(21) + podRemoval);
        expect(took(world)).toBeLessThan(seconds(90));
      },
    );
  });

  it("of a peer is followed by its name, too", async () => {
    const world = new VirtualWorld({ nodes: 4 });
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(20) });
    runWithVolume(world, { name: "other", node: 2, detaching: seconds(20) });
    world.terminate(1);
    world.terminate(2);
    await world.work();
    expect(outcomesIn(world)).toEqual([...drained, ...drained]);
    expect(new Set(watchesOfAttachments(world))).toEqual(
      new Set([
        `watch volumeattachments ${attachmentName("pv-data", nodeOf(1))}`,
        `watch volumeattachments ${attachmentName("pv-other", nodeOf(2))}`,
      ]),
    );
  });

  it("holds the drain although its pod left in an earlier pass and no storage driver is known", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(100) });
    const spec = { terminationGracePeriodSeconds: 90 };
    const annotations = { "hollow/term-seconds": "70" };
    deploy(world, { name: "slow", annotations, spec, on: { 1: 1 } });
    changeNode(world, 1, ({ metadata, ...node }) => ({
      ...node,
      metadata: { ...metadata, annotations: {} },
    }));
    await world.drain();
    expect(world.told("pass-started").length).toBeGreaterThan(1);
    expect(took(world)).toBeGreaterThanOrEqual(seconds(101));
  });

  it("holds the drain during the same watch of the pods, which does not start again", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(20) });
    await world.drain();
    const reads = world.requests.filter(({ what }) => /^(list|watch) (pods|volume)/.test(what));
    expect(reads.map(({ what }) => what)).toEqual([
      "list pods",
      "watch pods",
      "list pods", // once the mark has settled
      `watch volumeattachments ${attachmentName("pv-data", nodeOf(1))}`,
    ]);
  });

  it("no longer holds the drain when the node goes in the middle", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: aDay });
    world.in(seconds(12), () => world.cluster.removeNode(nodeOf(1)));
    await world.drain();
    expect(outcomesIn(world)).toEqual([{ kind: "no-node" }]);
    expect(took(world)).toBeLessThanOrEqual(seconds(12 + 20));
  });

  it("holds the drain of a node that somebody uncordons, once the drain marks it again", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(40) });
    world.in(seconds(10), () => uncordon(world, 1));
    await world.drain();
    expect(world.told("node-marked").length).toBe(2);
    expect(outcomesIn(world)).toEqual(drained);
    expect(took(world)).toBe(seconds(41) + podRemoval);
  });

  it("does not hold the drain where the wait is switched off", async () => {
    const world = new VirtualWorld({ settings: { DRAIN_VOLUME_TIMEOUT_SECONDS: "0" } });
    runWithVolume(world, { name: "data", node: 1, detaching: aDay });
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    expect(took(world)).toBe(seconds(5));
    expect(world.requests.filter(({ what }) => /volumeattachments/.test(what))).toEqual([]);
  });

  it("counts as detached once only a finalizer keeps its attachment", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: aDay });
    world.in(seconds(30), () => deleteAttachment(world, "pv-data"));
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    expect(took(world)).toBe(seconds(30));
  });
});

describe("the volume of a drained pod, where other pods are still there at the deadline,", () => {
  const settings = { DRAIN_TIMEOUT_SECONDS: "60", DRAIN_FORCE: "never" };
  const why = expect.stringMatching(/^held for .* by budget default\/web/);
  const left = [{ about: "default/web-1", why }];

  function aBlockedWorld(): VirtualWorld {
    const world = new VirtualWorld({ settings });
    deploy(world, { name: "web", on: { 1: 1 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    return world;
  }

  it("holds the drain until it is detached", async () => {
    const world = aBlockedWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(100) });
    await world.drain();
    expect(outcomesIn(world)).toMatchObject([{ kind: "expired", left }]);
    expect(took(world)).toBe(seconds(101) + podRemoval);
    expect(evictionsIn(world).filter(({ what }) => / data /.test(what))).toHaveLength(1);
  });

  it("holds the drain for at most three minutes from then, over several passes, and is named", async () => {
    const world = aBlockedWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: aDay });
    await world.drain();
    expect(outcomesIn(world)).toMatchObject([
      { kind: "expired", left: [...left, { about: "volume pv-data", why: "still attached" }] },
    ]);
    expect(took(world)).toBe(seconds(60 + 180));
  });

  it("holds the drain, and those of the other pods do not", async () => {
    const world = new VirtualWorld({ settings });
    const annotations = { "karpenter.sh/do-not-disrupt": "true" };
    runWithVolume(world, { name: "held", node: 1, detaching: aDay, annotations });
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(80) });
    await world.drain();
    expect(outcomesIn(world)).toMatchObject([{ kind: "expired", left: [expect.anything()] }]);
    expect(took(world)).toBe(seconds(81) + podRemoval);
  });

  it("does not hold the drain where volumes cannot be read, and the pods are still named", async () => {
    const world = aBlockedWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: aDay });
    const fault = refusal(403, "volumeattachments is forbidden");
    world.faults = failing(/volumeattachments/, fault);
    await world.drain();
    expect(outcomesIn(world)).toMatchObject([{ kind: "expired", left }]);
    expect(took(world)).toBe(seconds(60));
  });
});

it("a pod that comes after the deadline is evicted too, and does not end the wait for the volumes of earlier pods", async () => {
  const world = new VirtualWorld({ settings: { DRAIN_TIMEOUT_SECONDS: "60" } });
  runWithVolume(world, { name: "data", node: 1, detaching: seconds(150) });
  world.in(seconds(70), () => world.cluster.addPod({ name: "late", node: nodeOf(1) }));
  await world.drain();
  expect(outcomesIn(world)).toEqual([{ kind: "drained", attached: [], stuck: [] }]);
  expect(evictedIn(world)).toHaveLength(2);
  expect(took(world)).toBe(seconds(151) + podRemoval);
});

it("the drain still waits for the volumes of a node that is uncordoned after the deadline", async () => {
  const world = new VirtualWorld({ settings: { DRAIN_TIMEOUT_SECONDS: "60" } });
  runWithVolume(world, { name: "data", node: 1, detaching: seconds(150) });
  world.in(seconds(70), () => uncordon(world, 1));
  await world.drain();
  expect(outcomesIn(world)).toEqual(drained);
  expect(took(world)).toBe(seconds(151) + podRemoval);
});

it("the drain does not wait longer for the volumes of a node that is uncordoned again and again", async () => {
  const world = new VirtualWorld({ settings: { DRAIN_TIMEOUT_SECONDS: "60" } });
  runWithVolume(world, { name: "data", node: 1, detaching: aDay });
  for (const at of [50, 100, 150]) world.in(seconds(at), () => uncordon(world, 1));
  await world.drain();
  expect(outcomesIn(world)).toEqual([{ kind: "drained", attached: ["pv-data"], stuck: [] }]);
  expect(took(world)).toBe(seconds(60 + 180));
});

/** A pod that stays, and with it its volume. */
function runStaying(world: VirtualWorld, more: object): void {
  runWithVolume(world, { name: "staying", node: 1, detaching: aDay, ...more });
}

describe("a pod that somebody deletes after the deadline, while volumes detach,", () => {
  /** A drain without force of a pod that never ends by itself, and of one whose volume detaches after a while. */
  async function deleting(
    at: number,
    { detaching = aDay, finalizers }: { detaching?: Duration; finalizers?: string[] },
  ) {
    const settings = { DRAIN_TIMEOUT_SECONDS: "60", DRAIN_FORCE: "never" };
    const world = new VirtualWorld({ settings, heartbeat: seconds(60) });
    runWithVolume(world, { name: "data", node: 1, detaching });
    const annotations = {
      "karpenter.sh/do-not-disrupt": "true",
      "hollow/term-seconds": "25",
    };
    deploy(world, { name: "kept", finalizers, on: { 1: 1 }, annotations });
    world.in(seconds(at), () => {
      for (const name of namesOn(world, 1)) deletePod(world, name);
    });
    await world.drain();
    return world;
  }

  it("keeps its instance until its containers have ended, though the volumes detach sooner", async () => {
    const world = await deleting(80, { detaching: seconds(89) });
    expect(outcomesIn(world)).toEqual(drained);
    expect(took(world)).toBe(seconds(80 + 25) + podRemoval);
  });

  it("keeps it no longer than the volumes may", async () => {
    for (let at = 180; at < 240; at += 10) {
      const world = await deleting(at, { finalizers: ["example.com/kept"] });
      expect(world.told("hook-completed")).toHaveLength(1);
      expect(took(world), `deleted after ${at} s`).toBeLessThanOrEqual(seconds(60 + 180 + 4));
    }
  });
});

describe("a volume that does not hold the drain", () => {
  it("is one that nothing attaches: that costs a look at the node, and no request for attachments", async () => {
    const world = new VirtualWorld();
    for (const name of ["a", "b"]) runWithSharedVolume(world, name);
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    expect(requestsIn(world, /volume/)).toEqual([]);
    expect(took(world)).toBe(seconds(5));
  });

  it("is one that nothing attaches, beside one that is attached", async () => {
    const world = new VirtualWorld();
    for (const name of ["a", "b"]) runWithSharedVolume(world, name);
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(20) });
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    expect(requestsIn(world, ofAllAttachments)).toEqual([]);
    expect(took(world)).toBe(seconds(21) + podRemoval);
  });

  it("costs no request in a later pass, unless an earlier one has waited for volumes", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 1 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    world.cluster.addVolumeAttachment({ name: "csi-other", node: nodeOf(1), volume: "pv" });
    world.cluster.detachVolume("csi-other");
    world.in(seconds(120), () => changeBudget(world, "web", { maxUnavailable: 1 }));
    await world.drain();
    expect(world.told("pass-started").length).toBeGreaterThan(1);
    expect(world.requests.filter(({ what }) => /volume/.test(what))).toEqual([]);
    expect(outcomesIn(world)).toEqual(drained);
  });

  it("is that of a DaemonSet's pod, which stays until the node ends", async () => {
    const world = new VirtualWorld();
    const { metadata } = world.cluster.addDaemonSet({
      name: "agent",
      spec: { nodeSelector: { none: "such" } },
    });
    const owner = { apiVersion: "apps/v1", kind: "DaemonSet", name: "agent", controller: true };
    runStaying(world, { ownerReferences: [{ ...owner, uid: metadata.uid }] });
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(9) });
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    expect(took(world)).toBe(seconds(10) + podRemoval);
  });

  it("is that of a pod that came to stay while the drain waited for other volumes", async () => {
    const world = new VirtualWorld();
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(30) });
    const annotations = { "eks-node-lifecycle/drain": "skip" };
    world.in(seconds(10), () => runStaying(world, { annotations }));
    await world.drain();
    expect(world.told("volumes-awaited")).toMatchObject([{ volumes: ["pv-data"] }]);
    expect(outcomesIn(world)).toEqual(drained);
    expect(took(world)).toBe(seconds(31) + podRemoval);
  });

  it("is that of a pod that the drain skips as its owner wishes", async () => {
    const world = new VirtualWorld();
    runStaying(world, { annotations: { "eks-node-lifecycle/drain": "skip" } });
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(9) });
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    expect(took(world)).toBe(seconds(10) + podRemoval);
  });

  it("is one that is attached to another node, or written inline", async () => {
    const world = new VirtualWorld();
    world.cluster.addVolumeAttachment({ name: "csi-2", node: nodeOf(2), volume: "pv-2" });
    world.cluster.addVolumeAttachment({ name: "csi-inline", node: nodeOf(1) });
    runWithVolume(world, { name: "data", node: 1, detaching: seconds(9) });
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    expect(took(world)).toBe(seconds(10) + podRemoval);
  });

  it("costs no request although a storage driver is at work", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 2 } });
    world.cluster.addVolumeAttachment({ name: "csi-long-ago", node: nodeOf(1), volume: "pv" });
    world.cluster.detachVolume("csi-long-ago");
    await world.drain();
    expect(outcomesIn(world)).toEqual(drained);
    const asked = world.requests.filter(({ what }) => /volume/.test(what));
    expect(asked).toEqual([]);
  });

  it("costs no request on a node without a storage driver whose pods had no volumes", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 2 } });
    await world.drain();
    expect(world.cluster.store.list(volumeAttachments)).toEqual([]);
    expect(world.requests.filter(({ what }) => /volume/.test(what))).toEqual([]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });
});
