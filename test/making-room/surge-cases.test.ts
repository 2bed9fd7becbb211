import { describe, expect, test } from "vitest";
import { type NodeName, nodeName } from "../../lambda/base/ids.ts";
import {
  hours,
  type Instant,
  later,
  milliseconds,
  minutes,
  never,
  seconds,
} from "../../lambda/base/time.ts";
import type { Budget } from "../../lambda/drain/budget.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import { nextRoomStep } from "../../lambda/making-room/next-room-step.ts";
import {
  changesBy,
  costAnnotation,
  labelOf,
  lowestCost,
  type RoomRecord,
  recordAnnotation,
  recordText,
  unneededCost,
} from "../../lambda/making-room/record.ts";
import { isJustChanged } from "../../lambda/making-room/recount.ts";
import { makeRoomAnnotation } from "../../lambda/making-room/room-refusal.ts";
import {
  type DrainMark,
  type RoomScene,
  surgedBefore,
} from "../../lambda/making-room/room-scene.ts";
import type { Replica, Workload } from "../../lambda/making-room/workload.ts";
import {
  aBudget,
  ago,
  ahead,
  aPod,
  drained,
  endingBy,
  noon,
  someSettings,
} from "../support/builders.ts";
import { aScaler } from "./a-workload.ts";

const web: Workload = {
  kind: "Deployment",
  namespace: "demo",
  name: "web",
  uid: "uid",
  resourceVersion: "1",
  annotations: {},
  managers: [],
  isLabelled: false,
  isDeclared: false,
  changes: [],
  selector: "",
  labels: {},
  replicas: 2,
  maxSurge: 1,
  strategy: "RollingUpdate",
  minReady: seconds(0),
  cost: "",
  pinnedTo: "",
  state: "settled",
  claims: [],
  scalers: [],
};

const aReplica = (change: Partial<Pod> = {}): Replica => ({
  pod: aPod(change),
  requests: {},
  demands: [],
  apart: [],
  unplaced: "",
  readySince: ago(minutes(1)),
});
const leaving = (name: string, cost = ""): Replica =>
  aReplica({ name, ...(cost !== "" && { annotations: { [costAnnotation]: cost } }) });
const staying = (name: string, annotations: Pod["annotations"] = {}): Replica =>
  aReplica({ name, annotations, node: nodeName("elsewhere") });

/** A pod that a surge of a minute ago has made. */
const newcomer = (name: string, change: Partial<Pod> = {}): Replica =>
  aReplica({ name, node: nodeName("new"), created: ago(seconds(50)), ...change });
const unneeded = { annotations: { [costAnnotation]: unneededCost } };
const ends = (...names: readonly string[]) => cheapens(unneededCost, ...names);
const lets = (...names: readonly string[]) => cheapens(lowestCost, ...names);
const cheapens = (cost: string, ...names: readonly string[]) => ({
  kind: "cheapen",
  pods: names.map((name) => ({ cost, pod: { name } })),
});
const letsAndEnds = (displaced: readonly string[], unneeded: readonly string[]) => ({
  kind: "cheapen",
  pods: [...lets(...displaced).pods, ...ends(...unneeded).pods],
});

/** The drained node, and another one with its own mark. */
const alsoDraining = (node: NodeName, at: Instant, deadline = never) =>
  new Map([
    [drained, { at: ago(minutes(5)), deadline: never }],
    [node, { at, deadline }],
  ]);

/** The next step for a Deployment with a pod on the drained node and one elsewhere. */
const stepOf = (change: Partial<RoomScene> = {}, workload: Partial<Workload> = {}) =>
  nextRoomStep({
    workload: { ...web, ...workload },
    replicas: [leaving("web-1"), staying("web-2")],
    draining: new Map([[drained, { at: ago(minutes(5)), deadline: never }]]),
    need: { node: drained, budgets: [], all: [], until: ahead(minutes(10)) },
    settings: someSettings({ makeRoom: "on" }),
    namespace: {},
    now: noon,
    tries: 0,
    ...change,
  });

/** The end of a command whose drain leaves its pod. */
const due = {
  need: "none" as const,
  draining: new Map<NodeName, DrainMark>([
    [drained, { at: ago(minutes(5)), deadline: never, isOver: true }],
  ]),
};

/** The times of a surge whose half hour has been over for so many seconds. */
const overFor = (length: number) => ({
  since: ago(seconds(1800 + length)),
  until: ago(seconds(length)),
});

/** A workload that has been surged. */
const surged = (change: Partial<RoomRecord>): Partial<Workload> => {
  const times = { since: ago(minutes(1)), until: ahead(minutes(5)) };
  const record = { phase: "up", was: 2, is: 3, why: "node a", ...times, ...change } as const;
  const annotations = { [recordAnnotation]: recordText(record) };
  return { replicas: record.is, maxSurge: record.is - record.was, annotations };
};

describe("a workload is surged", () => {
  test.each([
    ["0", "surge"],
    ["100", "surge"],
    ["-1", "surge"],
    ["-2147483647", "refused"],
    ["-2147483648", "refused"],
    ["cheap", "surge"],
  ])("unless a pod that stays would end before it, by its cost %j: %s", (cost, kind) => {
    const replicas = [leaving("web-1"), staying("web-2", { [costAnnotation]: cost })];
    expect(stepOf({ replicas }).kind).toBe(kind);
    expect(stepOf({}, { cost }).kind).toBe(kind);
  });

  test("also beside a pod that has kept the cost of an earlier surge, but not if all have it by their template", () => {
    const replicas = [leaving("web-1"), staying("web-2", { [costAnnotation]: unneededCost })];
    expect(stepOf({ replicas }).kind).toBe("surge");
    expect(stepOf({}, { cost: unneededCost }).kind).toBe("refused");
  });

  test.each([
    [9, { kind: "refused", why: "there is no time left to wait for another pod" }],
    [10, { kind: "surge", record: { is: 3, until: ahead(seconds(10)) } }],
  ])("while its drain has ten seconds left: with %i it is %o", (left, step) => {
    const need = {
      node: drained,
      budgets: [],
      all: [],
      until: ahead(seconds(left)),
    };
    expect(stepOf({ need })).toMatchObject(step);
  });
});

