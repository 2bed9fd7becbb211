import { describe, expect, it } from "vitest";
import { hours, later, milliseconds, minutes, seconds, timestamp } from "../../lambda/base/time.ts";
import {
  costAnnotation,
  labelOf,
  recordAnnotation,
  recordLabel,
  recordText,
  tryRecord,
} from "../../lambda/making-room/record.ts";
import { makeRoomAnnotation } from "../../lambda/making-room/room-refusal.ts";
import { noteLines } from "../../lambda/notice/outcome.ts";
import {
  autoscalers,
  deployments,
  replicaSets,
  type Workload,
} from "../../sandbox/kubernetes/app-resources.ts";
import { namespaces, nodes, pods } from "../../sandbox/kubernetes/core-resources.ts";
import type { KubeObject } from "../../sandbox/kubernetes/kube-object.ts";
import type { LabelSelector } from "../../sandbox/kubernetes/label-selector.ts";
import { type Pod, podReady } from "../../sandbox/kubernetes/pod.ts";
import type { PodOptions } from "../../sandbox/kubernetes/pod-draft.ts";
import type { Ref } from "../../sandbox/kubernetes/resource.ts";
import { noon } from "../support/builders.ts";
import { recordedByUs } from "../support/recorded-by-us.ts";
import { changeBudget, deletePod } from "../world/change.ts";
import { interrupt } from "../world/ec2-events.ts";
import { endingsIn, eventsIn, evictionsIn, writtenIn } from "../world/evidence.ts";
import { type FaultPlan, type FunctionRequest, failing, well } from "../world/fault-plan.ts";
import type { VirtualWorld } from "../world/virtual-world.ts";
import { critical, deploy, namesOn, type Placed } from "../world/workloads.ts";
import { group, hook, instanceOf, nodeOf } from "../world/world-options.ts";
import { aRoomWorld, countOf, leftUp, type RoomOptions, readyFloorIn } from "./a-room-world.ts";

const web = { namespace: "default", name: "web" };
const ended = { phase: "Succeeded", conditions: [] } as const;
const deployment = { resource: deployments, ...web };

/** What was changed at Deployments, autoscalers and pods, in its order. */
const scalingsIn = (world: VirtualWorld): readonly string[] =>
  writtenIn(world).filter((what) =>
    /^patch (deployments|horizontalpodautoscalers|pods) /.test(what),
  );

const left = (world: VirtualWorld): string =>
  noteLines(world.told("pass-ended").at(-1)?.left ?? []).join();

const stagesIn = (world: VirtualWorld): readonly string[] =>
  world.told("making-room").map(({ stage, from, to }) => `${stage} ${from} ${to}`);

const annotate = (world: VirtualWorld, ref: Ref, annotations: object): void => {
  world.cluster.store.update(ref, (current: KubeObject) => ({
    ...current,
    metadata: { ...current.metadata, annotations: { ...annotations } },
  }));
};

type Metadata = KubeObject["metadata"];

/** Sets the labels of the Deployment, and the annotations made of those that it has. */
const setLabels = (
  world: VirtualWorld,
  labels: Readonly<Record<string, string>>,
  kept = ({ annotations = {} }: Metadata): object => annotations,
): void => {
  world.cluster.store.update(deployment, ({ metadata, ...rest }) => ({
    ...rest,
    metadata: { ...metadata, labels, annotations: { ...kept(metadata) } },
  }));
};

const scale = (world: VirtualWorld, replicas: number): void => {
  world.cluster.store.update(deployment, (current) => ({
    ...current,
    spec: { ...current.spec, replicas },
  }));
};

const cordon = (world: VirtualWorld, node: number, state: "closed" | "open" = "closed"): void => {
  world.cluster.store.update({ resource: nodes, name: nodeOf(node) }, (current) => ({
    ...current,
    spec: { ...current.spec, unschedulable: state === "closed" },
  }));
};

/** Makes another ReplicaSet of the Deployment, with one pod. */
function addNewer({ cluster }: VirtualWorld): void {
  for (const { metadata, spec } of cluster.store.list(replicaSets)) {
    const labels = { ...metadata.labels, "pod-template-hash": "newer" };
    cluster.store.create(replicaSets, {
      metadata: { ...metadata, name: "web-newer", uid: "newer", labels },
      spec: {
        ...spec,
        replicas: 1,
        selector: { matchLabels: labels },
        template: { ...spec.template, metadata: { labels } },
      },
    });
  }
}

/** Acts once a count that was raised has gone back; returns how far that has come. */
function onceBack(world: VirtualWorld, act: () => void): () => "back" | "before" | "surged" {
  let stage: "back" | "before" | "surged" = "before";
  world.cluster.store.subscribe(() => {
    const isUp = leftUp(world).length > 0;
    if (isUp && stage === "before") stage = "surged";
    if (isUp || stage !== "surged") return;
    stage = "back";
    act();
  });
  return () => stage;
}

/** Changes the spec of the Deployment. */
const setSpec = (world: VirtualWorld, change: object): void => {
  world.cluster.store.update(deployment, ({ spec, ...rest }) => ({
    ...rest,
    spec: { ...spec, ...change },
  }));
};

/** Lets rollouts make more pods. */
const moreBy = (maxSurge: number) => ({
  strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge } },
});

const readyAfter = { True: "0", False: "100000" };

/** Makes pods ready, or not. */
function setReady(world: VirtualWorld, names: readonly string[], ready: "False" | "True"): void {
  for (const name of names)
    world.cluster.store.update({ resource: pods, namespace: "default", name }, (pod) => ({
      ...pod,
      metadata: {
        ...pod.metadata,
        annotations: { ...pod.metadata.annotations, "hollow/ready-after": readyAfter[ready] },
      },
      status: { ...pod.status, conditions: [{ type: "Ready", status: ready }] },
    }));
}

/** The ready pods whose nodes are there. */
function servingIn({ cluster: { store } }: VirtualWorld) {
  const there = new Set(store.list(nodes).map(({ metadata }) => metadata.name));
  return store.list(pods).filter((pod) => podReady(pod) && there.has(pod.spec.nodeName ?? ""));
}

/** The names of all pods. */
const namesIn = ({ cluster: { store } }: VirtualWorld) =>
  store.list(pods).map(({ metadata }) => metadata.name);

/** The outcome of the schedule's next message. */
async function putBackNext(world: VirtualWorld) {
  putBack(world);
  await world.workFor(seconds(30));
  return world.told("notice-done").at(-1)?.outcome;
}

/** Acts a moment after a count has gone back; budgets are counted again ten seconds later. */
const beforeRecount = (world: VirtualWorld, act: () => void) =>
  onceBack(world, () => {
    world.cluster.holdBudgets();
    world.in(milliseconds(300), act);
    world.in(seconds(10), () => world.cluster.releaseBudgets());
  });

/** A pod on each of two nodes, under a budget that spares none; new ones are ready after four seconds. */
const twoNodes = {
  nodes: 5,
  on: { 1: 1, 2: 1 },
  rule: { minAvailable: 2 },
  annotations: { "hollow/ready-after": "4" },
} as const;

/** The message of the schedule. */
const putBack = (world: VirtualWorld): void =>
  world.send({ kind: "put-back", time: "2026-11-20T10:00:00Z" });

describe("a pod whose budget has nothing to spare", () => {
  it.each([{ minAvailable: 1 }, { maxUnavailable: 0 }, { minAvailable: "100%" }])(
    "is made on another node first, and then let go by its own ReplicaSet, under %o",
    async (rule) => {
      const { world, floor, made } = aRoomWorld({ rule });
      world.terminate(1);
      await world.work();
      expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
      expect(world.told("notice-done")).toMatchObject([{ outcome: { kind: "drained" } }]);
      expect(namesOn(world, 1)).toEqual([]);
      expect([floor(), made(), countOf(world, "web")]).toEqual([1, 2, 1]);
      expect(leftUp(world)).toEqual([]);
      expect(scalingsIn(world)).toEqual([
        "patch deployments web 200",
        "patch pods web-1 200",
        "patch deployments web 200",
      ]);
      expect(stagesIn(world)).toEqual(["surged 1 2", "made 2 1"]);
    },
  );

  it.each([
    { after: "20", stages: ["surged 1 2", "made 2 1"] },
    { after: "115", stages: ["surged 1 2", "put back 2 1"] },
  ])(
    "is tried to be made elsewhere within the two minutes of Spot, and leaves in time all the same: %o",
    async (given) => {
      const { world, floor } = aRoomWorld({ annotations: { "hollow/ready-after": given.after } });
      interrupt(world);
      await world.work();
      expect(namesOn(world, 1)).toEqual([]);
      await putBackNext(world);
      expect(stagesIn(world)).toEqual(given.stages);
      expect([countOf(world, "web"), leftUp(world)]).toEqual([1, []]);
      if (given.stages.includes("made 2 1")) expect(floor()).toBe(1);
    },
  );

  it("is told at its Deployment, and counted", async () => {
    const { world } = aRoomWorld();
    world.terminate(1);
    await world.work();
    const told = eventsIn(world).filter(({ reason }) => reason === "MakingRoom");
    const notes = told.map(({ regarding, note }) => [regarding?.kind, regarding?.name, note]);
    expect(notes.toSorted().toReversed()).toEqual([
      [
        "Deployment",
        "web",
        expect.stringMatching(/^surged: 1 → 2 pods: node \S+ under budget default\/web$/),
      ],
      ["Deployment", "web", expect.stringMatching(/^made: 2 → 1 pods/)],
    ]);
    const figures = world.told("measured").flatMap((one) => one.figures);
    expect(figures.filter(({ name }) => name === "RoomMade")).toMatchObject([
      { of: "surged", value: 1 },
      { of: "made", value: 1 },
    ]);
  });

  it("holds its node until then, and the reason says what is awaited", async () => {
    const annotations = { "hollow/ready-after": "100" };
    const { world } = aRoomWorld({ annotations });
    world.terminate(1);
    await world.work(seconds(52));
    expect(left(world)).toMatch(
      /budget default\/web .*; making room: deployment\/web 1 → 2, waiting for default\/web-\S+ to be ready, \d+ s$/,
    );
    await world.work();
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });

  it("is awaited by the next pass too, which asks it to go no sooner", async () => {
    const { world, floor, made } = aRoomWorld({ annotations: { "hollow/ready-after": "51" } });
    world.terminate(1);
    await world.work();
    expect(world.told("pass-ended").length).toBeGreaterThan(0);
    expect([floor(), made(), countOf(world, "web")]).toEqual([1, 2, 1]);
  });

  it("is surged by five at the most, whatever its rollouts may make more", async () => {
    const on = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [index + 1, 1]));
    const { world, floor } = aRoomWorld({ nodes: 16, on, rule: { minAvailable: "100%" } });
    world.cluster.store.update(deployment, ({ spec, ...rest }) => ({
      ...rest,
      spec: { ...spec, strategy: { rollingUpdate: { maxSurge: "100%" } } },
    }));
    for (let node = 1; node <= 8; node += 1) world.terminate(node);
    await world.work();
    const surges = stagesIn(world).filter((stage) => stage.startsWith("surged"));
    expect(surges).toEqual(["surged 8 13", "surged 8 11"]);
    expect([floor(), countOf(world, "web")]).toEqual([8, 8]);
  });

  it("is surged once for all nodes that are drained, by at most the surge of its rollouts", async () => {
    const on = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [index + 1, 1]));
    const { world, floor, made } = aRoomWorld({ nodes: 14, on, rule: { minAvailable: "100%" } });
    for (let node = 1; node <= 10; node += 1) world.terminate(node);
    await world.work();
    expect(new Set(endingsIn(world))).toEqual(new Set(["CONTINUE by call"]));
    expect([floor(), made(), countOf(world, "web")]).toEqual([10, 20, 10]);
    expect(stagesIn(world).filter((stage) => stage.startsWith("surged"))).toEqual([
      "surged 10 13",
      "surged 10 13",
      "surged 10 13",
      "surged 10 11",
    ]);
    expect(leftUp(world)).toEqual([]);
  });

  it("is never the last ready one that is evicted, though the node of each new pod is drained five seconds after that has come", async () => {
    const { world, floor } = aRoomWorld({
      nodes: 9,
      rule: { maxUnavailable: 0 },
      annotations: { "hollow/ready-after": "20" },
    });
    const drained = [1];
    world.cluster.store.subscribe(({ resource, after }) => {
      if (resource !== pods || drained.length > 7) return;
      const { nodeName } = (after as Pod | undefined)?.spec ?? {};
      const node = drained.length + 1;
      if (nodeName !== nodeOf(node)) return;
      drained.push(node);
      world.in(seconds(5), () => world.terminate(node));
    });
    world.terminate(1);
    await world.workFor(minutes(5));
    expect(endingsIn(world)).toEqual(drained.map(() => "CONTINUE by call"));
    expect([drained.length, floor()]).toEqual([8, 1]);
  });

  it.each([{ maxUnavailable: 0 }, { minAvailable: 1 }])(
    "is never the last ready one that is evicted under %j, though the drain of the node of the new pod begins just as the count goes back",
    async (rule) => {
      const annotations = { "hollow/ready-after": "20" };
      const { world, floor } = aRoomWorld({ nodes: 4, rule, annotations });
      onceBack(world, () => {
        world.in(milliseconds(200), () => world.terminate(2));
      });
      world.terminate(1);
      await world.workFor(minutes(3));
      expect([new Set(endingsIn(world)), floor()]).toEqual([new Set(["CONTINUE by call"]), 1]);
    },
  );

  it.each<[string, Placed["spec"], (world: VirtualWorld) => () => void]>([
    [
      "its protection ends",
      {},
      (world) => {
        const ref = { resource: pods, namespace: "default", name: "web-2" };
        annotate(world, ref, { "karpenter.sh/do-not-disrupt": "true" });
        return () => annotate(world, ref, {});
      },
    ],
    [
      "the last ordinary pod of its node is gone",
      critical,
      ({ cluster }) => {
        const name = "ordinary";
        cluster.addPod({ name, node: nodeOf(2), annotations: { "hollow/term-seconds": "600" } });
        return () => cluster.store.remove({ resource: pods, namespace: "default", name });
      },
    ],
  ])(
    "is not evicted where %s just as the count goes back, for its budget still counts the pod that has gone",
    async (_, spec, holdUp) => {
      const { world, floor } = aRoomWorld({ ...twoNodes, spec });
      const stage = beforeRecount(world, holdUp(world));
      world.terminate(1);
      world.terminate(2);
      await world.workFor(minutes(5));
      expect([endingsIn(world), floor()]).toEqual([["CONTINUE by call", "CONTINUE by call"], 2]);
      expect([stage(), namesOn(world, 2), leftUp(world)]).toEqual(["back", [], []]);
    },
  );

  it("is not evicted where its Deployment is switched off just as the count goes back, for its budget still counts the pod that has gone", async () => {
    const { world, floor } = aRoomWorld(twoNodes);
    const stage = beforeRecount(world, () => {
      const { annotations } = world.cluster.store.get(deployment).metadata;
      annotate(world, deployment, { ...annotations, [makeRoomAnnotation]: "off" });
    });
    world.terminate(1);
    world.terminate(2);
    await world.workFor(minutes(1));
    expect([stage(), namesOn(world, 1), floor()]).toEqual(["back", [], 2]);
  });

  it("is not evicted where somebody else raises the count just as it goes back, for its budget still counts the pod that has gone", async () => {
    const { world, floor } = aRoomWorld(twoNodes);
    const stage = beforeRecount(world, () => {
      scale(world, 3);
      world.terminate(2);
    });
    world.terminate(1);
    await world.workFor(minutes(5));
    expect([stage(), endingsIn(world), floor()]).toEqual([
      "back",
      ["CONTINUE by call", "CONTINUE by call"],
      2,
    ]);
  });

  it.each([
    ["as if by a Deployment", "web-5d8", { app: "bare", "pod-template-hash": "5d8" }],
    ["by its own name", "bare", { app: "bare" }],
  ])(
    "of a bare ReplicaSet named %s is not evicted just as its count goes back",
    async (_, name, labels) => {
      const { world } = aRoomWorld({ nodes: 6, on: {}, rule: "none" });
      const annotations = { [makeRoomAnnotation]: "on" };
      annotate(world, { resource: namespaces, name: "default" }, annotations);
      world.cluster.store.create(replicaSets, {
        metadata: { namespace: "default", name, labels },
        spec: {
          replicas: 2,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels, annotations: { "hollow/ready-after": "4" } },
            spec: { containers: [{ name: "main" }] },
          },
        },
      });
      world.cluster.addBudget({
        name: "bare",
        selector: { matchLabels: { app: "bare" } },
        minAvailable: 2,
      });
      world.pass(minutes(1));
      const floor = readyFloorIn(world, { app: "bare" });
      const on = [1, 2, 3, 4, 5, 6].filter((node) => namesOn(world, node).length > 0);
      const [first = 0, second = 0] = on;
      const stage = beforeRecount(world, () => world.terminate(second));
      world.terminate(first);
      await world.workFor(minutes(5));
      expect([on.length, stage(), floor(), endingsIn(world).length]).toEqual([2, "back", 2, 2]);
    },
  );

  it.each([
    ["fails", { status: 503 }],
    ["is late", { slow: seconds(4) }],
  ])(
    "is not evicted just after the count has gone back where the first list of budgets %s",
    async (_, fault) => {
      const { world, floor } = aRoomWorld(twoNodes);
      const stage = beforeRecount(world, () => {
        world.faults = failing(/(list|watch) poddisruptionbudgets/, fault);
        world.in(seconds(8), () => {
          world.faults = () => well;
        });
        world.terminate(2);
      });
      world.terminate(1);
      await world.workFor(minutes(5));
      expect([stage(), endingsIn(world).length, floor()]).toEqual(["back", 2, 2]);
    },
  );

  it("leaves a note that its count went back, without the label by which the schedule finds what is raised", async () => {
    const { world } = aRoomWorld();
    world.terminate(1);
    await world.work();
    const { annotations = {}, labels = {} } = world.cluster.store.get(deployment).metadata;
    expect(annotations[recordAnnotation]).toMatch(
      /^none: 1 to 1 since .* for its count went back /,
    );
    expect(labels).not.toHaveProperty([recordLabel]);
  });

  it.each([
    ["its annotations", { annotations: {} }],
    ["its labels", { labels: {} }],
  ])(
    "is not evicted where somebody writes %s again just as the count goes back, for its budget still counts the pod that has gone",
    async (_, own) => {
      const { world, floor } = aRoomWorld(twoNodes);
      const stage = beforeRecount(world, () => {
        world.cluster.store.update(deployment, ({ metadata, ...rest }) => ({
          ...rest,
          metadata: { ...metadata, ...own },
        }));
        world.terminate(2);
      });
      world.terminate(1);
      await world.workFor(minutes(5));
      expect([stage(), endingsIn(world).length, floor()]).toEqual(["back", 2, 2]);
    },
  );

  it("keeps a count that its owner has set since its surge, though `kubectl rollout undo` brings the record of that back", async () => {
    const { world } = aRoomWorld({ nodes: 5, on: { 1: 1, 2: 1 }, rule: { minAvailable: 2 } });
    let up = "";
    world.cluster.store.subscribe(() => {
      up = leftUp(world)[0] ?? up;
    });
    world.terminate(1);
    await world.work();
    scale(world, 3);
    world.pass(minutes(1));
    annotate(world, deployment, { [recordAnnotation]: up });
    putBack(world);
    world.terminate(2);
    await world.work();
    expect([up.slice(0, 10), countOf(world, "web")]).toEqual(["up: 2 to 3", 3]);
  });

  /** Acts once with the record of the next surge, a moment after that has begun. */
  function onceUp(world: VirtualWorld, act: (record: string) => void): void {
    const { uid } = world.cluster.store.get(deployment).metadata;
    let acted = "no";
    world.cluster.store.subscribe(({ after }) => {
      const record = after?.metadata.annotations?.[recordAnnotation] ?? "";
      if (acted !== "no" || after?.metadata.uid !== uid || !record.startsWith("up")) return;
      acted = "yes";
      world.in(milliseconds(300), () => act(record));
    });
  }

  it("is left to its owner where `kubectl rollout undo` brings the record of an earlier surge back in the midst of another", async () => {
    const { world, floor } = aRoomWorld({
      ...twoNodes,
      on: { 1: 1, 2: 1, 3: 1 },
      rule: { minAvailable: 3 },
    });
    onceUp(world, (record) => {
      const earlier = record.replace(/3 to 4 since \S+/, "2 to 4 since 2026-11-20T09:59:00.000Z");
      annotate(world, deployment, { [recordAnnotation]: earlier });
    });
    world.terminate(1);
    await world.work();
    expect([floor(), countOf(world, "web")]).toEqual([3, 4]);
    expect(stagesIn(world)).toEqual(["surged 3 4", "given up 4 4"]);
  });

  it.each([
    [2, "its drain notes", "lost"],
    // After three tries.
    [3, "the schedule notes", undefined],
  ])(
    "keeps a count that its owner has set, though its record is taken away and brought back: where %i writes fail, %s that",
    async (writes, _, phase) => {
      const { world, floor } = aRoomWorld(twoNodes);
      let taken = "";
      onceUp(world, (record) => {
        taken = record;
        annotate(world, deployment, {});
        world.faults = failing(/^patch deployments/, { status: 409 }, writes);
      });
      world.terminate(1);
      await world.workFor(seconds(10));
      const { metadata } = world.cluster.store.get(deployment);
      const isLabelled = recordLabel in (metadata.labels ?? {});
      const note = tryRecord(metadata.annotations ?? {});
      expect([isLabelled, note?.phase]).toEqual([phase === undefined, phase]);
      await world.workFor(minutes(3));
      annotate(world, deployment, { [recordAnnotation]: taken });
      putBack(world);
      await world.workFor(minutes(1));
      expect([floor(), countOf(world, "web"), taken.slice(0, 10)]).toEqual([2, 3, "up: 2 to 3"]);
      const labels = world.cluster.store.get(deployment).metadata.labels ?? {};
      expect(labels).not.toHaveProperty([recordLabel]);
    },
  );

  it("leaves the surge of another drain as it is that begins while it notes the loss of its own", async () => {
    const { world } = aRoomWorld(twoNodes);
    onceUp(world, () => {
      annotate(world, deployment, {});
      const once = failing(/^patch deployments/, { status: 409 }, 1);
      world.faults = (call) => {
        const fault = once(call);
        if (fault !== well) writeRecord(world, 3, 4);
        return fault;
      };
    });
    world.terminate(1);
    await world.workFor(seconds(10));
    const { annotations = {}, labels = {} } = world.cluster.store.get(deployment).metadata;
    expect(annotations[recordAnnotation]).toMatch(/^up: 3 to 4/);
    expect(labels).toEqual({ [recordLabel]: labelOf(annotations[recordAnnotation] ?? "") });
  });

  it.each([
    ["beside its note", ({ annotations = {} }: Metadata) => annotations],
    ["without its note", () => ({})],
  ])(
    "waits once for the loss of its surge, though the label of that comes back each time %s",
    async (_, kept) => {
      const { world, floor } = aRoomWorld(twoNodes);
      onceUp(world, () => {
        const { labels = {} } = world.cluster.store.get(deployment).metadata;
        annotate(world, deployment, {});
        world.cluster.store.subscribe(({ resource, after }) => {
          const isTaken =
            resource === deployments && after?.metadata.labels?.[recordLabel] === undefined;
          if (isTaken) world.in(milliseconds(500), () => setLabels(world, labels, kept));
        });
      });
      world.terminate(1);
      await world.workFor(minutes(2));
      expect([floor(), endingsIn(world), world.told("pod-deleted")]).toEqual([
        2,
        ["CONTINUE by call"],
        [],
      ]);
    },
  );

  it("leaves a note where somebody takes the record and the label of its surge away together", async () => {
    const { world } = aRoomWorld(twoNodes);
    onceUp(world, () => {
      world.cluster.store.update(deployment, ({ metadata, ...rest }) => ({
        ...rest,
        metadata: { ...metadata, annotations: {}, labels: {} },
      }));
    });
    world.terminate(1);
    await world.workFor(seconds(10));
    const { metadata } = world.cluster.store.get(deployment);
    expect(tryRecord(metadata.annotations ?? {})).toMatchObject({ phase: "lost", was: 3, is: 3 });
  });

  /** An autoscaler that raises the count a second after its own least one, and acts as soon as that goes back. */
  function autoscale(world: VirtualWorld, minReplicas: number, onLower: () => void): void {
    const scaleTargetRef = { kind: "Deployment", name: "web" };
    let least = minReplicas;
    const spec = { scaleTargetRef, minReplicas, maxReplicas: 9 };
    world.cluster.store.create(autoscalers, { metadata: web, spec });
    world.cluster.store.subscribe(({ resource }) => {
      const { minReplicas: now = 1 } = world.cluster.store.get({
        resource: autoscalers,
        ...web,
      }).spec;
      if (resource !== autoscalers || now === least) return;
      if (now > least) world.in(seconds(1), () => scale(world, now));
      else onLower();
      least = now;
    });
  }

  it.each([
    ["its record", { annotations: {} }],
    ["its label, and its record does not count", { labels: {} }],
  ])(
    "is not evicted where an autoscaled workload is surged again at once, the autoscaler sets its count, and somebody takes away %s",
    async (_, own) => {
      const { world, floor } = aRoomWorld(twoNodes);
      autoscale(world, 2, () => undefined);
      const stage = beforeRecount(world, () =>
        onceUp(world, () => {
          scale(world, 3);
          world.cluster.store.update(deployment, ({ metadata, ...rest }) => ({
            ...rest,
            metadata: { ...metadata, ...own },
          }));
        }),
      );
      world.terminate(1);
      world.terminate(2);
      await world.workFor(minutes(5));
      expect([stage(), floor()]).toEqual(["back", 2]);
    },
  );

  it("is not evicted where an autoscaler lowers the count while nobody can write the Deployment", async () => {
    const { world, floor } = aRoomWorld({
      nodes: 7,
      on: { 1: 1, 2: 1, 3: 1 },
      rule: { minAvailable: 3 },
      annotations: { "hollow/ready-after": "40" },
    });
    autoscale(world, 3, () => {
      world.faults = failing(/^patch deployments/, { status: 503 });
      world.cluster.holdBudgets();
      world.in(milliseconds(600), () => scale(world, 3));
      world.in(seconds(9), () => {
        world.faults = () => well;
      });
      world.in(seconds(12), () => world.cluster.releaseBudgets());
    });
    for (const node of [1, 2, 3]) world.in(milliseconds(node), () => world.terminate(node));
    await world.workFor(minutes(8));
    expect([floor(), endingsIn(world).length]).toEqual([3, 3]);
  });

  it("costs one look at its Deployment, and one at its ReplicaSet for all pods of that", async () => {
    const { world } = aRoomWorld({ nodes: 4, on: { 1: 4, 2: 1 }, rule: { minAvailable: 1 } });
    const before = world.requests.length;
    world.terminate(1);
    await world.work();
    const looks = world.requests.slice(before).map(({ what }) => what);
    const count = (kind: string) => looks.filter((what) => what.startsWith(`get ${kind} `)).length;
    expect([count("replicasets"), count("deployments"), evictionsIn(world).length]).toEqual([
      1, 4, 4,
    ]);
  });

  it("goes as its budget allows where a rollout has stopped with a pod more, as one that is paused", async () => {
    const { world, floor } = aRoomWorld({
      nodes: 5,
      on: { 1: 4, 2: 1 },
      rule: { minAvailable: 5 },
      annotations: { "hollow/ready-after": "5" },
    });
    addNewer(world);
    world.pass(minutes(2));
    interrupt(world, instanceOf(1));
    await world.workFor(minutes(5));
    expect([evictionsIn(world).length, world.told("pod-deleted"), floor()]).toEqual([4, [], 5]);
  });

  it("is not surged while its budget counts fewer pods than are ready, for it is about to let one go", async () => {
    const { world, floor } = aRoomWorld({
      nodes: 5,
      on: { 1: 2, 2: 1 },
      rule: { maxUnavailable: 1 },
      annotations: { "hollow/ready-after": "20" },
    });
    const recountLate = (): void => {
      world.cluster.holdBudgets();
      world.in(seconds(8), () => {
        world.cluster.releaseBudgets();
        world.in(milliseconds(200), recountLate);
      });
    };
    recountLate();
    world.terminate(1);
    await world.work(minutes(3));
    expect([endingsIn(world), floor(), scalingsIn(world)]).toEqual([["CONTINUE by call"], 2, []]);
  });

  const unreadable: FaultPlan = ({ to, what }) =>
    to === "cluster" && /^get (deployments|replicasets) /.test(what)
      ? {
          kind: "cluster-fault",
          fault: { status: 500, reason: "InternalError", message: "overloaded" },
          moment: "before",
        }
      : well;

  it("is not evicted just after the count has gone back though nobody can read its Deployment in these seconds", async () => {
    const { world, floor } = aRoomWorld(twoNodes);
    beforeRecount(world, () => {
      world.faults = unreadable;
      world.terminate(2);
      world.in(seconds(8), () => {
        world.faults = () => well;
      });
    });
    world.terminate(1);
    await world.workFor(minutes(5));
    expect([endingsIn(world), floor()]).toEqual([["CONTINUE by call", "CONTINUE by call"], 2]);
  });

  it("goes within half a minute, as its budget allows, where nobody can ever read its Deployment", async () => {
    const { world } = aRoomWorld({ nodes: 4, on: { 1: 3, 2: 3 }, rule: { minAvailable: 1 } });
    world.faults = unreadable;
    world.terminate(1);
    await world.workFor(seconds(30));
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });

  const relabel = (world: VirtualWorld, name: string, labels: object): void => {
    world.cluster.store.update({ resource: pods, namespace: "default", name }, (current) => ({
      ...current,
      metadata: { ...current.metadata, labels: { ...current.metadata.labels, ...labels } },
    }));
  };

  it("is made elsewhere beside a pod of its workload that its budget does not select", async () => {
    const { world, floor } = aRoomWorld({ nodes: 6, on: { 1: 1, 2: 1, 3: 1 }, rule: "none" });
    relabel(world, "web-3", { role: "leader" });
    const selector = { matchExpressions: [{ key: "role", operator: "DoesNotExist" }] } as const;
    world.cluster.addBudget({ name: "web", selector, maxUnavailable: 0 });
    world.pass(minutes(1));
    world.terminate(1);
    await world.work(minutes(1));
    expect([stagesIn(world), floor()]).toEqual([["surged 3 4", "made 4 3"], 3]);
  });

  /** Writes a record of a surge that began some time ago. */
  function writeRecord(world: VirtualWorld, was: number, is: number, age = seconds(0)): void {
    const since = later(world.timeline.now(), milliseconds(-age));
    const up = { phase: "up", was, is, since, until: later(since, minutes(30)), why: "" } as const;
    const ours = recordedByUs(recordText(up));
    world.cluster.store.update(deployment, ({ metadata, ...rest }) => ({
      ...rest,
      metadata: {
        ...metadata,
        ...ours,
        annotations: { ...metadata.annotations, ...ours.annotations },
      },
    }));
  }

  it("goes within seconds, as its budget allows, though somebody has written a record that no drain would write", async () => {
    const { world } = aRoomWorld({ nodes: 4, on: { 1: 1, 2: 1 }, rule: { minAvailable: 1 } });
    writeRecord(world, 1, 60, minutes(1));
    world.terminate(1);
    await world.workFor(seconds(20));
    expect([endingsIn(world), countOf(world, "web")]).toEqual([["CONTINUE by call"], 2]);
  });

  it("is looked at within seconds of its turn, though another pod of its node, which gets no room, is looked at seldom", async () => {
    const { world } = aRoomWorld({ nodes: 4, on: { 1: 1, 2: 1 }, rule: { minAvailable: 1 } });
    deploy(world, { name: "stuck", on: { 1: 1 } });
    world.cluster.addBudget({ name: "stuck", minAvailable: 1 });
    const stuck = { resource: deployments, namespace: "default", name: "stuck" };
    annotate(world, stuck, { [makeRoomAnnotation]: "off" });
    writeRecord(world, 1, 60, minutes(1));
    const ref = { resource: pods, namespace: "default", name: "web-1" };
    annotate(world, ref, { "karpenter.sh/do-not-disrupt": "true" });
    world.pass(seconds(1));
    world.terminate(1);
    world.in(seconds(5), () => annotate(world, ref, {}));
    await world.workFor(seconds(10));
    expect(evictionsIn(world).map(({ what }) => what)).toEqual(["create pods/eviction web-1 201"]);
  });

  /** A world whose Deployment another drain has just surged; its new pod is available later than a drain may last. */
  function surgedByAnother(): VirtualWorld {
    const { world } = aRoomWorld({
      nodes: 4,
      on: { 1: 1, 2: 1 },
      rule: { minAvailable: 1 },
      settings: { DRAIN_TIMEOUT_SECONDS: "120" },
    });
    setSpec(world, { minReadySeconds: 300 });
    world.pass(minutes(6));
    writeRecord(world, 2, 3);
    scale(world, 3);
    world.pass(seconds(10));
    return world;
  }

  it("waits for the surge of another drain though its own budget would let it go, and is evicted all the same once its time is up", async () => {
    const world = surgedByAnother();
    world.terminate(1);
    await world.workFor(seconds(60));
    expect([evictionsIn(world), left(world)]).toEqual([[], expect.stringMatching("waiting for")]);
    await world.workFor(minutes(5));
    expect(evictionsIn(world).map(({ what }) => what)).toEqual(["create pods/eviction web-1 201"]);
    expect(world.told("pod-deleted")).toEqual([]);
    await putBackNext(world);
    expect(countOf(world, "web")).toBe(2);
  });

  it("is evicted at its time, and not deleted past its budget, though an operator keeps its Deployment in a surge until then", async () => {
    const world = surgedByAnother();
    world.cluster.store.subscribe(() => {
      if (leftUp(world).length > 0) return;
      writeRecord(world, 2, 3);
      scale(world, 3);
    });
    world.terminate(1);
    await world.workFor(minutes(3));
    expect(evictionsIn(world).map(({ what }) => what)).toEqual(["create pods/eviction web-1 201"]);
    expect([endingsIn(world), world.told("pod-deleted")]).toEqual([["CONTINUE by call"], []]);
  });

  it("is not made elsewhere where its budget would not select the new pod, as by the label of a leader", async () => {
    const { world, made } = aRoomWorld({
      nodes: 4,
      on: { 1: 1, 2: 1 },
      rule: "none",
      settings: { DRAIN_FORCE: "never" },
    });
    const leader = { role: "leader" };
    relabel(world, "web-1", leader);
    const selector = { matchLabels: leader };
    world.cluster.addBudget({ name: "leader", selector, minAvailable: 1 });
    world.pass(minutes(1));
    const leaders = readyFloorIn(world, leader);
    world.terminate(1);
    await world.work(minutes(2));
    expect([leaders(), made(), scalingsIn(world)]).toEqual([1, 2, []]);
    expect(left(world)).toMatch(/; no room is made: its new pods would be under other budgets$/);
  });

  it("is not made elsewhere where a pod of its workload that would go with it is under another budget", async () => {
    const { world } = aRoomWorld({
      nodes: 5,
      on: { 1: 2, 2: 1 },
      rule: "none",
    });
    world.cluster.store.update(deployment, ({ spec, ...rest }) => ({
      ...rest,
      spec: { ...spec, strategy: { rollingUpdate: { maxSurge: "100%" } } },
    }));
    relabel(world, "web-2", { slot: "b" });
    for (const [name, operator] of [
      ["web", "NotIn"],
      ["slot", "In"],
    ] as const)
      world.cluster.addBudget({
        name,
        selector: { matchExpressions: [{ key: "slot", operator, values: ["b"] }] },
        maxUnavailable: 0,
      });
    world.pass(minutes(1));
    world.terminate(1);
    await world.work(minutes(2));
    expect(scalingsIn(world)).toEqual([]);
    expect(left(world)).toMatch(
      /no room is made: its pod default\/web-2 is under other budgets than its new ones/,
    );
  });

  /** A world whose Deployment `web` is under a budget that also selects the Deployment `second` on node 2, of two pods in all. */
  function twoUnderOneBudget(selector: LabelSelector) {
    const { world, ...figures } = aRoomWorld({
      rule: "none",
      labels: { part: "both", app: "web" },
    });
    deploy(world, { name: "second", on: { 2: 1 }, labels: { part: "both", app: "second" } });
    world.cluster.addBudget({ name: "both", selector, minAvailable: 2 });
    world.pass(minutes(1));
    return { world, ...figures };
  }

  it.each<LabelSelector>([
    { matchLabels: { part: "both" } },
    { matchExpressions: [{ key: "app", operator: "In", values: ["web", "second"] }] },
    { matchExpressions: [{ key: "part", operator: "Exists" }] },
    { matchExpressions: [{ key: "app", operator: "NotIn", values: ["third"] }] },
    { matchExpressions: [{ key: "third", operator: "DoesNotExist" }] },
    {},
  ])(
    "is not made elsewhere where its budget also selects a pod of another workload by %j: it is evicted once that allows it",
    async (selector) => {
      const { world, made } = twoUnderOneBudget(selector);
      world.terminate(1);
      await world.work(minutes(1));
      expect(left(world)).toMatch(
        /; no room is made: its budget also selects pods of others, such as default\/second-1$/,
      );
      const told = world.told("making-room").map(({ stage, why }) => `${stage}: ${why}`);
      expect(told).toEqual([
        "not tried: its budget also selects pods of others, such as default/second-1",
      ]);
      expect([scalingsIn(world), made()]).toEqual([[], 1]);
      changeBudget(world, "both", { minAvailable: 1 });
      await world.work();
      expect([endingsIn(world), made()]).toEqual([["CONTINUE by call"], 2]);
      expect(scalingsIn(world)).toEqual([]);
    },
  );

  const notReady = { "hollow/ready": "false" };
  const ownedBy = (kind: string, name: string) => [
    { apiVersion: "x/v1", kind, name, uid: "9", controller: true },
  ];

  it.each<[string, Partial<PodOptions>]>([
    ["has no controller", {}],
    [
      "terminates, and that its StatefulSet makes again",
      { ownerReferences: ownedBy("StatefulSet", "db"), finalizers: ["example.com/kept"] },
    ],
  ])("is not made elsewhere where its budget also selects a pod that %s", async (what, pod) => {
    const { world, made } = aRoomWorld();
    const other = { labels: { app: "web" }, annotations: notReady, ...pod };
    world.cluster.addPod({ name: "other", node: nodeOf(2), ...other });
    if (what !== "has no controller") deletePod(world, "other");
    world.pass(seconds(5));
    world.terminate(1);
    await world.work(minutes(1));
    expect(left(world)).toContain("its budget also selects pods of others, such as default/other");
    expect([scalingsIn(world), made()]).toEqual([[], 2]);
  });

  it.each<[string, Partial<PodOptions>]>([
    ["has ended, as that of a Job", { ownerReferences: ownedBy("Job", "once"), status: ended }],
    ["is about to end", { annotations: notReady, finalizers: ["example.com/kept"] }],
    [
      "a kubelet runs by itself",
      {
        annotations: { ...notReady, "kubernetes.io/config.mirror": "1" },
        spec: { serviceAccountName: "" },
      },
    ],
    [
      "its rollout ends",
      {
        annotations: notReady,
        labels: { app: "web", "pod-template-hash": "old" },
        ownerReferences: ownedBy("ReplicaSet", "web-old"),
      },
    ],
  ])("is made elsewhere beside a pod under its budget that %s", async (what, pod) => {
    const { world, floor } = aRoomWorld();
    world.cluster.addPod({ name: "beside", node: nodeOf(2), labels: { app: "web" }, ...pod });
    if (what === "is about to end") deletePod(world, "beside");
    world.pass(seconds(5));
    world.terminate(1);
    world.in(seconds(20), () => what === "its rollout ends" && deletePod(world, "beside"));
    await world.work();
    expect([stagesIn(world), floor()]).toEqual([["surged 1 2", "made 2 1"], 1]);
  });

  it("is reported once to share its budget with pods of others, though these change every minute", async () => {
    const { world } = aRoomWorld({ rule: "none" });
    world.cluster.addBudget({ name: "all", selector: {}, minAvailable: 3 });
    const next = (index: number): void => {
      world.cluster.addPod({ name: `batch-${index}`, node: nodeOf(2) });
      if (index > 1)
        world.cluster.store.remove({
          resource: pods,
          namespace: "default",
          name: `batch-${index - 1}`,
        });
      world.in(minutes(1), () => next(index + 1));
    };
    next(1);
    world.terminate(1);
    await world.work(minutes(20));
    const told = world.told("making-room").map(({ stage, why }) => `${stage}: ${why}`);
    expect(told).toEqual([
      "not tried: its budget also selects pods of others, such as default/batch-1",
      "not tried: there is no time left to wait for another pod",
    ]);
    expect(left(world)).toContain("such as default/batch-");
  });

  it("is not made elsewhere beside pods under its budget that are too large to read", async () => {
    const labels = { part: "both" };
    const { world, made } = aRoomWorld({ rule: "none", labels: { ...labels, app: "web" } });
    world.cluster.addBudget({ name: "both", selector: { matchLabels: labels }, minAvailable: 1 });
    const annotations = { big: "x".repeat(400_000) };
    for (let index = 0; index < 60; index += 1)
      world.cluster.addPod({
        name: `big-${index}`,
        node: nodeOf(2),
        labels,
        annotations,
        status: ended,
      });
    world.pass(seconds(30));
    world.terminate(1);
    await world.work(minutes(1));
    expect(left(world)).toContain(
      "no room is made: the pods of its budget are not looked at: they have more than 16 MB",
    );
    expect([scalingsIn(world), made()]).toEqual([[], 1]);
  });

  it("is not made elsewhere under a budget of so many labels that the API server would end the connection of all drains", async () => {
    const values = [
      "web",
      ...Array.from({ length: 400 }, (_, index) => `${index}-`.padEnd(25, "x")),
    ];
    const { world } = aRoomWorld({ rule: "none" });
    const selector = { matchExpressions: [{ key: "app", operator: "In", values }] };
    world.cluster.addBudget({ name: "many", selector, minAvailable: 1 });
    world.pass(seconds(5));
    world.terminate(1);
    await world.work(minutes(1));
    expect(left(world)).toContain("no room is made: the selector of its budget is too long");
    const longest = Math.max(...world.cluster.audit.map(({ requestURI }) => requestURI.length));
    expect(longest).toBeLessThan(16_384);
  });

  it("is let go as soon where a pod of others comes under its budget in the midst of its surge", async () => {
    const { world, floor } = aRoomWorld({ annotations: { "hollow/ready-after": "20" } });
    world.terminate(1);
    world.in(seconds(15), () => {
      world.cluster.addPod({ name: "bare", node: nodeOf(2), labels: { app: "web" } });
    });
    await world.work(minutes(1));
    expect([endingsIn(world), leftUp(world)]).toEqual([["CONTINUE by call"], []]);
    expect([stagesIn(world), floor()]).toEqual([["surged 1 2", "made 2 1"], 1]);
  });

  it("is let go as soon under a budget that asks for more pods than there are", async () => {
    const { world, floor } = aRoomWorld({ rule: { minAvailable: 3 } });
    world.terminate(1);
    await world.work(minutes(1));
    expect([endingsIn(world), stagesIn(world), floor()]).toEqual([
      ["CONTINUE by call"],
      ["surged 1 2", "made 2 1"],
      1,
    ]);
  });

  it("is made elsewhere by its autoscaler where that counts it, and both are as they were at the end", async () => {
    const { world, floor, made } = aRoomWorld();
    const scaleTargetRef = { kind: "Deployment", name: "web" };
    world.cluster.store.create(autoscalers, {
      metadata: web,
      spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 3 },
    });
    world.pass(seconds(30));
    world.terminate(1);
    await world.work();
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(namesOn(world, 1)).toEqual([]);
    expect([floor(), made(), countOf(world, "web")]).toEqual([1, 2, 1]);
    expect(world.cluster.store.get({ resource: autoscalers, ...web }).spec.minReplicas).toBe(1);
    expect(leftUp(world)).toEqual([]);
    expect(scalingsIn(world)).toEqual([
      "patch deployments web 200",
      "patch horizontalpodautoscalers web 200",
      "patch pods web-1 200",
      "patch horizontalpodautoscalers web 200",
      "patch deployments web 200",
    ]);
    world.pass(minutes(5));
    expect(countOf(world, "web")).toBe(1);
  });

  it("is not made elsewhere beside more autoscalers than anybody looks at: that is a reason, and no fault, by which a tenant would call people", async () => {
    const { world } = aRoomWorld();
    for (let index = 0; index <= 200; index += 1)
      world.cluster.store.create(autoscalers, {
        metadata: { ...web, name: `other-${index}` },
        spec: { scaleTargetRef: { kind: "Deployment", name: "none" }, maxReplicas: 2 },
      });
    world.terminate(1);
    await world.work(seconds(52));
    expect(scalingsIn(world)).toEqual([]);
    expect(left(world)).toMatch(
      /there are more than 200, so nobody looks which of them scales what/,
    );
    expect(world.told("fault")).toEqual([]);
  });

  it.each([
    [403, 'admission webhook "a.tenant" denied the request: no'],
    [
      422,
      "deployments.apps \"web\" is forbidden: ValidatingAdmissionPolicy 'a' with binding 'b' denied request: no",
    ],
    [500, 'Internal error occurred: failed calling webhook "a.tenant": no'],
  ])(
    "is not made elsewhere where an admission webhook or policy refuses its surge with HTTP %i: that is a reason, and no fault, by which a tenant would call people",
    async (status, message) => {
      const { world } = aRoomWorld();
      const body = { kind: "Status", status: "Failure", code: status, message };
      world.faults = failing(/^patch deployments web/, { status, body });
      world.terminate(1);
      await world.work(minutes(5));
      expect(left(world)).toContain(
        `no room is made: cluster.refused: changing /apis/apps/v1/namespaces/default/deployments/web: HTTP ${status} ${message}`,
      );
      expect([stagesIn(world), world.told("fault")]).toEqual([[], []]);
    },
  );

  it("is made elsewhere by an autoscaler that names a ScaledObject as its owner in a cluster without KEDA: that is no fault, by which a tenant would call people", async () => {
    const { world } = aRoomWorld();
    const kept = { apiVersion: "keda.sh/v1alpha1", kind: "ScaledObject", name: "none", uid: "1" };
    world.cluster.store.create(autoscalers, {
      metadata: { ...web, ownerReferences: [{ ...kept, controller: true }] },
      spec: { scaleTargetRef: { kind: "Deployment", name: "web" }, maxReplicas: 3 },
    });
    world.pass(seconds(30));
    world.terminate(1);
    await world.work();
    expect(world.told("fault")).toEqual([]);
    expect([stagesIn(world), leftUp(world)]).toEqual([["surged 1 2", "made 2 1"], []]);
  });

  it("is not made elsewhere where its autoscaler has all pods that it may have", async () => {
    const { world } = aRoomWorld();
    const scaleTargetRef = { kind: "Deployment", name: "web" };
    world.cluster.store.create(autoscalers, {
      metadata: web,
      spec: { scaleTargetRef, maxReplicas: 1 },
    });
    world.terminate(1);
    await world.work(seconds(52));
    expect(scalingsIn(world)).toEqual([]);
    expect(left(world)).toMatch(/no room is made: its autoscaler has 1 pod already/);
  });

  it.each([
    ["is raised", 1],
    ["is put back", 2],
  ])("is left to whoever scales its Deployment in the moment in which it %s", async (_, nth) => {
    const { world } = aRoomWorld();
    let writes = 0;
    world.faults = ({ what }) => {
      if (!what.startsWith("patch deployments web")) return well;
      writes += 1;
      if (writes === nth) scale(world, 3);
      return well;
    };
    world.terminate(1);
    await world.work();
    expect(scalingsIn(world)).toContain("patch deployments web 409");
    expect([countOf(world, "web"), leftUp(world)]).toEqual([3, []]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });

  it("is made elsewhere first although `kubectl rollout undo` has brought the record of an old surge back", async () => {
    const { world, floor } = aRoomWorld({ on: { 1: 2 }, rule: { maxUnavailable: 0 } });
    const [since, until] = ["2026-01-01T00:00:00.000Z", "2026-01-01T00:10:00.000Z"];
    const text = `up: 1 to 2 since ${since} until ${until} for node gone`;
    annotate(world, deployment, { [recordAnnotation]: text });
    world.terminate(1);
    await world.work();
    expect([floor(), countOf(world, "web"), leftUp(world)]).toEqual([2, 2, []]);
    expect(stagesIn(world)[0]).toMatch(/^surged 2 /);
  });

  it("gets no pod more once its Deployment is switched off in the midst of its surge: the count goes back at once", async () => {
    const { world, floor, made } = aRoomWorld({ annotations: { "hollow/ready-after": "60" } });
    world.terminate(1);
    world.in(seconds(20), () => {
      const { annotations = {} } = world.cluster.store.get(deployment).metadata;
      annotate(world, deployment, { ...annotations, [makeRoomAnnotation]: "off" });
    });
    await world.work(minutes(2));
    expect([floor(), made(), countOf(world, "web"), leftUp(world)]).toEqual([1, 2, 1, []]);
    expect(left(world)).toContain("it is off by the annotation of the workload");
  });

  it.each([
    [{ minAvailable: 2 }, { minAvailable: 1 }],
    [{ maxUnavailable: 0 }, { maxUnavailable: 1 }],
    [{ minAvailable: "100%" }, { minAvailable: "50%" }],
  ])(
    "goes as its budget allows once that is relaxed in the midst of its surge, whose new pod is not ready yet: from %j to %j",
    async (rule, relaxed) => {
      const annotations = { "hollow/ready-after": "110" };
      const { world, floor } = aRoomWorld({ on: { 1: 1, 2: 1 }, rule, annotations });
      world.terminate(1);
      world.in(seconds(20), () => changeBudget(world, "web", relaxed));
      await world.work(minutes(2));
      expect([endingsIn(world), floor()]).toEqual([["CONTINUE by call"], 1]);
      expect([countOf(world, "web"), leftUp(world)]).toEqual([2, []]);
      expect(stagesIn(world)).toEqual(["surged 2 3", "put back 3 2"]);
      expect(world.told("making-room").at(-1)?.why).toBe("its budget lets its pods go by now");
    },
  );

  it("is moved with all others of its node at once where its budget is relaxed by one in the midst of their surge", async () => {
    const annotations = { "hollow/ready-after": "90" };
    const { world, floor } = aRoomWorld({
      on: { 1: 2, 2: 2 },
      rule: { minAvailable: 4 },
      annotations,
    });
    setSpec(world, moreBy(2));
    world.terminate(1);
    world.in(seconds(60), () => changeBudget(world, "web", { minAvailable: 3 }));
    await world.work(minutes(3));
    expect([endingsIn(world), floor(), countOf(world, "web")]).toEqual([
      ["CONTINUE by call"],
      4,
      4,
    ]);
    expect(stagesIn(world)).toEqual(["surged 4 6", "made 6 4"]);
  });

  /** A pod of another Deployment has ended, and has the labels of ours: their budget expects all pods of that one, too. */
  function endPodOfOther({ cluster }: VirtualWorld): void {
    const owner = cluster.store
      .list(replicaSets)
      .find(({ metadata }) => metadata.name.startsWith("other"));
    if (owner === undefined) throw new TypeError("there is no other Deployment");
    const { name, uid } = owner.metadata;
    const reference = { apiVersion: "apps/v1", kind: "ReplicaSet", name, uid, controller: true };
    cluster.store.create(pods, {
      metadata: { ...web, name: "ended", labels: { app: "web" }, ownerReferences: [reference] },
      spec: { nodeName: nodeOf(5), containers: [{ name: "main" }] },
      status: { phase: "Failed" },
    });
  }

  it.each([
    ["before its surge", 5, 0],
    ["before its surge, which makes as many as that asks for", 1, 0],
    ["in the midst of its surge, when its budget is relaxed", 5, 40],
  ])(
    "is made elsewhere where its budget expects the pods of another Deployment, of which one has ended %s",
    async (_, others, at) => {
      const annotations = { "hollow/ready-after": "60" };
      const on = { 1: 1, 2: 1, 3: 1 };
      const relaxed = { maxUnavailable: 1 };
      const rule = at === 0 ? relaxed : { maxUnavailable: 0 };
      const { world, floor } = aRoomWorld({ nodes: 6, on, rule, annotations });
      deploy(world, { name: "other", on: { 5: others } });
      world.pass(seconds(70));
      world.in(seconds(at), () => {
        endPodOfOther(world);
        changeBudget(world, "web", relaxed);
      });
      world.pass(seconds(at === 0 ? 5 : 0));
      world.terminate(1);
      await world.work(minutes(3));
      expect([endingsIn(world), floor(), countOf(world, "web")]).toEqual([
        ["CONTINUE by call"],
        3,
        3,
      ]);
      expect(stagesIn(world)).toEqual(["surged 3 4", "made 4 3"]);
    },
  );

  it("is made elsewhere where nobody can count its budget, as by an ended pod of a Job, also once that is changed", async () => {
    const annotations = { "hollow/ready-after": "20" };
    const on = { 1: 1, 2: 1, 3: 1 };
    const { world, floor } = aRoomWorld({ nodes: 6, on, rule: { maxUnavailable: 0 }, annotations });
    const job = {
      apiVersion: "batch/v1",
      kind: "Job",
      name: "migrate",
      uid: "1",
      controller: true,
    };
    world.cluster.store.create(pods, {
      metadata: { ...web, name: "ended", labels: { app: "web" }, ownerReferences: [job] },
      spec: { nodeName: nodeOf(5), containers: [{ name: "main" }] },
      status: { phase: "Succeeded" },
    });
    world.pass(seconds(5));
    changeBudget(world, "web", { maxUnavailable: 1 });
    world.pass(seconds(5));
    world.terminate(1);
    await world.work(minutes(3));
    expect([endingsIn(world), floor(), countOf(world, "web")]).toEqual([
      ["CONTINUE by call"],
      3,
      3,
    ]);
  });

  it("is left to whoever scales its Deployment meanwhile", async () => {
    const { world, floor } = aRoomWorld({ annotations: { "hollow/ready-after": "60" } });
    world.terminate(1);
    world.in(seconds(20), () => scale(world, 4));
    await world.work();
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(countOf(world, "web")).toBe(4);
    expect(floor()).toBeGreaterThanOrEqual(1);
    expect(leftUp(world)).toEqual([]);
    expect(stagesIn(world)).toEqual(["surged 1 2", "put back 2 4"]);
    expect(world.told("making-room").at(-1)?.why).toBe("changed by somebody");
  });

  it("is not surged again at once by anybody where somebody has set its count back", async () => {
    const { world } = aRoomWorld({ annotations: { "hollow/ready-after": "60" } });
    world.terminate(1);
    world.in(seconds(20), () => scale(world, 1));
    await world.work(minutes(5));
    expect(countOf(world, "web")).toBe(1);
    expect(stagesIn(world)).toEqual(["surged 1 2", "put back 2 1"]);
    expect(left(world)).toMatch(/no room was made: somebody has set its count to 1 meanwhile/);
  });

  it("keeps no record where somebody scales its Deployment down so far meanwhile that its rollouts may make fewer more", async () => {
    const on = { 1: 2, 2: 2, 3: 2, 4: 2 };
    const annotations = { "hollow/ready-after": "60" };
    const { world } = aRoomWorld({ nodes: 6, on, rule: { maxUnavailable: 0 }, annotations });
    world.terminate(1);
    world.in(seconds(20), () => scale(world, 2));
    await world.work();
    expect(stagesIn(world).slice(0, 2)).toEqual(["surged 8 10", "put back 10 2"]);
    expect([countOf(world, "web"), leftUp(world)]).toEqual([2, []]);
  });

  it("goes back to its count at once where its namespace is switched off in the midst of its surge", async () => {
    const { world, made } = aRoomWorld({ annotations: { "hollow/ready-after": "60" } });
    world.terminate(1);
    const namespace = { resource: namespaces, name: "default" };
    world.in(seconds(20), () => annotate(world, namespace, { [makeRoomAnnotation]: "off" }));
    await world.work(minutes(2));
    expect([made(), countOf(world, "web"), leftUp(world)]).toEqual([2, 1, []]);
  });

  it("is not made elsewhere once the manifest of its Deployment has the note of an earlier surge, and is applied again and again", async () => {
    const { world } = aRoomWorld({
      ...twoNodes,
      nodes: 6,
      on: { 1: 1, 2: 1, 3: 1 },
      rule: { maxUnavailable: 0 },
    });
    world.terminate(1);
    await world.work();
    const { annotations = {} } = world.cluster.store.get(deployment).metadata;
    const manifest = JSON.stringify({ metadata: { annotations } });
    const applied = {
      ...annotations,
      "kubectl.kubernetes.io/last-applied-configuration": manifest,
    };
    annotate(world, deployment, applied);
    world.cluster.store.subscribe(({ resource, after }) => {
      const record = after?.metadata.annotations?.[recordAnnotation];
      if (resource === deployments && record !== annotations[recordAnnotation])
        world.in(seconds(3), () => annotate(world, deployment, applied));
    });
    world.pass(minutes(2));
    world.terminate(2);
    await world.work(minutes(3));
    expect([countOf(world, "web"), stagesIn(world)]).toEqual([
      3,
      ["surged 3 4", "made 4 3", "not tried 3 3"],
    ]);
    expect(left(world)).toContain("its manifest has the annotation or the label");
  });

  it("counts only once it has been ready for as long as its Deployment asks for", async () => {
    const { world } = aRoomWorld();
    setSpec(world, { minReadySeconds: 40 });
    world.pass(minutes(1));
    world.terminate(1);
    await world.work(seconds(35));
    expect([countOf(world, "web"), namesOn(world, 1)]).toEqual([2, ["web-1"]]);
    await world.work();
    expect([countOf(world, "web"), namesOn(world, 1)]).toEqual([1, []]);
  });

  it("is not lost with what was made for it where its node goes before it", async () => {
    const { world } = aRoomWorld({ annotations: { "hollow/ready-after": "30" } });
    world.terminate(1);
    world.in(seconds(15), () => world.cluster.removeNode(nodeOf(1)));
    await world.workFor(seconds(45));
    const serving = world.cluster.store.list(pods).filter(podReady);
    expect(serving.filter(({ spec }) => spec.nodeName !== nodeOf(1))).toHaveLength(1);
    putBack(world);
    await world.workFor(minutes(2));
    expect([countOf(world, "web"), leftUp(world)]).toEqual([1, []]);
  });

  it.each([
    ["somebody takes its record away", {}],
    ["somebody writes something else there", { [recordAnnotation]: "hello" }],
  ])("stays at its count where %s, and the Deployment says so", async (_, annotations) => {
    const { world, floor } = aRoomWorld({ annotations: { "hollow/ready-after": "60" } });
    world.terminate(1);
    // Between the surge and the next look.
    world.in(seconds(4), () => annotate(world, deployment, annotations));
    await world.work();
    expect([floor(), countOf(world, "web")]).toEqual([1, 2]);
    expect(stagesIn(world)).toContain("given up 2 2");
  });

  it.each([
    ["annotations", { annotations: {} }],
    ["labels", { labels: {} }],
    ["annotations and labels", { annotations: {}, labels: {} }],
  ])(
    "is surged once, and not without end, where somebody writes the %s of its Deployment again and again",
    async (_, own) => {
      const { world } = aRoomWorld({ rule: { maxUnavailable: 0 } });
      const write = (): void => {
        world.cluster.store.update(deployment, ({ metadata, ...rest }) => ({
          ...rest,
          metadata: { ...metadata, ...own },
        }));
        world.in(seconds(1), write);
      };
      world.terminate(1);
      write();
      await world.work(hours(1));
      expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
      expect(countOf(world, "web")).toBe(2);
      expect(stagesIn(world)).toEqual(["surged 1 2", "given up 2 2"]);
    },
  );

  it.each<[string, number | "as it is", number, readonly string[]]>([
    ["record", "as it is", 2, ["surged 1 2", "given up 2 2"]],
    ["record and its count", 1, 1, ["surged 1 2", "given up 1 1"]],
  ])(
    "is surged a few times, and not without end, where an operator takes back its %s at once",
    async (_, count, left, stages) => {
      const { world } = aRoomWorld({ rule: { maxUnavailable: 0 } });
      world.cluster.store.subscribe(({ after }) => {
        if (after?.metadata.annotations?.[recordAnnotation] === undefined) return;
        annotate(world, deployment, {});
        if (count !== "as it is") scale(world, count);
      });
      world.terminate(1);
      await world.work(hours(1));
      expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
      expect([countOf(world, "web"), stagesIn(world)]).toEqual([left, stages]);
    },
  );

  it.each([
    ["sets its count back, and then takes the note of that away", 1],
    ["raises its count once more, and then puts it back", 3],
  ])("is surged a few times, and not without end, where an operator %s", async (_, count) => {
    const { world } = aRoomWorld({
      rule: { maxUnavailable: 0 },
      annotations: { "hollow/ready-after": "60" },
    });
    world.cluster.store.subscribe(({ resource, before, after }) => {
      if (resource !== deployments || after === undefined) return;
      const [was, is] = [before, after].map((one) => one?.metadata.annotations?.[recordAnnotation]);
      if (is === was) return;
      world.in(seconds(1), () => {
        if (is?.startsWith("up") !== true) annotate(world, deployment, {});
        scale(world, is?.startsWith("up") === true ? count : 1);
      });
    });
    world.terminate(1);
    await world.work(hours(1));
    const surges = stagesIn(world).filter((stage) => stage.startsWith("surged"));
    expect(surges.length).toBeLessThanOrEqual(4);
    expect([endingsIn(world), countOf(world, "web")]).toEqual([["CONTINUE by call"], 1]);
  });

  it("is surged a few times, and not fifty times a look, where an operator takes the record of its Deployment away before its autoscaler is raised", async () => {
    const { world } = aRoomWorld({ rule: { maxUnavailable: 0 } });
    const scaleTargetRef = { kind: "Deployment", name: "web" };
    world.cluster.store.create(autoscalers, {
      metadata: web,
      spec: { scaleTargetRef, maxReplicas: 9 },
    });
    world.cluster.store.subscribe(({ resource, after }) => {
      if (resource === deployments && recordAnnotation in (after?.metadata.annotations ?? {}))
        annotate(world, deployment, {});
    });
    world.terminate(1);
    await world.work(hours(1));
    const surges = stagesIn(world).filter((stage) => stage.startsWith("surged"));
    expect(surges.length).toBeLessThanOrEqual(3);
    expect([endingsIn(world), countOf(world, "web")]).toEqual([["CONTINUE by call"], 1]);
  });

  it("has its record taken away twice a look, and not fifty times, where an operator writes one like it again at once", async () => {
    const { world } = aRoomWorld({ rule: { maxUnavailable: 0 } });
    const { uid } = world.cluster.store.get(deployment).metadata;
    world.cluster.store.subscribe(({ after }) => {
      if (after?.metadata.uid !== uid) return;
      if (after.metadata.annotations?.[recordAnnotation]?.startsWith("up") === true) return;
      const since = world.timeline.now();
      const up = { phase: "up", was: 2, is: 3, since, until: since, why: "node a" } as const;
      world.cluster.store.update(deployment, ({ metadata, ...rest }) => ({
        ...rest,
        metadata: {
          ...metadata,
          annotations: { [recordAnnotation]: recordText(up) },
          labels: { [recordLabel]: labelOf(recordText(up)) },
        },
      }));
    });
    annotate(world, deployment, { any: "change" });
    world.terminate(1);
    await world.work(minutes(2));
    expect(scalingsIn(world).length).toBeLessThanOrEqual(120);
  });

  it("is surged once in ten minutes, and not without end, where its new pod comes back to the node each time", async () => {
    const preference = { matchFields: [{ key: "metadata.name", values: [nodeOf(1)] }] };
    const preferring = { preferredDuringSchedulingIgnoredDuringExecution: [{ preference }] };
    const { world, made } = aRoomWorld({
      rule: { maxUnavailable: 0 },
      settings: { DRAIN_TIMEOUT_SECONDS: "3600" },
      spec: { tolerations: [{ operator: "Exists" }], affinity: { nodeAffinity: preferring } },
    });
    world.terminate(1);
    await world.work(minutes(30));
    const [first, second] = stagesIn(world);
    expect([first, second, countOf(world, "web")]).toEqual(["surged 1 2", "given up 2 1", 1]);
    expect(made()).toBeLessThanOrEqual(1 + 3);
  });

  it("goes once its new pod is ready though somebody has made a second budget for it meanwhile", async () => {
    const { world } = aRoomWorld({ annotations: { "hollow/ready-after": "20" } });
    world.terminate(1);
    world.in(seconds(12), () =>
      world.cluster.addBudget({
        name: "other",
        selector: { matchLabels: { app: "web" } },
        minAvailable: 1,
      }),
    );
    await world.work(minutes(2));
    expect([stagesIn(world), countOf(world, "web")]).toEqual([["surged 1 2", "made 2 1"], 1]);
  });

  it("is not made elsewhere where its template names the node, to which its new pods would come back", async () => {
    const { world, made } = aRoomWorld({
      rule: { maxUnavailable: 0 },
      settings: { DRAIN_TIMEOUT_SECONDS: "3600" },
      spec: { nodeName: nodeOf(1) },
    });
    world.terminate(1);
    await world.work(minutes(30));
    const stages = [...new Set(stagesIn(world))];
    expect([stages, countOf(world, "web"), made()]).toEqual([["not tried 1 1"], 1, 1]);
  });

  it("is surged once in ten minutes, and not used, where somebody binds each new pod to another node that is drained", async () => {
    const { world } = aRoomWorld({
      rule: { maxUnavailable: 0 },
      settings: { DRAIN_TIMEOUT_SECONDS: "1800" },
      annotations: { "hollow/ready-after": "60" },
    });
    deploy(world, { name: "held", on: { 2: 1 } });
    for (const name of ["one", "other"])
      world.cluster.addBudget({
        name,
        selector: { matchLabels: { app: "held" } },
        maxUnavailable: 0,
      });
    for (const { metadata } of world.cluster.store.list(replicaSets))
      world.cluster.store.update({ resource: replicaSets, ...metadata }, ({ spec, ...rest }) => {
        const { template } = spec;
        const bound = { ...template, spec: { ...template.spec, nodeName: nodeOf(2) } };
        return { ...rest, spec: { ...spec, template: bound } };
      });
    world.terminate(2);
    world.terminate(1);
    await world.work(minutes(8));
    expect([stagesIn(world), countOf(world, "web")]).toEqual([["surged 1 2", "given up 2 1"], 1]);
  });

  it("has its autoscaler raised once a look, for two minutes, where an operator takes each raise back at once", async () => {
    const { world } = aRoomWorld({
      rule: { maxUnavailable: 0 },
      settings: { DRAIN_TIMEOUT_SECONDS: "300" },
    });
    const autoscaler = { resource: autoscalers, ...web };
    world.cluster.store.create(autoscalers, {
      metadata: web,
      spec: { scaleTargetRef: { kind: "Deployment", name: "web" }, maxReplicas: 9 },
    });
    world.pass(seconds(30));
    world.cluster.store.subscribe(({ resource, after }) => {
      if (resource !== autoscalers) return;
      if (after?.metadata.annotations?.[recordAnnotation] === undefined) return;
      annotate(world, autoscaler, {});
      world.cluster.store.update(autoscaler, ({ spec, ...rest }) => ({
        ...rest,
        spec: { ...spec, minReplicas: 1 },
      }));
    });
    world.terminate(1);
    await world.work(hours(1));
    const raises = scalingsIn(world).filter((what) => what.includes("horizontalpodautoscalers"));
    expect(raises.length).toBeLessThanOrEqual(100);
    expect([stagesIn(world), countOf(world, "web")]).toEqual([["surged 1 2", "given up 2 1"], 1]);
  });

  it.each([
    ["the records of both", [deployment, { resource: autoscalers, ...web }], 1],
    ["the record of that", [{ resource: autoscalers, ...web }], 2],
  ])(
    "has its autoscaler raised at most once in ten minutes where somebody takes %s away again and again",
    async (_, records, most) => {
      const { world } = aRoomWorld({ rule: { maxUnavailable: 0 } });
      world.cluster.store.create(autoscalers, {
        metadata: web,
        spec: { scaleTargetRef: { kind: "Deployment", name: "web" }, maxReplicas: 99 },
      });
      world.pass(seconds(30));
      const clear = (): void => {
        for (const one of records) annotate(world, one, {});
        world.in(seconds(1), clear);
      };
      world.terminate(1);
      clear();
      await world.work(hours(1));
      const { minReplicas = 1 } = world.cluster.store.get({ resource: autoscalers, ...web }).spec;
      expect(minReplicas).toBeLessThanOrEqual(1 + most);
      expect(countOf(world, "web")).toBeLessThanOrEqual(1 + most);
    },
  );

  it("is not ended by a record that its Deployment has from another one", async () => {
    const { world, floor } = aRoomWorld({ on: { 1: 2 }, rule: { maxUnavailable: 0 } });
    const now = world.timeline.now();
    const up = { phase: "up", was: 1, is: 2, since: now, until: now, why: "node a" } as const;
    const copied = `${recordText(up)} [0badc0de]`;
    world.cluster.store.update(deployment, ({ metadata, ...rest }) => ({
      ...rest,
      metadata: {
        ...metadata,
        annotations: { [recordAnnotation]: copied },
        labels: { [recordLabel]: labelOf(copied) },
      },
    }));
    world.terminate(2);
    await world.work();
    expect([floor(), countOf(world, "web")]).toEqual([2, 2]);
  });

  it("is not surged again and again once its node is gone, while other drains end", async () => {
    const { world } = aRoomWorld({ nodes: 4, annotations: { "hollow/ready-after": "60" } });
    deploy(world, { name: "free", on: { 2: 1 } });
    world.terminate(1);
    world.in(seconds(20), () => world.cluster.removeNode(nodeOf(1)));
    world.in(seconds(22), () => world.terminate(2));
    await world.work(seconds(50));
    expect(stagesIn(world).filter((stage) => stage === "surged 1 2")).toHaveLength(1);
  });

  it("gets its count back where no node takes it after all, and the reason says what is missing", async () => {
    const { world } = aRoomWorld({ nodes: 2 });
    world.cluster.store.subscribe(({ resource, after }) => {
      const isRaised = resource === deployments && (after as Workload).spec.replicas === 2;
      if (isRaised) cordon(world, 2);
    });
    world.terminate(1);
    await world.work(minutes(5));
    expect(countOf(world, "web")).toBe(1);
    expect(namesOn(world, 1)).toEqual(["web-1"]);
    expect(stagesIn(world)).toEqual(["surged 1 2", "given up 2 1"]);
    expect(left(world)).toMatch(/no room was made: 0\/2 nodes are available: 2 node\(s\)/);
  });

  it("is made elsewhere although others have made the pods of a node too large to read, which is told", async () => {
    const { world, floor } = aRoomWorld({ nodes: 2 });
    const annotations = { big: "x".repeat(400_000) };
    for (let index = 0; index < 60; index += 1)
      world.cluster.addPod({
        name: `big-${index}`,
        namespace: "tenant",
        node: nodeOf(2),
        annotations,
      });
    world.pass(seconds(5));
    world.terminate(1);
    await world.work();
    expect([floor(), countOf(world, "web"), leftUp(world)]).toEqual([1, 1, []]);
    const [surge] = world.told("making-room");
    expect(surge?.why).toMatch(/^node \S+ under budget default\/web; 1 node not looked at$/);
    const lists = world.cluster.audit.filter(
      ({ verb, requestURI }) =>
        verb === "list" && requestURI.includes(encodeURIComponent(nodeOf(2))),
    );
    // 24 MB in pages of 4 MB, which end at 16 MB.
    expect(lists.length).toBeLessThan(20);
  });

  it("is made elsewhere beside large mirror pods that the kubelet of another node gives its labels", async () => {
    const { world } = aRoomWorld();
    const ownerReferences = [{ apiVersion: "v1", kind: "Node", name: nodeOf(3), uid: "3" }];
    for (let index = 0; index < 60; index += 1)
      world.cluster.addPod({
        name: `mirror-${index}`,
        node: nodeOf(3),
        labels: { app: "web" },
        annotations: {
          "kubernetes.io/config.mirror": "x".repeat(400_000),
          "hollow/ready": "false",
        },
        ownerReferences,
        spec: { serviceAccountName: "" },
      });
    world.pass(seconds(5));
    world.terminate(1);
    await world.work();
    expect([countOf(world, "web"), leftUp(world)]).toEqual([1, []]);
    expect(stagesIn(world)).toEqual(["surged 1 2", "made 2 1"]);
  });

  it("is not made elsewhere if it is selected by so many labels that the API server would end the connection of all drains", async () => {
    const { world } = aRoomWorld();
    const many = Array.from({ length: 400 }, (_, index) => [`label-${index}`, "x".repeat(20)]);
    const matchLabels = { app: "web", ...Object.fromEntries(many) };
    world.cluster.store.update(deployment, (current) => ({
      ...current,
      spec: { ...current.spec, selector: { matchLabels } },
    }));
    world.terminate(1);
    await world.work(minutes(2));
    const told = world.told("making-room").map(({ stage, why }) => `${stage}: ${why}`);
    expect([...new Set(told)]).toEqual(["not tried: the selector of its pods is too long"]);
    const longest = Math.max(...world.cluster.audit.map(({ requestURI }) => requestURI.length));
    expect(longest).toBeLessThan(16_384);
  });

  it("is made elsewhere beside those of nineteen other workloads, for which nodes and their namespace are read together", async () => {
    const { world } = aRoomWorld({
      rule: { maxUnavailable: 0 },
      annotations: { "hollow/ready-after": "60" },
    });
    for (let index = 1; index < 20; index += 1) {
      const name = `web-${index}`;
      deploy(world, { name, on: { 1: 1 }, annotations: { "hollow/ready-after": "60" } });
      world.cluster.addBudget({ name, maxUnavailable: 0 });
    }
    world.pass(minutes(2));
    const before = world.requests.length;
    world.terminate(1);
    await world.work(seconds(40));
    const asked = (what: string) =>
      world.requests.slice(before).filter((request) => request.what === what).length;
    expect(asked("list nodes")).toBeGreaterThan(5);
    expect(asked("list nodes")).toBeLessThan(30);
    expect(asked("get namespaces default")).toBeLessThan(30);
    await world.work();
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(leftUp(world)).toEqual([]);
    expect(countOf(world, "web-19")).toBe(1);
  });

  it("is made elsewhere beside a held pod of another namespace that gives the UID of its ReplicaSet", async () => {
    const { world, floor } = aRoomWorld();
    const [pod] = world.cluster.store
      .list(pods)
      .filter(({ metadata }) => metadata.name === "web-1");
    const [owner] = pod?.metadata.ownerReferences ?? [];
    if (owner === undefined) throw new Error("web-1 has no owner");
    const ownerReferences = [{ ...owner, name: "untrue" }];
    const theirs = { namespace: "a-tenant", labels: { app: "untrue" } };
    for (const name of ["a", "z"])
      world.cluster.addPod({ ...theirs, name, node: nodeOf(1), ownerReferences });
    world.cluster.addBudget({ name: "untrue", namespace: "a-tenant", maxUnavailable: 0 });
    world.terminate(1);
    await world.work();
    expect(stagesIn(world)).toEqual(["surged 1 2", "made 2 1"]);
    expect(floor()).toBe(1);
  });

  it("is not made elsewhere where no node would take it, and the reason says what is missing", async () => {
    const { world } = aRoomWorld({ nodes: 2 });
    cordon(world, 2);
    world.terminate(1);
    await world.work(seconds(52));
    expect(scalingsIn(world)).toEqual([]);
    expect(left(world)).toMatch(/no room is made: its replacement finds no place: cordoned \(1\)$/);
    expect(stagesIn(world)).toEqual(["not tried 1 1"]);
  });

  it("is made elsewhere within minutes of a node's having a place for it, though nothing has changed for more than ten", async () => {
    const settings = { DRAIN_TIMEOUT_SECONDS: "3600" };
    const { world, floor } = aRoomWorld({ nodes: 2, settings });
    cordon(world, 2);
    world.terminate(1);
    world.in(minutes(20), () => cordon(world, 2, "open"));
    await world.work(minutes(24));
    expect(stagesIn(world).slice(-2)).toEqual(["surged 1 2", "made 2 1"]);
    expect([floor(), endingsIn(world)]).toEqual([1, ["CONTINUE by call"]]);
  });

  it("is deleted at a nearer deadline than that of the drain that has surged it, beside its new pod that starts, which stays when the count goes back", async () => {
    const { world } = aRoomWorld({ annotations: { "hollow/ready-after": "118" } });
    world.terminate(1);
    world.in(seconds(8), () => interrupt(world));
    await world.workFor(seconds(60));
    const [first = ""] = namesIn(world).filter((name) => name !== "web-1");
    await world.workFor(seconds(80));
    expect([namesOn(world, 1), servingIn(world).length]).toEqual([[], 1]);
    expect(stagesIn(world)).toEqual(["surged 1 2"]);
    await putBackNext(world);
    expect([namesIn(world), countOf(world, "web"), leftUp(world)]).toEqual([[first], 1, []]);
    expect(stagesIn(world)).toEqual(["surged 1 2", "put back 2 1"]);
  });

  it.each<[string, RoomOptions, (world: VirtualWorld) => void]>([
    ["a Spot notice for another node", {}, (world) => interrupt(world, instanceOf(2))],
    [
      "the hook of another group",
      { others: { nodes: [2], tags: { "eks-node-lifecycle/drain-timeout-seconds": "120" } } },
      (world) => world.terminate(2),
    ],
  ])(
    "is replaced in time also where the nearer deadline of %s has forced a pod of its owner meanwhile",
    async (_, others, comes) => {
      const annotations = { "hollow/ready-after": "118" };
      const rule = { minAvailable: 2 };
      const { world } = aRoomWorld({ nodes: 4, on: { 1: 1, 2: 1 }, rule, annotations, ...others });
      world.terminate(1);
      world.in(seconds(20), () => comes(world));
      await world.workFor(minutes(5));
      expect(world.told("making-room")).toMatchObject([
        { node: nodeOf(1), stage: "surged", from: 2, to: 3 },
        { node: nodeOf(1), stage: "made", from: 3, to: 2 },
      ]);
      const forced = world.told("pod-deleted").filter(({ past }) => past !== "");
      expect(forced.map(({ node }) => node)).toEqual([nodeOf(2)]);
      expect([namesOn(world, 1), namesOn(world, 2)]).toEqual([[], []]);
      expect([countOf(world, "web"), leftUp(world)]).toEqual([2, []]);
    },
  );

  it("is forced at the deadline all the same where no new pod is ready by then, and its count goes back", async () => {
    const settings = { DRAIN_TIMEOUT_SECONDS: "80" };
    const { world } = aRoomWorld({ settings, annotations: { "hollow/ready-after": "60" } });
    world.terminate(1);
    await world.work();
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    await putBackNext(world);
    expect([countOf(world, "web"), leftUp(world)]).toEqual([1, []]);
    expect(stagesIn(world)).toEqual(["surged 1 2", "put back 2 1"]);
  });

  it("is let go by the schedule where its drain forces nothing, and the new pod is ready only after the deadline", async () => {
    const settings = { DRAIN_TIMEOUT_SECONDS: "80", DRAIN_FORCE: "never" };
    const { world, floor } = aRoomWorld({ settings, annotations: { "hollow/ready-after": "90" } });
    world.terminate(1);
    await world.work();
    await putBackNext(world);
    expect([namesOn(world, 1), countOf(world, "web")]).toEqual([["web-1"], 2]);
    await world.workFor(minutes(2));
    await putBackNext(world);
    expect([namesOn(world, 1), floor(), leftUp(world)]).toEqual([[], 1, []]);
    expect(stagesIn(world)).toEqual(["surged 1 2", "made 2 1"]);
  });

  it.each([
    [0, 300],
    [2, 300],
    [8, 300],
    [60, 300],
    [30, 70],
    [60, 70],
  ])(
    "is missed at no deadline of two nodes, %i seconds apart, where new pods are ready, and count only after %i seconds",
    async (apart, minReadySeconds) => {
      for (const first of [1, 2]) {
        const tags = { "eks-node-lifecycle/drain-timeout-seconds": String(90 + apart) };
        const { world, floor } = aRoomWorld({
          on: { 1: 1, 2: 1 },
          nodes: 5,
          rule: { minAvailable: 2 },
          settings: { DRAIN_TIMEOUT_SECONDS: "90" },
          others: { nodes: [2], tags },
        });
        setSpec(world, { minReadySeconds, ...moreBy(2) });
        world.pass(minutes(7));
        for (const node of [first, 3 - first]) world.terminate(node);
        await world.workFor(minutes(4));
        expect([namesOn(world, 1), namesOn(world, 2), floor()]).toEqual([[], [], 2]);
        putBack(world);
        await world.workFor(seconds(30));
        expect([countOf(world, "web"), leftUp(world), floor()]).toEqual([2, [], 2]);
      }
    },
  );

  it.each([
    [30, 3, 240],
    [60, 20, 500],
    [200, 3, 240],
    [200, 20, 500],
  ])(
    "is replaced also where the drain of another node has forced its pod beside the only new one, which counts after %i s, and new ones are ready after %i s: its drain has %i s",
    async (minReadySeconds, after, timeout) => {
      const tags = { "eks-node-lifecycle/drain-timeout-seconds": String(timeout) };
      const { world, floor } = aRoomWorld({
        nodes: 5,
        on: { 1: 1, 2: 1 },
        rule: { minAvailable: 2 },
        annotations: { "hollow/ready-after": String(after) },
        settings: { DRAIN_TIMEOUT_SECONDS: "90" },
        others: { nodes: [2], tags },
      });
      setSpec(world, { minReadySeconds, ...moreBy(1) });
      world.pass(minutes(7));
      world.terminate(1);
      world.in(seconds(30), () => world.terminate(2));
      await world.workFor(minutes(11));
      expect([namesOn(world, 1), namesOn(world, 2), floor()]).toEqual([[], [], 2]);
    },
  );

  it.each([300, 700, 1100, 1500])(
    "is missed at no deadline beside that of another node whose drain forces nothing and begins %i ms later",
    async (after) => {
      const tags = {
        "eks-node-lifecycle/drain-force": "never",
        "eks-node-lifecycle/drain-timeout-seconds": "98",
      };
      const { world, floor } = aRoomWorld({
        on: { 1: 1, 2: 1 },
        nodes: 5,
        rule: { minAvailable: 2 },
        settings: { DRAIN_TIMEOUT_SECONDS: "91" },
        others: { nodes: [2], tags },
      });
      setSpec(world, { minReadySeconds: 300, ...moreBy(2) });
      world.pass(minutes(7));
      world.terminate(1);
      world.in(milliseconds(after), () => world.terminate(2));
      await world.workFor(minutes(4));
      expect([namesOn(world, 1), floor()]).toEqual([[], 2]);
    },
  );

  it.each([
    ["an hour ago", hours(-1)],
    ["unknown", "none"],
  ] as const)(
    "is let go for no new pod that does not count yet where its node has the mark of a drain that is over: its deadline is %s",
    async (_, deadline) => {
      const { world } = aRoomWorld({
        on: { 1: 1, 2: 1, 3: 1 },
        nodes: 7,
        rule: { maxUnavailable: 0 },
        settings: { DRAIN_TIMEOUT_SECONDS: "120" },
      });
      setSpec(world, { minReadySeconds: 300, ...moreBy(2) });
      world.pass(minutes(7));
      const now = world.timeline.now();
      const mark = {
        "eks-node-lifecycle/marked-at": timestamp(later(now, hours(-2))),
        "eks-node-lifecycle/reason": "terminating",
        ...(deadline === "none"
          ? {}
          : { "eks-node-lifecycle/deadline": timestamp(later(now, deadline)) }),
      };
      annotate(world, { resource: nodes, name: nodeOf(2) }, mark);
      world.cluster.store.update({ resource: nodes, name: nodeOf(2) }, ({ spec, ...node }) => ({
        ...node,
        spec: { ...spec, unschedulable: true },
      }));
      world.terminate(1);
      await world.workFor(minutes(3));
      expect([1, 2, 3].map((node) => namesOn(world, node))).toEqual([[], ["web-2"], ["web-3"]]);
    },
  );

  it("is replaced by its new pod at its deadline also where that has come to a node that is drained meanwhile", async () => {
    const { world, floor } = aRoomWorld({
      nodes: 4,
      settings: { DRAIN_TIMEOUT_SECONDS: "90" },
      annotations: { "hollow/ready-after": "5" },
      others: { nodes: [2, 3, 4], tags: { "eks-node-lifecycle/drain-timeout-seconds": "600" } },
    });
    setSpec(world, { minReadySeconds: 60 });
    world.pass(minutes(2));
    world.terminate(1);
    world.in(seconds(20), () => {
      for (const node of [2, 3, 4]) if (namesOn(world, node).length > 0) world.terminate(node);
    });
    await world.workFor(minutes(8));
    expect([namesOn(world, 1), floor(), countOf(world, "web")]).toEqual([[], 1, 1]);
    expect(world.told("pod-deleted").filter(({ past }) => past !== "")).toEqual([]);
  });

  it.each([10, 20])(
    "stays in place of its new pod where the node of that is drained after %i s, with less time, and it has no other one then",
    async (after) => {
      const { world, floor } = aRoomWorld({
        nodes: 5,
        rule: { maxUnavailable: 0 },
        annotations: { "hollow/ready-after": "60" },
        settings: { DRAIN_TIMEOUT_SECONDS: "900" },
        others: {
          nodes: [2, 3, 4, 5],
          tags: { "eks-node-lifecycle/drain-timeout-seconds": "100" },
        },
      });
      world.pass(minutes(7));
      world.terminate(1);
      world.in(seconds(after), () => {
        for (const node of [2, 3, 4, 5]) if (namesOn(world, node).length > 0) world.terminate(node);
      });
      await world.workFor(minutes(8));
      expect([namesOn(world, 1), floor(), countOf(world, "web")]).toEqual([[], 1, 1]);
    },
  );

  it("stays in place of its new pod where the node of that is gone, though it looks ready", async () => {
    const { world } = aRoomWorld({ nodes: 5, on: { 1: 1, 2: 1 }, rule: { minAvailable: 2 } });
    setSpec(world, { minReadySeconds: 60 });
    world.pass(minutes(7));
    world.terminate(1);
    await world.workFor(seconds(45));
    const [at = 0] = [3, 4, 5].filter((node) => namesOn(world, node).length > 0);
    world.cluster.store.remove({ resource: nodes, name: nodeOf(at) });
    let isAlone = false;
    world.cluster.store.subscribe(() => {
      isAlone ||= servingIn(world).length < 2 && world.told("pod-deleted").length === 0;
    });
    await world.workFor(minutes(2));
    expect(isAlone).toBe(false);
  });

  it("stays beside a protected one on a node that is gone, until Kubernetes has removed that", async () => {
    const { world } = aRoomWorld({
      on: { 1: 1, 2: 1 },
      nodes: 5,
      rule: { minAvailable: 2 },
      annotations: { "hollow/ready-after": "30" },
    });
    const ref = { resource: pods, namespace: "default", name: "web-2" };
    annotate(world, ref, { "karpenter.sh/do-not-disrupt": "true", "hollow/ready-after": "0" });
    world.pass(minutes(2));
    world.terminate(1);
    world.in(seconds(20), () => world.cluster.store.remove({ resource: nodes, name: nodeOf(2) }));
    await world.workFor(seconds(70));
    expect([namesOn(world, 1), countOf(world, "web")]).toEqual([["web-1"], 3]);
  });

  it("stays where it has its cost, the count could not go back, and the node of its new pod is gone by then", async () => {
    const { world } = aRoomWorld({ on: { 1: 2 }, nodes: 5, rule: { minAvailable: 2 } });
    world.pass(minutes(2));
    world.cluster.store.subscribe(({ resource, after }) => {
      const isCheap = resource === pods && costAnnotation in (after?.metadata.annotations ?? {});
      if (!isCheap || world.faults !== none) return;
      world.faults = failing(/^patch deployments/, { status: 503 });
      world.in(seconds(2), () => {
        const [at = 0] = [2, 3, 4, 5].filter((node) => namesOn(world, node).length > 0);
        world.cluster.store.remove({ resource: nodes, name: nodeOf(at) });
      });
      world.in(seconds(5), () => {
        world.faults = () => well;
      });
    });
    const none = () => well;
    world.faults = none;
    world.terminate(1);
    await world.workFor(seconds(40));
    expect([namesOn(world, 1), countOf(world, "web")]).toEqual([["web-1", "web-2"], 3]);
  });

  it("keeps its new pod where its node is gone, and the pod of another one is let go", async () => {
    const { world } = aRoomWorld({
      on: { 1: 1, 2: 1 },
      nodes: 5,
      rule: { minAvailable: 2 },
      annotations: { "hollow/ready-after": "30" },
    });
    setSpec(world, moreBy(2));
    world.pass(minutes(2));
    for (const node of [1, 2]) world.terminate(node);
    world.in(seconds(25), () => world.cluster.store.remove({ resource: nodes, name: nodeOf(2) }));
    await world.workFor(seconds(80));
    expect(servingIn(world).length).toBeGreaterThanOrEqual(2);
  });

  it.each([
    ["is Recreate", { strategy: { type: "Recreate" } }, /its strategy is Recreate/],
    ["is paused at no pods", { replicas: 0 }, /held for/],
  ])("is not made elsewhere where its Deployment %s", async (_, change, reason) => {
    const { world } = aRoomWorld();
    world.cluster.store.update(deployment, (current) => ({
      ...current,
      spec: { ...current.spec, ...change },
    }));
    world.terminate(1);
    await world.work(seconds(52));
    expect(scalingsIn(world)).toEqual([]);
    if (namesOn(world, 1).length > 0) expect(left(world)).toMatch(reason);
  });

  it("is not made elsewhere where its volume can be at one node only", async () => {
    const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
    const { world } = aRoomWorld({ spec: { volumes } });
    world.cluster.addVolume({ volume: "pv-data", claim: "data" });
    world.terminate(1);
    await world.work(seconds(52));
    expect(scalingsIn(world)).toEqual([]);
    expect(left(world)).toMatch(/no room is made: its volume claim data is ReadWriteOnce/);
    expect(world.told("making-room")).toMatchObject([{ stage: "not tried", from: 1, to: 1 }]);
  });

  it("is not made elsewhere where several budgets select it", async () => {
    const { world } = aRoomWorld();
    world.cluster.addBudget({
      name: "again",
      selector: { matchLabels: { app: "web" } },
      minAvailable: 1,
    });
    world.pass(seconds(5));
    world.terminate(1);
    await world.work(seconds(52));
    expect(scalingsIn(world)).toEqual([]);
  });
});