describe("a surge", () => {
  test.each([
    [119, { kind: "awaited" }],
    [120, { kind: "write", record: { phase: "none" }, change: { stage: "given up" } }],
  ])("whose pod nobody has made for %i seconds is %o", (length, step) => {
    expect(stepOf({}, surged({ since: ago(seconds(length)) }))).toMatchObject(step);
  });

  test.each([
    [
      "web-1, which is displaced, and ends also if it becomes ready in that moment",
      "web-1",
      true,
      lets("web-1"),
    ],
    ["web-2, which stays", "web-2", true, { kind: "awaited" }],
    ["web-1 as well as its new pod", "web-1", false, { kind: "awaited" }],
  ])(
    "waits for the pods that stay and the new ones, and for no old one that has failed meanwhile: all are ready but %s",
    (_, name, isNewReady, step) => {
      const replicas = [
        leaving("web-1"),
        staying("web-2"),
        aReplica({ name: "web-3", node: nodeName("elsewhere"), created: noon, ready: isNewReady }),
      ].map((one) => ({
        ...one,
        pod: { ...one.pod, ready: one.pod.ready && one.pod.name !== name },
      }));
      expect(stepOf({ replicas }, surged({}))).toMatchObject(step);
    },
  );

  test("waits for a new pod whose node is drained meanwhile, though that was created in the second of its surge", () => {
    const node = nodeName("later");
    const late = aReplica({ name: "web-3", created: ago(minutes(1)), node, ready: false });
    const replicas = [leaving("web-1"), staying("web-2"), late];
    const draining = alsoDraining(node, ago(seconds(30)));
    expect(stepOf({ replicas, draining }, surged({}))).toMatchObject({ kind: "awaited" });
  });

  test("lets the old pod go that serves, for one that has failed meanwhile ends before it anyway", () => {
    const failed = aReplica({ name: "web-1", ready: false });
    const replicas = [failed, leaving("web-2"), staying("web-3"), staying("web-4")];
    expect(stepOf({ replicas }, surged({ was: 2, is: 4 }))).toMatchObject(lets("web-2", "web-1"));
  });

  test("of which some pods have come up in time is used by as many as those, and may be tried again at once", () => {
    const late = surged({ was: 3, is: 5, until: noon });
    const usedWith = (first: string) =>
      stepOf(
        {
          ...due,
          replicas: [leaving("web-1", first), leaving("web-2"), staying("web-3"), staying("web-4")],
        },
        late,
      );
    expect(usedWith("")).toMatchObject(lets("web-1"));
    const change = { stage: "made", from: 5, to: 3, why: "node a" };
    expect(usedWith("-2147483647")).toMatchObject({
      kind: "write",
      count: 3,
      record: { phase: "none", since: noon, until: noon },
      change,
    });
  });

  test("whose new pod has come up on a drained node too is given up, for the next one would as well", () => {
    const back = newcomer("web-0", { node: drained, ...unneeded });
    const replicas = [back, leaving("web-1"), staying("web-2")];
    expect(stepOf({ replicas }, surged({}))).toMatchObject({
      kind: "write",
      count: 2,
      record: { phase: "none" },
      change: { stage: "given up", why: cameBack },
    });
  });

  test("whose new pod has come to a node despite its mark is given up before that pod is ready, as where a webhook names the node", () => {
    const back = aReplica({ name: "web-0", created: ago(seconds(1)), ready: false, ...unneeded });
    const record = surged({ since: ago(seconds(2)) });
    expect(stepOf({ replicas: [back, leaving("web-1"), staying("web-2")] }, record)).toMatchObject({
      kind: "write",
      count: 2,
      record: { phase: "none" },
      change: { stage: "given up", why: cameBack },
    });
  });

  test("whose new pod has come to a node despite its mark is given up though the drain has evicted that pod already", () => {
    const back = aReplica({
      name: "web-0",
      created: ago(seconds(1)),
      termination: endingBy(ahead(seconds(30)), ago(seconds(1))),
    });
    const record = surged({ since: ago(seconds(2)) });
    expect(stepOf({ replicas: [back, leaving("web-1"), staying("web-2")] }, record)).toMatchObject({
      record: { phase: "none" },
      change: { stage: "given up", why: cameBack },
    });
  });

  test("whose new pod is on a node that is drained later is used, for the next one comes up elsewhere", () => {
    const node = nodeName("later");
    // It is not the first to go, whatever its name: the surge would have moved nothing.
    const late = aReplica({ name: "web-0", created: ago(seconds(60)), node });
    const replicas = [leaving("web-1"), staying("web-2"), late];
    const usedWith = (mark: Instant) =>
      stepOf({ replicas, draining: alsoDraining(node, mark) }, surged({}));
    const used = lets("web-1");
    expect(usedWith(ago(seconds(50)))).toMatchObject(used);
    // The scheduler did not see the mark yet.
    expect(usedWith(ago(seconds(61)))).toMatchObject(used);
    // Nobody knows when it was marked.
    expect(usedWith(never)).toMatchObject(used);
    expect(usedWith(ago(seconds(65)))).toMatchObject(ends("web-0"));
  });

  const withoutCost =
    "its count has to go back, and waits until its pods have their deletion costs: demo/web-1";
  test.each([
    [1199, 0, { ...lets("web-1"), mayFail: false }],
    [1199, 1, { kind: "awaited", why: withoutCost, isHindered: true }],
    [1200, 0, { ...lets("web-1"), mayFail: true }],
    [1200, 1, { kind: "write", count: 2, change: { stage: "given up" } }],
  ])(
    "whose old pod has kept no cost for %i seconds after its time, as where somebody takes that away each time, which this look has set %i times, is %o",
    (length, tries, step) => {
      const replicas = [leaving("web-1"), staying("web-2"), staying("web-3")];
      const late = surged(overFor(length));
      expect(stepOf({ replicas, tries }, late)).toMatchObject(step);
    },
  );

  test.each([
    ["-2147483647", 29, "awaited"],
    ["-2147483647", 30, "waits"],
    ["-2147483646", 29, "awaited"],
    ["", 1, "waits"],
  ])(
    "asks no pod to go beside one that the way back has just ended, which its budget may still count: with the cost %j and after %i seconds it %s",
    (cost, length, kind) => {
      const termination = endingBy(ahead(seconds(30)), ago(seconds(length)));
      const ended = leaving("web-0", cost);
      const gone = { ...ended, pod: { ...ended.pod, termination } };
      const under = { replicas: 1, state: "under way" } as const;
      expect(stepOf({ replicas: [gone, leaving("web-1")] }, under)).toMatchObject({ kind });
    },
  );

  test.each([
    [ago(seconds(29)), "awaited"],
    [ago(seconds(30)), "waits"],
    // Clocks differ.
    [ahead(seconds(29)), "awaited"],
    [ahead(minutes(5)), "waits"],
  ])(
    "asks no pod to go whose count has just gone back, for its budget may still count one that is about to end: changed at %i it %s",
    (since, kind) => {
      const workload = { changes: [since], state: "under way", replicas: 1 } as const;
      expect(stepOf({ replicas: [leaving("web-1")] }, workload)).toMatchObject({ kind });
    },
  );

  test.each([
    [ago(seconds(30)), false],
    [ago(seconds(29)), true],
    // Clocks differ.
    [ahead(seconds(29)), true],
    [ahead(seconds(30)), false],
  ])("that was changed at %i by any trace has just been changed: %s", (at, isChanged) => {
    expect(isJustChanged({ changes: [ago(minutes(9)), at] }, noon)).toBe(isChanged);
  });

  const february = "2026-02-31T10:00:00.000Z";

  test("leaves its time in its record and in its label, and ends with another", () => {
    const up = {
      phase: "up",
      was: 1,
      is: 2,
      since: noon,
      until: ahead(minutes(9)),
      why: "",
    } as const;
    const text = recordText(up);
    expect(changesBy(text, labelOf(text))).toEqual([noon, noon]);
    for (const other of ["", "up: 1 to 99 since", recordText({ ...up, is: 99 })])
      expect(changesBy(other, labelOf(text))).toEqual([noon]);
    const note = recordText({ ...up, phase: "none", is: 1, since: ahead(seconds(1)) });
    expect(changesBy(note, "")).toEqual([ahead(seconds(1))]);
  });

  test.each([
    [
      "a record of more pods than a surge has",
      recordText({ phase: "up", was: 1, is: 7, since: noon, until: noon, why: "" }),
      "",
    ],
    [
      "a record of the 31st of February",
      `up: 1 to 2 since ${february} until ${february} for x`,
      "",
    ],
    ["a record that cannot be read", "up: many", ""],
    ["a label of others", "", "recorded"],
  ])("is none by %s", (_, text, label) => {
    expect(changesBy(text, label)).toEqual([]);
  });

  test.each([
    ["on", "nothing"],
    ["off", "write"],
  ] as const)(
    "keeps its note of that until no room is made any more: where the setting is %s, it has %s to do",
    (makeRoom, kind) => {
      const since = ago(minutes(20));
      const settings = someSettings({ makeRoom });
      const note = { phase: "none", was: 1, is: 1, since, until: since, why: "" } as const;
      const annotations = { [recordAnnotation]: recordText(note) };
      const scene = { replicas: [leaving("web-1")], need: "none", settings } as const;
      const workload = { annotations, changes: [since], replicas: 1 };
      expect(stepOf(scene, workload)).toMatchObject({ kind });
    },
  );

  test("that has just gone back when a pass begins is awaited until that looks at it, however late", () => {
    expect(surgedBefore(web, ahead(minutes(1)))).toMatchObject({ kind: "awaited" });
  });

  test("of which one new pod has come up on a drained node too lets one pod fewer go", () => {
    const back = newcomer("web-3", { node: drained, ...unneeded });
    const others = [leaving("web-2"), staying("web-4")];
    const both = surged({ was: 2, is: 4 });
    const next = (first: string) =>
      stepOf({ replicas: [leaving("web-1", first), ...others, back] }, both);
    expect(next("")).toMatchObject(lets("web-1"));
    expect(next("-2147483647")).toMatchObject({
      kind: "write",
      count: 2,
      record: { phase: "none" },
    });
  });
});