describe("whoever says whether room is made", () => {
  const namespace = { resource: namespaces, name: "default" };
  const on = { [makeRoomAnnotation]: "on" };
  const off = { [makeRoomAnnotation]: "off" };

  it.each([
    { setting: "off", space: on, own: on, goes: false },
    { setting: "on", space: {}, own: {}, goes: true },
    { setting: "on", space: off, own: on, goes: false },
    { setting: "on", space: on, own: off, goes: false },
    { setting: "annotated", space: {}, own: {}, goes: false },
    { setting: "annotated", space: on, own: {}, goes: true },
    { setting: "annotated", space: {}, own: on, goes: true },
    { setting: "annotated", space: on, own: off, goes: false },
    { setting: "on", space: {}, own: { [makeRoomAnnotation]: "perhaps" }, goes: false },
  ])("lets a pod go or stay by %o", async ({ setting, space, own, goes }) => {
    const { world } = aRoomWorld({ settings: { DRAIN_MAKE_ROOM: setting } });
    annotate(world, namespace, space);
    annotate(world, deployment, own);
    world.terminate(1);
    await world.work(seconds(52));
    expect(namesOn(world, 1)).toEqual(goes ? [] : ["web-1"]);
    expect(scalingsIn(world).length > 0).toBe(goes);
  });
});

describe("a count that a drain has left raised", () => {
  /** A surge whose drain is called off: its message is gone, and its node open again. */
  async function abandoned(replicas = 1): Promise<VirtualWorld> {
    const { world } = aRoomWorld({
      annotations: { "hollow/ready-after": "100" },
      on: { 1: replicas },
    });
    world.terminate(1);
    await world.work(seconds(10));
    expect(countOf(world, "web")).toBe(replicas + 1);
    await callOff(world);
    return world;
  }

  /** Ends the process that drains the first node; its message is gone, and its node open again. */
  async function callOff(world: VirtualWorld): Promise<void> {
    world.faults = () => ({ kind: "death", moment: "before" });
    await world.workFor(seconds(10));
    world.aws.sqs.findQueue("notices").purge();
    world.faults = () => well;
    const by = { kind: "instance", value: instanceOf(1) } as const;
    world.aws.autoScaling.complete({ group, hook, by }, "CONTINUE");
    world.cluster.store.update({ resource: nodes, name: nodeOf(1) }, ({ metadata, ...node }) => ({
      ...node,
      metadata: { ...metadata, annotations: {} },
      spec: { ...node.spec, unschedulable: false },
    }));
  }

  it("is put back by the schedule's next message", async () => {
    const world = await abandoned();
    putBack(world);
    await world.workFor(seconds(60));
    expect(world.told("fault")).toEqual([]);
    expect(countOf(world, "web")).toBe(1);
    expect(leftUp(world)).toEqual([]);
    expect(world.told("notice-done")).toMatchObject([{ outcome: { kind: "put-back" } }]);
    expect(stagesIn(world)).toEqual(["surged 1 2", "put back 2 1"]);
  });

  it("is put back by the end of the surge's own pod, though a ReplicaSet would end one that shares its node with another, and is protected", async () => {
    const { world } = aRoomWorld({ on: { 1: 1, 2: 2 }, rule: { maxUnavailable: 0 } });
    setSpec(world, { minReadySeconds: 60 });
    for (const name of ["web-2", "web-3"]) {
      const ref = { resource: pods, namespace: "default", name };
      annotate(world, ref, { "karpenter.sh/do-not-disrupt": "true" });
    }
    world.pass(minutes(2));
    world.terminate(1);
    await world.workFor(seconds(30));
    expect([countOf(world, "web"), namesOn(world, 3).length]).toEqual([4, 1]);
    await callOff(world);
    putBack(world);
    await world.workFor(seconds(30));
    expect([countOf(world, "web"), namesOn(world, 1), namesOn(world, 2)]).toEqual([
      3,
      ["web-1"],
      ["web-2", "web-3"],
    ]);
  });

  it.each([
    ["", () => well, 3],
    [", unless nobody can write a pod", failing(/^patch pods/, { status: 403 }), 2],
    [", unless no write of a pod has an answer", failing(/^patch pods/, "hang"), 2],
    [
      ", unless nobody can write a pod, and lists are slow",
      (request: FunctionRequest) =>
        [
          failing(/^patch pods/, { status: 403 })(request),
          failing(/^list/, { slow: milliseconds(4800) })(request),
        ].find(({ kind }) => kind !== "well") ?? well,
      2,
    ],
    [", also by slow answers", failing(/^patch pods/, { slow: seconds(2) }), 3],
    [", also by the third write", failing(/^patch pods/, { status: 409 }, 2), 3],
  ])(
    "is put back by the end of the surge's own pod long after the node has gone, too, and not of a protected one%s",
    async (_, faults, left) => {
      const { world } = aRoomWorld({
        on: { 1: 1, 2: 3 },
        rule: { maxUnavailable: 0 },
        settings: { DRAIN_TIMEOUT_SECONDS: "120" },
        annotations: { "hollow/ready-after": "30" },
      });
      for (const name of ["web-2", "web-3", "web-4"]) {
        const ref = { resource: pods, namespace: "default", name };
        annotate(world, ref, { "karpenter.sh/do-not-disrupt": "true" });
      }
      world.terminate(1);
      await world.workFor(seconds(10));
      expect(countOf(world, "web")).toBe(5);
      await callOff(world);
      world.cluster.store.remove({ resource: nodes, name: nodeOf(1) });
      world.pass(minutes(50));
      world.faults = faults;
      putBack(world);
      await world.workFor(minutes(1));
      expect([countOf(world, "web"), leftUp(world)]).toEqual([4, []]);
      expect(namesOn(world, 2)).toHaveLength(left);
    },
  );

  it("is put back by the end of the surge's own pod though that becomes ready in that moment", async () => {
    const { world } = aRoomWorld({
      on: { 1: 1, 2: 2 },
      rule: { maxUnavailable: 0 },
      annotations: { "hollow/ready-after": "300" },
    });
    world.pass(minutes(9));
    world.terminate(1);
    await world.workFor(seconds(30));
    expect([countOf(world, "web"), namesOn(world, 3).length]).toEqual([4, 1]);
    await callOff(world);
    world.faults = ({ what }) => {
      if (what.startsWith("patch deployments")) setReady(world, namesOn(world, 3), "True");
      return well;
    };
    putBack(world);
    await world.workFor(seconds(30));
    expect([1, 2, 3].map((node) => namesOn(world, node).length)).toEqual([1, 2, 0]);
  });

  it.each([
    ["its protected pod is ready", /^default\/web-2, which is protected, is ready$/],
    [
      "somebody no longer refuses its pod's cost",
      /^its pods have their deletion costs: default\/web-\S+$/,
    ],
  ])("is named by the schedule as long as it stays up until %s", async (_, waitsFor) => {
    const { world } = aRoomWorld({ on: { 1: 1, 2: 2 }, rule: { maxUnavailable: 0 } });
    const isProtected = waitsFor.source.includes("protected");
    const ref = { resource: pods, namespace: "default", name: "web-2" };
    annotate(world, ref, { "karpenter.sh/do-not-disrupt": "true" });
    setSpec(world, { minReadySeconds: 60 });
    world.pass(minutes(2));
    world.terminate(1);
    await world.workFor(seconds(30));
    await callOff(world);
    if (isProtected) setReady(world, ["web-2"], "False");
    else world.faults = failing(/^patch pods/, { status: 409 });
    const about = "default/deployment/web";
    const why = expect.stringMatching(
      new RegExp(`^its count has to go back, and waits until ${waitsFor.source.slice(1)}`),
    );
    expect(await putBackNext(world)).toEqual({ kind: "put-back", skipped: [{ about, why }] });
    expect(countOf(world, "web")).toBe(4);
    world.faults = () => well;
    setReady(world, ["web-2"], "True");
    expect(await putBackNext(world)).toEqual({ kind: "put-back" });
    expect([1, 2, 3].map((node) => namesOn(world, node).length)).toEqual([1, 2, 0]);
  });

  it.each([
    [
      "lists are slow",
      failing(/^list (pods|nodes)/, { slow: milliseconds(3500) }),
      "the API server answers in time",
    ],
    [
      "others write it each time",
      failing(/^patch deployments/, { status: 409 }),
      "nobody else writes it at the same time",
    ],
  ])(
    "is named by the schedule as long as it stays up under an autoscaler, as where %s",
    async (_, faults, why) => {
      const { world } = aRoomWorld({ on: { 1: 1, 2: 2 }, rule: { maxUnavailable: 0 } });
      world.cluster.store.create(autoscalers, {
        metadata: { namespace: "default", name: "web" },
        spec: {
          scaleTargetRef: { kind: "Deployment", name: "web" },
          minReplicas: 3,
          maxReplicas: 8,
        },
      });
      setSpec(world, { minReadySeconds: 60 });
      world.pass(minutes(2));
      world.terminate(1);
      await world.workFor(seconds(40));
      expect(countOf(world, "web")).toBe(4);
      await callOff(world);
      world.faults = faults;
      const note = {
        about: "default/deployment/web",
        why: `its count has to go back, and waits until ${why}`,
      };
      expect(await putBackNext(world)).toEqual({ kind: "put-back", skipped: [note] });
      expect(countOf(world, "web")).toBe(4);
      world.faults = () => well;
      expect(await putBackNext(world)).toEqual({ kind: "put-back" });
      expect([countOf(world, "web"), leftUp(world)]).toEqual([3, []]);
    },
  );

  it("is put back by the schedule though its owner has lowered the most pods that a rollout may make more", async () => {
    const { world } = aRoomWorld({
      annotations: { "hollow/ready-after": "100" },
      on: { 1: 5 },
      rule: { maxUnavailable: 0 },
    });
    world.terminate(1);
    await world.workFor(seconds(10));
    expect(countOf(world, "web")).toBe(7);
    setSpec(world, { strategy: { type: "Recreate" } });
    await callOff(world);
    putBack(world);
    await world.workFor(seconds(60));
    expect([countOf(world, "web"), leftUp(world)]).toEqual([5, []]);
    expect(stagesIn(world)).toEqual(["surged 5 7", "put back 7 5"]);
  });

  it("stays where `kubectl rollout undo` takes its record after a crash, and the next drain says so before it surges", async () => {
    const { world } = aRoomWorld({ on: { 1: 1, 2: 1 }, rule: { maxUnavailable: 0 } });
    takeRecord(world);
    world.pass(minutes(2));
    world.terminate(1);
    await world.workFor(minutes(3));
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(stagesIn(world)).toEqual(["given up 2 2", "surged 2 3", "made 3 2"]);
  });

  it("is reported as lost once, and holds no drain, where an operator takes each note and brings the label back", async () => {
    const { world } = aRoomWorld({ on: { 1: 1, 2: 1 }, rule: { maxUnavailable: 0 } });
    const { labels } = takeRecord(world);
    world.cluster.store.subscribe(({ resource, after }) => {
      if (resource === deployments && after?.metadata.labels?.[recordLabel] === undefined)
        world.in(milliseconds(500), () => setLabels(world, labels, () => ({})));
    });
    world.pass(minutes(2));
    world.terminate(1);
    await world.work(minutes(5));
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(stagesIn(world).slice(0, 2)).toEqual(["given up 2 2", "surged 2 3"]);
    expect(stagesIn(world).filter((stage) => stage.startsWith("given up"))).toHaveLength(1);
  });

  it("is put back at an autoscaler whose Deployment has no record of it any more", async () => {
    const { world } = aRoomWorld();
    const now = world.timeline.now();
    const up = { phase: "up", was: 1, is: 2, since: now, until: now, why: "node a" } as const;
    const annotations = { [recordAnnotation]: recordText(up) };
    world.cluster.store.create(autoscalers, {
      metadata: { ...web, annotations, labels: { [recordLabel]: labelOf(recordText(up)) } },
      spec: { scaleTargetRef: { kind: "Deployment", name: "web" }, minReplicas: 2, maxReplicas: 3 },
    });
    putBack(world);
    await world.workFor(seconds(60));
    const [scaler] = world.cluster.store.list(autoscalers);
    expect(scaler?.spec.minReplicas).toBe(1);
    expect(leftUp(world)).toEqual([]);
  });

  /** Takes the record of a surge, and leaves its label. */
  function takeRecord(world: VirtualWorld) {
    const now = world.timeline.now();
    const up = { phase: "up", was: 1, is: 2, since: now, until: now, why: "node a" } as const;
    const text = recordText(up);
    const labels = { [recordLabel]: labelOf(text) };
    world.cluster.store.update(deployment, ({ metadata, spec, ...rest }) => ({
      ...rest,
      spec: { ...spec, replicas: 2 },
      metadata: { ...metadata, labels },
    }));
    return { text, labels };
  }

  it("stays once its record is gone, and the schedule takes the label, says so once, and puts no count back if somebody brings the record back", async () => {
    const { world } = aRoomWorld();
    const { text } = takeRecord(world);
    for (const _ of ["first", "second"]) {
      putBack(world);
      await world.workFor(minutes(1));
    }
    annotate(world, deployment, { [recordAnnotation]: text });
    putBack(world);
    await world.workFor(minutes(1));
    const { metadata } = world.cluster.store.get(deployment);
    expect([metadata.labels ?? {}, countOf(world, "web")]).toEqual([{}, 2]);
    expect(stagesIn(world)).toEqual(["given up 2 2"]);
  });

  it("has gone back for good, and no loss is told, though its label comes back after each look, as from a repository", async () => {
    const { world } = aRoomWorld({ nodes: 4, on: { 1: 1, 2: 1 }, rule: { minAvailable: 2 } });
    let labels = {};
    world.cluster.store.subscribe(({ resource, after }) => {
      const label = after?.metadata.labels?.[recordLabel];
      if (resource === deployments && label !== undefined) labels = { [recordLabel]: label };
    });
    world.terminate(1);
    await world.work();
    for (const _ of ["first", "second", "third"]) {
      setLabels(world, labels);
      putBack(world);
      await world.workFor(minutes(15));
    }
    const { metadata } = world.cluster.store.get(deployment);
    expect([metadata.labels ?? {}, countOf(world, "web")]).toEqual([{}, 2]);
    expect(tryRecord(metadata.annotations ?? {})?.phase).toBe("none");
    expect(stagesIn(world)).toEqual(["surged 2 3", "made 3 2"]);
  });

  it("stays, and that is told once, though its label comes back after each look, as from a repository", async () => {
    const { world } = aRoomWorld();
    const { labels } = takeRecord(world);
    const notes = new Set<string>();
    for (const _ of ["first", "second", "third"]) {
      putBack(world);
      await world.workFor(minutes(15));
      const { metadata } = world.cluster.store.get(deployment);
      expect(metadata.labels ?? {}).toEqual({});
      notes.add(metadata.annotations?.[recordAnnotation] ?? "");
      setLabels(world, labels);
    }
    expect([notes.size, stagesIn(world)]).toEqual([1, ["given up 2 2"]]);
  });

  it("stays where somebody brings its record back to its label before the schedule looks", async () => {
    const { world } = aRoomWorld();
    const { text } = takeRecord(world);
    annotate(world, deployment, { [recordAnnotation]: text });
    putBack(world);
    await world.workFor(minutes(1));
    const { metadata } = world.cluster.store.get(deployment);
    expect([metadata.labels ?? {}, countOf(world, "web")]).toEqual([{}, 2]);
    expect(tryRecord(metadata.annotations ?? {})?.phase).toBe("lost");
  });

  it("loses the label of a record that is gone before its autoscaler goes back, and says so once", async () => {
    const { world } = aRoomWorld();
    const { text, labels } = takeRecord(world);
    world.cluster.store.create(autoscalers, {
      metadata: { ...web, annotations: { [recordAnnotation]: text }, labels },
      spec: { scaleTargetRef: { kind: "Deployment", name: "web" }, minReplicas: 2, maxReplicas: 3 },
    });
    putBack(world);
    await world.workFor(seconds(60));
    const { metadata } = world.cluster.store.get(deployment);
    const [scaler] = world.cluster.store.list(autoscalers);
    expect([metadata.labels ?? {}, scaler?.spec.minReplicas, leftUp(world)]).toEqual([{}, 1, []]);
    expect(tryRecord(metadata.annotations ?? {})?.phase).toBe("lost");
    expect(stagesIn(world)).toEqual(["given up 2 2"]);
  });

  it("is put back by the schedule alone: the drain of another node looks for it nowhere", async () => {
    const world = await abandoned();
    const before = world.cluster.audit.length;
    world.terminate(3);
    await world.workFor(seconds(60));
    expect(countOf(world, "web")).toBe(2);
    const reads = world.cluster.audit
      .slice(before)
      .map(({ verb, objectRef }) => `${verb} ${objectRef?.resource}`);
    expect(reads).toContain("list pods");
    for (const kind of ["deployments", "replicasets", "horizontalpodautoscalers"])
      expect(reads).not.toContain(`list ${kind}`);
    putBack(world);
    await world.workFor(seconds(10));
    expect([countOf(world, "web"), leftUp(world)]).toEqual([1, []]);
  });

  const lie = recordText({ phase: "up", was: 1, is: 2, since: noon, until: noon, why: "x" });
  const labels = { [recordLabel]: labelOf(lie) };
  const template = { metadata: {}, spec: { containers: [{ name: "main" }] } };
  const inTenant = (name: string, text = lie) => ({
    namespace: "tenant",
    name,
    labels,
    annotations: { [recordAnnotation]: text },
  });
  const scalerOf = (name: string, target: string) => ({
    metadata: inTenant(name),
    spec: { scaleTargetRef: { kind: "Deployment", name: target }, minReplicas: 2, maxReplicas: 3 },
  });

  it.each([
    ["no object can have", ["..", "."], /no object can have the name "\.\.?"/],
    [
      "has 70,000 letters",
      ["x".repeat(70_000)],
      /no object can have the name "x+"… \(70000 characters\)/,
    ],
  ])(
    "is put back beside autoscalers of others whose target's name %s, and the outcome says what is skipped",
    async (_, targets, why) => {
      const world = await abandoned();
      for (const [index, target] of targets.entries())
        world.cluster.store.create(autoscalers, scalerOf(`bad-${index}`, target));
      putBack(world);
      await world.workFor(seconds(60));
      expect([countOf(world, "web"), world.told("fault")]).toEqual([1, []]);
      const outcome = {
        kind: "put-back",
        skipped: targets.map(() => ({
          about: expect.stringMatching(/^HorizontalPodAutoscaler tenant\/bad-\d$/),
          why: expect.stringMatching(why),
        })),
      };
      expect(world.told("notice-done").at(-1)).toMatchObject({ outcome });
      expect(JSON.stringify(world.told("notice-done").at(-1)).length).toBeLessThan(1000);
    },
  );

  it("is put back beside a namespace with more labelled objects than anybody looks at, whose autoscalers are listed once", async () => {
    const world = await abandoned();
    for (let index = 0; index < 60; index += 1) {
      const name = `many-${index}`;
      world.cluster.store.create(deployments, {
        metadata: inTenant(name, "hello"),
        spec: { replicas: 2, selector: { matchLabels: { app: name } }, template },
      });
      world.cluster.store.create(autoscalers, scalerOf(`of-${index}`, name));
    }
    const before = world.cluster.audit.length;
    putBack(world);
    await world.workFor(seconds(1));
    expect(countOf(world, "web")).toBe(1);
    const skipped = ["deployments", "horizontalpodautoscalers"].map((kind) => ({
      about: "namespace tenant",
      why: expect.stringContaining(`more than 50 ${kind}`),
    }));
    expect(world.told("notice-done").at(-1)).toMatchObject({ outcome: { skipped } });
    const lists = world.cluster.audit
      .slice(before)
      .filter(
        ({ verb, requestURI }) =>
          verb === "list" && /\/tenant\/horizontal(?!.*fieldSelector).*limit=/.test(requestURI),
      );
    expect(lists).toHaveLength(3);
  });

  it("is put back beside records that are all about one Deployment, which is read once with what its autoscalers name", async () => {
    const world = await abandoned();
    const owner = {
      apiVersion: "keda.sh/v1alpha1",
      kind: "ScaledObject",
      name: "parent",
      uid: "1",
    };
    world.cluster.store.create(deployments, {
      metadata: { namespace: "tenant", name: "one" },
      spec: { replicas: 2, selector: { matchLabels: { app: "one" } }, template },
    });
    for (let index = 0; index < 40; index += 1) {
      const { metadata, spec } = scalerOf(`of-${index}`, "one");
      const ownerReferences = [{ ...owner, controller: true }];
      world.cluster.store.create(autoscalers, { metadata: { ...metadata, ownerReferences }, spec });
    }
    const before = world.requests.length;
    putBack(world);
    await world.workFor(seconds(1));
    expect(countOf(world, "web")).toBe(1);
    const asked = world.requests.slice(before).map(({ what }) => what);
    expect(asked.filter((what) => /^get scaledobjects/.test(what)).length).toBeLessThan(10);
    expect(asked.length).toBeLessThan(50);
  });

  it("stays while its node is drained", async () => {
    const { world } = aRoomWorld({ annotations: { "hollow/ready-after": "100" } });
    world.terminate(1);
    await world.work(seconds(10));
    putBack(world);
    await world.workFor(seconds(10));
    expect(countOf(world, "web")).toBe(2);
  });
});