describe("the end of a surge that is not used", () => {
  const late = surged({ until: noon });
  const old = [leaving("web-1"), staying("web-2")];
  /** Ready, but not for as long as its workload asks for. */
  const early = (name: string, change: Partial<Pod> = {}): Replica => ({
    ...newcomer(name, change),
    readySince: noon,
  });
  const slow = { minReady: seconds(60) };
  const unready = (name: string, annotations: Pod["annotations"] = {}): Replica => ({
    ...staying(name, annotations),
    pod: { ...staying(name, annotations).pod, ready: false },
  });
  const undone = { draining: new Map<never, never>() };

  test("ends its own ready pod, and none that shares its node with others, which a ReplicaSet would choose", () => {
    const next = (newPod: Replica) =>
      stepOf({ ...undone, replicas: [...old, newPod] }, { ...late, ...slow });
    expect(next(early("web-3"))).toMatchObject(ends("web-3"));
    expect(next(early("web-3", unneeded))).toMatchObject({ kind: "write", count: 2 });
  });

  test("waits for its own pod that does not count yet where the scheduler finds no node for another", () => {
    const pending = { ...newcomer("web-4", { ready: false }), unplaced: "no node" };
    const both = surged({ was: 2, is: 4, since: ago(minutes(2)) });
    const replicas = [...old, early("web-3"), pending];
    expect(stepOf({ replicas }, { ...both, ...slow })).toMatchObject({ kind: "awaited" });
    const counting = [...old, newcomer("web-3"), pending];
    expect(stepOf({ replicas: counting }, both)).toMatchObject(letsAndEnds(["web-1"], ["web-4"]));
  });

  const forcing = { node: drained, budgets: [], all: [], until: noon };
  const forcesNothing = { settings: someSettings({ makeRoom: "on", force: "never" }) };

  test.each([
    ["its own time is over", { until: noon }, { until: ahead(minutes(10)) }, {}],
    ["the drain is about to force the old one", {}, {}, {}],
    ["the drain of another node is about to force its pods", {}, { node: nodeName("other") }, {}],
    ["the drain forces nothing, and ends", {}, {}, forcesNothing],
  ])(
    "waits until its new pod counts, and keeps the old one so long, where %s",
    (_, times, need, change) => {
      const step = stepOf(
        { replicas: [...old, early("web-3")], need: { ...forcing, ...need }, ...change },
        { ...surged(times), ...slow },
      );
      expect(step).toMatchObject({ kind: "awaited" });
    },
  );

  test.each([
    ["ready", { ready: false }],
    ["available", {}],
  ])("names the pods that have to be %s yet", (what, change) => {
    const step = stepOf({ replicas: [...old, early("web-3", change)] }, { ...surged({}), ...slow });
    const why = `making room: deployment/web 2 → 3, waiting for demo/web-3 to be ${what}, 1 min`;
    expect(step).toMatchObject({ kind: "awaited", why });
  });

  test("is named to those who only put counts back, as long as a new pod does not count", () => {
    const replicas = [...old, early("web-3")];
    const workload = { ...surged(overFor(0)), ...slow };
    const why = "its count has to go back, and waits until its pods are available: demo/web-3";
    expect(stepOf({ replicas, need: "none" }, workload)).toMatchObject({ isHindered: true, why });
    expect(stepOf({ replicas }, workload)).not.toHaveProperty("isHindered");
  });

  const gone = nodeName("gone");
  const protectedThere = { annotations: { "karpenter.sh/do-not-disrupt": "true" } };

  test.each([
    [
      "protected",
      leaving("web-1"),
      aReplica({ name: "web-2", node: gone, ...protectedThere }),
      newcomer("web-3"),
    ],
    [
      "new, and the old one has its cost already",
      leaving("web-1", lowestCost),
      newcomer("web-2", { node: gone }),
      staying("web-3"),
    ],
    [
      "displaced, and the new one is not ready",
      leaving("web-1"),
      aReplica({ name: "web-2", node: gone }),
      newcomer("web-3", { ready: false }),
    ],
  ])(
    "waits as long as a pod looks ready on a node that is gone, twenty minutes after its time at the most: it is %s",
    (_, ...replicas) => {
      const draining = new Map<NodeName, DrainMark>(alsoDraining(drained, ago(minutes(5))));
      draining.set(gone, { at: never, deadline: never, isGone: true });
      const stepAfter = (length: number) =>
        stepOf({ replicas, need: "none", draining }, surged(overFor(length)));
      const why =
        "its count has to go back, and waits until Kubernetes removes its pods of nodes that are gone: demo/web-2";
      expect(stepAfter(0)).toMatchObject({ isHindered: true, why });
      expect(stepAfter(1199)).toMatchObject({ isHindered: true, why });
      expect(["cheapen", "write"]).toContain(stepAfter(1200).kind);
    },
  );

  test("is named to those who only put counts back, as long as its pods look ready on nodes that are gone", () => {
    const without = new Map<NodeName, DrainMark>([
      [drained, { at: never, deadline: never, isGone: true }],
    ]);
    const replicas = [...old, newcomer("web-3", { ready: false })];
    const step = stepOf({ replicas, need: "none", draining: without }, surged({}));
    expect(step).toMatchObject({
      isHindered: true,
      why: "its count has to go back, and waits until Kubernetes removes its pods of nodes that are gone: demo/web-1",
    });
    const other = nodeName("other");
    const both = new Map<NodeName, DrainMark>(alsoDraining(other, ago(minutes(5))));
    const known = { at: ago(minutes(5)), deadline: ahead(minutes(9)) };
    both.set(drained, { at: never, deadline: never, isGone: true });
    const some = [...replicas, aReplica({ name: "web-4", node: other })];
    const stepNow = () =>
      stepOf({ replicas: some, need: "none", draining: both }, surged({ was: 3, is: 4 }));
    expect(stepNow()).toMatchObject({ kind: "awaited" });
    expect(stepNow()).not.toHaveProperty("isHindered");
    both.set(other, known);
    expect(stepNow()).not.toHaveProperty("isHindered");
  });

  test("waits twenty minutes after its time for a new pod that is ready, and does not count each time", () => {
    const stepAfter = (length: number, change = {}) =>
      stepOf(
        {
          replicas: [...old, early("web-3", change)],
          need: { ...forcing, until: ahead(hours(40)) },
        },
        { ...surged(overFor(length)), ...slow },
      );
    expect([stepAfter(1199), stepAfter(1200)]).toMatchObject([{ kind: "awaited" }, ends("web-3")]);
    const change = { why: "the new pod was not available in time, ready for its minReadySeconds" };
    expect(stepAfter(1200, unneeded)).toMatchObject({ kind: "write", change });
  });

  describe("at the time of one drain beside another", () => {
    const other = nodeName("other");
    const theirs = aReplica({ name: "web-2", node: other });
    const both = { ...surged({ was: 2, is: 4, ...overFor(0) }), ...slow };
    const draining = alsoDraining(other, ago(minutes(5)));
    const stepWith = (...replicas: readonly Replica[]) =>
      stepOf({ replicas, draining, need: "none" }, both);
    /** A new pod that is ready, and counts in so many seconds. */
    const countsIn = (name: string, length: number): Replica => ({
      ...newcomer(name),
      readySince: ago(seconds(60 - length)),
    });
    const unknown = { at: ago(minutes(5)), deadline: never };
    const failed = { ...theirs, pod: { ...theirs.pod, ready: false } };
    const pending = { ...newcomer("web-4", { ready: false }), unplaced: "no node" };

    test.each([
      ["all are young", [theirs, countsIn("web-3", 1), countsIn("web-4", 1)]],
      ["one counts, the other one is young", [theirs, countsIn("web-3", 0), countsIn("web-4", 1)]],
      ["one is young, and finds no fellow", [theirs, countsIn("web-3", 1), pending]],
      ["the other old one serves no more", [failed, countsIn("web-3", 1), countsIn("web-4", 1)]],
    ])("waits for new pods that count later: %s", (_, replicas) => {
      expect(stepWith(leaving("web-1"), ...replicas)).toMatchObject({ kind: "awaited" });
    });

    test("goes on in the time of the other drain where the first one has forced its pod, whose replacement is not ready yet", () => {
      const time = { until: ahead(minutes(4)), node: other };
      const some = (counts: Replica) => ({
        replicas: [theirs, counts, newcomer("web-5", { ready: false })],
        draining: alsoDraining(other, ago(minutes(5)), ahead(minutes(4))),
      });
      const workload = { ...surged({ was: 2, is: 3, until: ago(seconds(5)) }), ...slow };
      const needs = [{ ...forcing, ...time }, "none"] as const;
      for (const need of needs)
        for (const length of [0, 1]) {
          const step = stepOf({ ...some(countsIn("web-4", length)), need }, workload);
          expect(step).toMatchObject({ kind: "awaited" });
          expect(step).not.toHaveProperty("isHindered");
        }
      const putBack = (isOver: boolean) =>
        stepOf(
          {
            ...some(countsIn("web-4", 1)),
            draining: new Map([[other, { ...unknown, isOver }]]),
            need: "none",
          },
          workload,
        );
      // A drain at a terminal has no known deadline.
      const drains = "these drains end (repeat together, or undo, those that do not go on): other";
      const why = "its count has to go back, and waits until";
      const named = { kind: "awaited", isHindered: true };
      expect(putBack(false)).toMatchObject({ ...named, why: `${why} ${drains}` });
      expect(putBack(true)).toMatchObject({
        ...named,
        why: `${why} its pods are available: demo/web-4`,
      });
    });

    test.each([
      ["not known", never],
      ["ahead", ahead(minutes(20))],
    ])(
      "is named by the command that has waited for it, where another drain may still do so whose deadline is %s",
      (_, deadline) => {
        const mark = { at: ago(minutes(5)), deadline };
        const byCommand = new Map<NodeName, DrainMark>([
          [drained, { at: ago(minutes(5)), deadline: never, isOver: true }],
          [other, mark],
        ]);
        const scene = { replicas: [leaving("web-1"), theirs], need: "none" } as const;
        const workload = surged({ was: 2, is: 4, until: ahead(minutes(4)) });
        const named = {
          isHindered: true,
          why: expect.stringMatching(/until these drains .*: other$/),
        };
        expect(stepOf({ ...scene, draining: byCommand }, workload)).toMatchObject(named);
        const ofOther = { ...scene, draining: new Map([[other, mark]]) };
        expect(stepOf({ ...ofOther, isLastLook: true }, workload)).toMatchObject(named);
        expect(stepOf(ofOther, workload)).not.toHaveProperty("isHindered");
      },
    );

    test("says first that pods are young, where as many are ready elsewhere, and not that drains have to end", () => {
      const replicas = [theirs, countsIn("web-4", 1), countsIn("web-5", 0)];
      const workload = { ...surged({ was: 2, is: 3, until: ago(seconds(1)) }), ...slow };
      const scene = { replicas, draining: new Map([[other, unknown]]), need: "none" } as const;
      expect(stepOf(scene, workload)).toMatchObject({
        isHindered: true,
        why: expect.stringMatching(/until its pods are available: demo\/web-4$/),
      });
      // The surge of a pod that serves no more does not wait for a staying one that is young.
      const young = { ...staying("web-6"), readySince: ago(seconds(9)) };
      const step = stepOf({ ...scene, replicas: [failed, young, countsIn("web-5", 0)] }, workload);
      expect(step).toMatchObject({ why: expect.stringMatching(/these drains end .*: other$/) });
    });

    test("waits for its pods' costs in the time of the other drain, however long that of the first is over", () => {
      const stepAfter = (length: number) => {
        const times = { since: ago(seconds(length)), until: ago(seconds(length - 60)) };
        const need = { ...forcing, until: ahead(hours(2)) };
        const replicas = [leaving("web-1"), countsIn("web-3", 0)];
        return stepOf(
          { replicas, need, tries: 1 },
          { ...surged({ was: 1, is: 2, ...times }), ...slow },
        );
      };
      expect(stepAfter(2999)).toMatchObject({ kind: "awaited", isHindered: true });
      expect(stepAfter(3000)).toMatchObject({ kind: "write", count: 1 });
    });

    test.each([
      ["no pod is left to move", [staying("web-1")], { need: "none" }],
      ["the drains of all of them are over", [leaving("web-1")], due],
    ] as const)("waits as long for its pods' costs where %s", (_, old, change) => {
      const stepAfter = (length: number) => {
        const times = { since: ago(seconds(length)), until: ago(seconds(length - 120)) };
        const replicas = [...old, countsIn("web-3", 0)];
        const workload = surged({ was: 1, is: 2, ...times });
        return stepOf({ ...change, replicas, tries: 3 }, workload);
      };
      expect(stepAfter(2999)).toMatchObject({ kind: "awaited", isHindered: true });
      expect(stepAfter(3000)).toMatchObject({ kind: "write", count: 1 });
    });

    test("waits for Kubernetes to remove a pod of a node that is gone where the drain of the other one is over", () => {
      const gone = { at: never, deadline: never, isGone: true } as const;
      const draining = new Map<NodeName, DrainMark>([...due.draining, [other, gone]]);
      const replicas = [leaving("web-1"), theirs, newcomer("web-3", { ready: false })];
      expect(stepOf({ ...due, draining, replicas }, surged({ was: 2, is: 3 }))).toMatchObject({
        isHindered: true,
        why: expect.stringMatching(/until Kubernetes removes .*: demo\/web-2$/),
      });
    });

    const two = { kind: "minAvailable", amount: 2 } as const;
    const one = { kind: "minAvailable", amount: 1 } as const;
    const all = { kind: "maxUnavailable", amount: 1 } as const;
    const half = { kind: "minAvailable", amount: "50%" } as const;
    const counting = aBudget({
      rule: one,
      currentHealthy: 2,
      disruptionsAllowed: 0,
    });
    /** The end of a surge from two pods to three, or whether it goes on, with a budget and a new pod. */
    const endUnder = (
      budget: Partial<Budget>,
      change: Partial<Pod>,
      old: Replica,
      record: Partial<RoomRecord> = {},
    ) => {
      const need = { ...forcing, until: ahead(hours(1)), budgets: [{ ...counting, ...budget }] };
      const made = { ...newcomer("web-3", { ready: false, ...unneeded, ...change }) };
      const replicas = [leaving("web-1"), old, { ...made, readySince: ago(seconds(9)) }];
      const step = stepOf({ replicas, need }, { ...surged(record), ...slow });
      return "change" in step && step.change !== "nothing" ? step.change.stage : step.kind;
    };

    test.each<[string, Partial<Budget>, Partial<Pod>, string]>([
      ["goes back where its budget would let the pod go", {}, {}, "put back"],
      ["waits where that lets none go", { rule: two }, {}, "awaited"],
      ["waits for a new pod that is young", { currentHealthy: 3 }, { ready: true }, "awaited"],
      ["waits where that still counts a pod that was ready", { currentHealthy: 3 }, {}, "awaited"],
      ["waits where that does not count all that are ready", { currentHealthy: 1 }, {}, "awaited"],
      ["waits where its status is about another rule", { observed: false }, {}, "awaited"],
      [
        "goes back where that has counted its new pod",
        { rule: all, expectedPods: 3 },
        {},
        "put back",
      ],
      ["waits where that expects pods of others", { rule: all, expectedPods: 4 }, {}, "awaited"],
      [
        "waits where that expects some share of others",
        { rule: half, expectedPods: 4 },
        {},
        "awaited",
      ],
      ["waits where nobody can count its pods", { meetable: "if-counted" }, {}, "awaited"],
    ])("%s", (_, budget, change, end) => {
      expect(endUnder(budget, change, staying("web-2"))).toBe(end);
    });

    test("waits for half a minute, for a budget may still tell the counts of before", () => {
      const endAfter = (length: number) =>
        endUnder({}, { created: noon }, staying("web-2"), { since: ago(seconds(length)) });
      expect([endAfter(29), endAfter(30)]).toEqual(["awaited", "put back"]);
    });

    test("waits where its budget would let one pod go of two that are to be moved", () => {
      expect(endUnder({}, {}, leaving("web-2"))).toBe("awaited");
      const none = { rule: { ...one, amount: 0 } };
      expect(endUnder(none, {}, leaving("web-2"))).toBe("put back");
      // Nobody waits for a new pod in the place of one that serves no more.
      const notReady = { ...leaving("web-2"), pod: { ...leaving("web-2").pod, ready: false } };
      expect(endUnder({ ...none, currentHealthy: 1 }, {}, notReady)).toBe("put back");
    });

    test("lets one pod go for the new one that counts where its budget would let the other one go", () => {
      const pending = newcomer("web-4", { ready: false });
      const replicas = [leaving("web-1"), leaving("web-2"), countsIn("web-3", 0), pending];
      const stepUnder = (rule: Budget["rule"]) => {
        const budgets = [{ ...counting, rule, currentHealthy: 3 }];
        const need = { ...forcing, until: ahead(hours(1)), budgets };
        return stepOf({ replicas, need }, surged({ was: 2, is: 4 }));
      };
      expect(stepUnder(one)).toMatchObject(letsAndEnds(["web-1"], ["web-4"]));
      expect(stepUnder(two)).toMatchObject({ kind: "awaited" });
    });

    test("is not given up in the moment in which a pod ends, and its controller has made no other one yet", () => {
      const endingFor = (length: number, end = ahead(hours(1))): Replica => {
        const termination = endingBy(end, ago(seconds(length)));
        return { ...theirs, pod: { ...theirs.pod, termination } };
      };
      const workload = { ...surged({ was: 2, is: 3, since: ago(minutes(3)) }), ...slow };
      const step = (...some: readonly Replica[]) =>
        stepOf({ replicas: [leaving("web-1"), countsIn("web-3", 0), ...some] }, workload);
      expect(step(endingFor(119))).toMatchObject({ kind: "awaited" });
      const given = { kind: "write", change: { stage: "given up" } };
      expect([step(), step(endingFor(120))]).toMatchObject([given, given]);
      // A ResourceQuota may count it until its grace is over.
      expect(step(endingFor(170, ahead(minutes(1))))).toMatchObject({ kind: "awaited" });
    });

    test("goes on at the time of a drain that forces its pod, or beside another one that waits, with new pods that are not ready", () => {
      const some = [newcomer("web-3", { ready: false }), newcomer("web-4", { ready: false })];
      const replicas = [leaving("web-1"), ...some];
      const alone = { ...surged({ was: 1, is: 3 }), ...slow };
      expect(stepOf({ replicas, need: forcing }, alone)).toMatchObject({ kind: "awaited" });
      expect(stepOf({ ...due, replicas }, alone)).toMatchObject(ends("web-3", "web-4"));
      const two = { ...surged({ was: 2, is: 4 }), ...slow };
      const both = new Map([...due.draining, [other, { at: ago(minutes(5)), deadline: never }]]);
      const beside = stepOf({ ...due, draining: both, replicas: [...replicas, theirs] }, two);
      expect(beside).toMatchObject({ kind: "awaited" });
    });

    test.each([
      ["none", noon],
      [forcing, ahead(minutes(10))],
    ] as const)(
      "leaves a note of ten minutes at its time only where a drain looks that may begin the next one: %o",
      (need, until) => {
        const replicas = [leaving("web-1"), newcomer("web-3", { ready: false, ...unneeded })];
        const workload = surged({ was: 1, is: 2, ...overFor(0) });
        const step = stepOf({ need, replicas }, workload);
        expect(step).toMatchObject({ kind: "write", count: 1, record: { phase: "none", until } });
      },
    );

    test("goes on where the pod in place of one that was forced comes back to the node, for another one is elsewhere", () => {
      const back = newcomer("web-5", { ready: false });
      const some = [theirs, countsIn("web-4", 1), { ...back, pod: { ...back.pod, node: drained } }];
      const step = stepOf({ replicas: some, draining }, { ...surged({ was: 2, is: 3 }), ...slow });
      expect(step).toMatchObject({ kind: "awaited" });
    });

    test("ends not early beside a pod that stays and is young, for another new one would end that counts", () => {
      const some = [theirs, countsIn("web-3", 0), countsIn("web-4", 0), countsIn("web-5", 0)];
      const young = { ...staying("web-0"), readySince: noon };
      const workload = { ...surged({ was: 3, is: 5 }), ...slow };
      const step = stepOf({ replicas: [young, ...some], draining }, workload);
      expect(step).toMatchObject({ kind: "awaited" });
    });

    test("ends early beside a new pod that is young, such as that in place of one that was forced, and with that", () => {
      const some = [theirs, countsIn("web-3", 0), countsIn("web-4", 0), countsIn("web-5", 60)];
      const workload = { ...surged({ was: 2, is: 4 }), ...slow };
      const step = stepOf({ replicas: some, draining }, workload);
      expect(step).toMatchObject(letsAndEnds(["web-2"], ["web-5"]));
    });

    test("is not named as long as its autoscaler has raised nothing", () => {
      const scalers = [{ ...aScaler, min: 2 }];
      const replicas = [leaving("web-1"), staying("web-2")];
      const workload = { ...surged({ was: 2, is: 3, until: ago(seconds(5)) }), scalers };
      const kindOf = (count: number) =>
        stepOf({ replicas, need: "none" }, { ...workload, replicas: count });
      expect(kindOf(2)).not.toHaveProperty("isHindered");
      expect(kindOf(3)).toHaveProperty("isHindered");
    });

    test.each([
      [1799, { isHindered: true }],
      [1800, { kind: "write" }],
    ])("waits for KEDA for half an hour from its begin: after %i s it is %o", (length, step) => {
      const scalers = [{ ...aScaler, min: 1, state: "behind" as const }];
      const times = { since: ago(seconds(length)), until: ago(seconds(60)) };
      const replicas = [staying("web-1", unneeded.annotations)];
      const workload = { ...surged({ was: 1, is: 2, ...times }), scalers };
      expect(stepOf({ ...undone, replicas }, workload)).toMatchObject(step);
    });

    test("ends of new pods that are not ready the youngest, as the one in place of a pod that was forced", () => {
      const first = newcomer("web-3", { ready: false, created: ago(seconds(50)) });
      const next = newcomer("web-4", { ready: false, created: ago(seconds(10)) });
      const workload = surged({ was: 1, is: 2 });
      for (const replicas of [
        [first, next],
        [next, first],
      ])
        expect(stepOf({ ...undone, replicas }, workload)).toMatchObject(ends("web-4"));
    });

    test("goes on until its autoscaler has raised the count as far as it is to go", () => {
      const scalers = [
        { ...aScaler, min: 4, annotations: surged({ was: 2, is: 4 }).annotations ?? {} },
      ];
      const replicas = [leaving("web-1"), staying("web-2"), newcomer("web-3")];
      const workload = { ...surged({ was: 2, is: 4 }), replicas: 3, scalers };
      expect(stepOf({ replicas }, workload)).toMatchObject({ kind: "awaited" });
    });

    test("lasts for half an hour at the most, whatever time the drain has", () => {
      const replicas = [leaving("web-1"), newcomer("web-3", { ready: false })];
      const stepAfter = (length: number) => {
        const since = ago(seconds(length));
        const need = { ...forcing, until: ahead(hours(40)) };
        return stepOf({ replicas, need }, surged({ was: 1, is: 2, since }));
      };
      expect(stepAfter(1799)).toMatchObject({ kind: "awaited" });
      expect(stepAfter(1800)).toMatchObject(ends("web-3"));
    });

    test("ends before that as soon as so many count elsewhere as before, though another new one is not ready", () => {
      const some = [leaving("web-1"), countsIn("web-3", 0), newcomer("web-4", { ready: false })];
      const step = stepOf({ replicas: some }, { ...surged({ was: 1, is: 3 }), ...slow });
      expect(step).toMatchObject(letsAndEnds(["web-1"], ["web-4"]));
    });

    test("lets one old pod go where one new one counts, and the other one is not ready", () => {
      const step = stepWith(leaving("web-1"), theirs, countsIn("web-3", 0), pending);
      expect(step).toMatchObject(letsAndEnds(["web-1"], ["web-4"]));
    });

    test("lets no more old pods go than count beyond those of before", () => {
      const some = [unready("web-0"), leaving("web-1"), theirs];
      const workload = { ...surged({ was: 3, is: 5, ...overFor(0) }), ...slow };
      const replicas = [...some, countsIn("web-3", 0), countsIn("web-4", 0)];
      const step = stepOf({ replicas, draining, need: "none" }, workload);
      expect(step).toMatchObject(letsAndEnds(["web-1"], ["web-3"]));
    });

    test("lets no more old pods go than new ones have come to other nodes", () => {
      const back = newcomer("web-3", { node: drained, created: ago(seconds(50)) });
      const step = stepWith(leaving("web-1"), theirs, back, countsIn("web-4", 0));
      expect(step).toMatchObject(letsAndEnds(["web-1"], ["web-3"]));
    });

    test("lets an old pod go, and no new one in its place that has come to a node with a mark and less time", () => {
      const back = newcomer("web-3", { node: other });
      const near = alsoDraining(other, ago(minutes(5)), ahead(minutes(2)));
      const replicas = [leaving("web-1"), back, newcomer("web-4")];
      const step = stepOf({ replicas, draining: near }, surged({ was: 1, is: 3 }));
      expect(step).toMatchObject(letsAndEnds(["web-1"], ["web-3"]));
    });

    test.each([
      ["the new one, whose drain has less time", ahead(minutes(2)), noon, "web-3"],
      ["the old one, whose drain has less time", ahead(minutes(30)), noon, "web-1"],
      [
        "the old one, whose drain goes on now",
        ahead(minutes(2)),
        later(noon, seconds(-1)),
        "web-1",
      ],
    ] as const)(
      "lets %s go where that counts, and its own node is drained by then",
      (_, deadline, until, name) => {
        const moved = newcomer("web-3", { node: other });
        const draining = alsoDraining(other, ago(seconds(10)), deadline);
        const need = { ...forcing, until: until === noon ? ahead(minutes(10)) : until };
        const replicas = [leaving("web-1"), moved];
        expect(stepOf({ replicas, draining, need }, surged({ was: 1, is: 2 }))).toMatchObject(
          lets(name),
        );
      },
    );

    test("lets a pod go first whose node is gone, though it is new and looks ready", () => {
      const moved = newcomer("web-3", { node: other });
      const draining = new Map<NodeName, DrainMark>(alsoDraining(other, never));
      draining.set(other, { at: never, deadline: never, isGone: true });
      const step = stepOf(
        { replicas: [leaving("web-1"), moved], draining },
        surged({ was: 1, is: 2 }),
      );
      expect(step).toMatchObject(lets("web-3"));
    });

    test("counts an old pod that is younger than the mark of its node, as one that has come back there", () => {
      const back = aReplica({ name: "web-2", created: ago(minutes(4)) });
      const replicas = [leaving("web-1"), back, newcomer("web-3")];
      expect(stepOf({ replicas }, surged({}))).toMatchObject(lets("web-1"));
    });
  });

  test.each([
    ["waits for another one that stays, and is young", staying("web-1"), { kind: "awaited" }],
    ["lets a displaced one go that is young itself", leaving("web-1"), lets("web-1")],
  ])("%s, where its new one counts", (_, old, step) => {
    const young = { ...old, readySince: noon };
    const other = old.pod.node === drained ? staying("web-2") : leaving("web-2");
    const replicas = [young, other, newcomer("web-3")];
    const workload = { ...surged({}), minReady: seconds(30) };
    expect(stepOf({ replicas, need: forcing }, workload)).toMatchObject(step);
  });

  test("waits for nothing where only a pod is young that is older than it", () => {
    const young = { ...staying("web-2"), readySince: noon };
    const workload = { ...surged({ since: ago(minutes(3)) }), ...slow };
    const stepAfter = (length: number) => {
      const created = ago(seconds(length));
      const pending = { ...newcomer("web-3", { ready: false, created }), unplaced: "no node" };
      return stepOf({ replicas: [leaving("web-1"), young, pending] }, workload);
    };
    // Such a pod may have come in place of one that a drain has forced.
    expect([stepAfter(120), stepAfter(119)]).toMatchObject([ends("web-3"), { kind: "awaited" }]);
  });

  test("raises no autoscaler after its time", () => {
    const scalers = [{ ...aScaler, min: 2 }];
    const record = { ...surged({ until: noon }), ...slow, replicas: 2, scalers };
    const kindBy = (change: Partial<RoomScene>) =>
      stepOf({ replicas: [...old, early("web-3")], ...change }, record).kind;
    expect([kindBy(due), kindBy({})]).toEqual(["awaited", "write"]);
  });

  test("lets the pod go first whose node is to be drained first, though another is older, unless that drain is over", () => {
    const other = nodeName("other");
    const older = aReplica({ name: "web-0", created: ago(minutes(90)) });
    const theirs = aReplica({ name: "web-1", node: other });
    const replicas = [older, theirs, staying("web-2"), newcomer("web-3")];
    const next = (deadline: Instant) => {
      const draining = alsoDraining(other, ago(minutes(5)), deadline);
      const need = { ...forcing, until: ahead(minutes(1)) };
      return stepOf({ replicas, draining, need }, surged({ was: 3, is: 4 }));
    };
    expect(next(ahead(seconds(89)))).toMatchObject(lets("web-1"));
    const later = [next(ahead(seconds(91))), next(noon), next(never)];
    expect(later).toMatchObject([lets("web-0"), lets("web-0"), lets("web-0")]);
  });

  test.each([
    ["new", newcomer("web-3", { ready: false })],
    ["displaced", leaving("web-3")],
  ])(
    "ends its %s pod that is not ready, and not another one that is not, for a moment",
    (kind, own) => {
      const mine = kind === "new" ? own : { ...own, pod: { ...own.pod, ready: false } };
      const next = (annotations: Pod["annotations"]) =>
        stepOf(
          {
            ...(kind === "new" ? undone : due),
            replicas: [
              staying("web-1"),
              unready("web-2"),
              { ...mine, pod: { ...mine.pod, annotations } },
            ],
          },
          late,
        );
      const cost = kind === "new" ? unneededCost : lowestCost;
      expect(next({})).toMatchObject({ ...cheapens(cost, "web-3"), mayFail: false });
      expect(next({ [costAnnotation]: cost })).toMatchObject({ kind: "write", count: 2 });
    },
  );

  test.each([
    ["protected", { "karpenter.sh/do-not-disrupt": "true" }, "awaited"],
    ["to be left alone", { "eks-node-lifecycle/drain": "skip" }, "awaited"],
    ["like others", {}, "write"],
  ])(
    "waits twenty minutes for a pod that is not ready and %s, which would end before a new one that is ready: %o, %s",
    (_, annotations, kind) => {
      const replicas = [
        staying("web-1"),
        unready("web-2", annotations),
        newcomer("web-3", unneeded),
      ];
      const kindAfter = (length: number) =>
        stepOf({ ...undone, replicas }, surged(overFor(length))).kind;
      expect([kindAfter(1199), kindAfter(1200)]).toEqual([kind, "write"]);
    },
  );

  test.each([
    [unneededCost, lowestCost],
    ["", unneededCost],
  ])(
    "ends its own pod, and not one that has kept the cost %j from an earlier surge: it gets %j",
    (kept, cost) => {
      const left = staying("web-2", { [costAnnotation]: kept });
      const replicas = [leaving("web-1"), left, newcomer("web-3")];
      expect(stepOf({ ...undone, replicas }, late)).toMatchObject(cheapens(cost, "web-3"));
      const marked = newcomer("web-3", { annotations: { [costAnnotation]: cost } });
      const again = stepOf({ ...undone, replicas: [leaving("web-1"), left, marked] }, late);
      expect(again).toMatchObject({ kind: "write", count: 2 });
    },
  );

  test.each([
    [2999, "cheapen"],
    [3000, "write"],
  ])(
    "takes a pod for its own that seems %i ms older, for clocks differ by a second, and the API server's has whole ones: %s",
    (older, kind) => {
      const since = ago(minutes(1));
      const replicas = [...old, newcomer("web-3", { created: later(since, milliseconds(-older)) })];
      expect(stepOf({ ...undone, replicas }, surged({ since, until: noon })).kind).toBe(kind);
    },
  );

  test("ends an old pod that is the cheapest of all, as where its drain is undone, and none of its own beside", () => {
    const left = staying("web-2", { [costAnnotation]: lowestCost });
    const replicas = [leaving("web-1"), left, newcomer("web-3")];
    expect(stepOf({ ...undone, replicas }, late)).toMatchObject({ kind: "write" });
  });

  test("ends its own ready pod also where nobody needs room any more", () => {
    const scene = { ...undone, replicas: [...old, newcomer("web-3")] };
    const none = { ...scene, need: "none" } as const;
    expect([stepOf(scene, late), stepOf(none, late)]).toMatchObject([ends("web-3"), ends("web-3")]);
  });

  test.each([
    ["it is to be left alone", { annotations: { "eks-node-lifecycle/drain": "skip" } }, {}],
    [
      "it is to end by itself",
      { annotations: { "eks-node-lifecycle/drain": "Wait-Completed" } },
      {},
    ],
    ["it is older than the surge", { created: ago(minutes(5)) }, {}],
    ["no room is made there any more", {}, { namespace: { [makeRoomAnnotation]: "off" } }],
  ])("writes to none of its pods where %s", (_, change, scene) => {
    const replicas = [...old, early("web-3", change)];
    const step = stepOf({ replicas, ...undone, ...scene }, { ...late, ...slow });
    expect(step).toMatchObject({ kind: "write" });
  });

  test("writes to none of its pods where somebody has set the count", () => {
    const replicas = [...old, early("web-3")];
    const step = stepOf({ replicas, ...undone }, { ...late, ...slow, replicas: 4 });
    expect(step).toMatchObject({ kind: "write", count: "as it is" });
  });

  test("writes to none of its pods where its autoscaler has not come so far, for the count stays as it is", () => {
    const both = surged({ was: 2, is: 4, until: noon });
    const scalers = [{ ...aScaler, min: 2 }];
    const replicas = [...old, early("web-3")];
    const step = stepOf({ replicas, ...undone }, { ...both, ...slow, replicas: 3, scalers });
    expect(step).toMatchObject({ kind: "write", count: "as it is" });
  });

  test.each([
    [2, noon],
    [3, ahead(minutes(10))],
  ])(
    "keeps a workload from the next one for ten minutes only if its autoscaler, now of %i pods at the least, keeps it higher",
    (min, until) => {
      const scalers = [{ ...aScaler, min }];
      const replicas = [leaving("web-1", lowestCost), staying("web-2"), newcomer("web-3")];
      const step = stepOf({ replicas }, { ...surged({}), scalers });
      expect(step).toMatchObject({ kind: "write", count: 2, record: { phase: "none", until } });
    },
  );

  test("raises no autoscaler whose own record is there already, as where its owner has put the least count back", () => {
    const { annotations = {} } = surged({ was: 1, is: 3 });
    const scalers = [{ ...aScaler, min: 1, annotations }];
    const step = stepOf({}, { ...surged({}), replicas: 2, scalers });
    expect(step).toMatchObject({ kind: "awaited" });
  });

  test("ends the pod that is ready last, and before that none that is protected, and first one on a node that is drained, beside the pod that it lets go", () => {
    const both = surged({ was: 2, is: 4 });
    const used = leaving("web-1", lowestCost);
    const ended = (...others: readonly Replica[]) =>
      stepOf({ replicas: [used, staying("web-2"), ...others] }, both);
    const last = early("web-4");
    expect(ended(newcomer("web-3"), last)).toMatchObject(ends("web-4"));
    const annotations = { "karpenter.sh/do-not-disrupt": "true" };
    expect(ended(newcomer("web-3"), early("web-4", { annotations }))).toMatchObject(ends("web-3"));
    expect(ended(last, newcomer("web-0", { node: drained }))).toMatchObject(ends("web-0"));
    expect(ended(newcomer("web-3"), early("web-4", unneeded))).toMatchObject({
      kind: "write",
      count: 2,
    });
  });

  test("waits twenty minutes where somebody takes the cost of its pod away each time, and then goes on", () => {
    const replicas = [...old, newcomer("web-3")];
    const stepAfter = (length: number, tries: number) =>
      stepOf({ replicas, tries, ...undone, need: "none" }, surged(overFor(length)));
    expect([stepAfter(1199, 2), stepAfter(1199, 3)]).toMatchObject([
      { ...ends("web-3"), mayFail: false },
      { kind: "awaited", isHindered: true },
    ]);
    expect([stepAfter(1200, 2), stepAfter(1200, 3)]).toMatchObject([
      { ...ends("web-3"), mayFail: true },
      { kind: "write", count: 2, change: { stage: "put back" } },
    ]);
  });

  test("makes its pod cheap also while that is not ready, for it may become so in that moment, and goes on without", () => {
    const replicas = [...old, newcomer("web-3", { ready: false })];
    const next = (tries: number) => stepOf({ replicas, tries, ...undone }, late);
    expect(next(0)).toMatchObject({ ...ends("web-3"), mayFail: true });
    expect(next(1)).toMatchObject({ kind: "write", count: 2 });
  });

  test("makes as many of its pods cheap as end, the ones that are not ready first, and the others beside a displaced one", () => {
    const replicas = [
      leaving("web-1"),
      leaving("web-2"),
      staying("web-3"),
      newcomer("web-4"),
      newcomer("web-5", { ready: false }),
      newcomer("web-6", { ready: false }),
    ];
    const step = stepOf({ ...due, replicas }, surged({ was: 3, is: 6, until: noon }));
    expect(step).toMatchObject(letsAndEnds(["web-1"], ["web-5", "web-6"]));
    const all = stepOf({ replicas, ...undone }, surged({ was: 3, is: 6, until: noon }));
    expect(all).toMatchObject(ends("web-5", "web-6", "web-4"));
  });

  test("lets no second pod go beside one that has its cost already, though that is younger", () => {
    const younger = aReplica({
      name: "web-2",
      created: ago(minutes(30)),
      annotations: { [costAnnotation]: lowestCost },
    });
    const replicas = [leaving("web-1"), younger, staying("web-3"), newcomer("web-4", unneeded)];
    const late = { ...surged({ was: 3, is: 4, until: noon }), replicas: 4 };
    expect(stepOf({ replicas }, late)).toMatchObject({ kind: "write", count: 3 });
  });

  test("ends its own pod that is not ready, and not a displaced one that is not ready for a moment", () => {
    const flapping = { ...leaving("web-1"), pod: { ...leaving("web-1").pod, ready: false } };
    const replicas = [flapping, staying("web-2"), newcomer("web-3", { ready: false })];
    expect(stepOf({ ...due, replicas }, late)).toMatchObject(ends("web-3"));
  });

  test("ends its pod on a node that is drained by then first, but not where something protects it there", () => {
    const other = nodeName("later");
    const draining = alsoDraining(other, ago(seconds(10)));
    const next = (annotations: Pod["annotations"]) => {
      const moved = newcomer("web-3", { node: other, annotations });
      const replicas = [leaving("web-1", lowestCost), staying("web-2"), moved, newcomer("web-4")];
      return stepOf({ replicas, draining }, surged({ was: 2, is: 4 }));
    };
    expect(next({})).toMatchObject(lets("web-3"));
    const annotations = { "karpenter.sh/do-not-disrupt": "true" };
    expect(next(annotations)).toMatchObject(ends("web-4"));
  });

  test("is as its record says, though its owner has lowered the most pods more since, and by five at the most", () => {
    const replicas = [...old, staying("web-3"), staying("web-4")];
    const record = surged({ was: 2, is: 4, until: noon });
    const step = stepOf({ ...undone, replicas, need: "none" }, { ...record, maxSurge: 1 });
    expect(step).toMatchObject({ kind: "write", count: 2 });
    const more = surged({ was: 2, is: 8, until: noon });
    expect(stepOf({ ...undone, replicas }, more)).toMatchObject({ kind: "refused" });
  });
});

const cameBack =
  "its new pods came up on nodes that are being drained, as where they tolerate every taint or get past the scheduler";
