import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nodeName } from "../../lambda/base/ids.ts";
import {
  earliest,
  hours,
  type Instant,
  later,
  latest,
  milliseconds,
  minutes,
  never,
  seconds,
} from "../../lambda/base/time.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import { nextRoomStep } from "../../lambda/making-room/next-room-step.ts";
import {
  costAnnotation,
  countsAt,
  lowestCost,
  ofObject,
  type RoomRecord,
  recordAnnotation,
  recordText,
  tryRecord,
  trySurge,
  unneededCost,
} from "../../lambda/making-room/record.ts";
import type { RoomScene } from "../../lambda/making-room/room-scene.ts";
import { type RoomWrite, surged } from "../../lambda/making-room/room-step.ts";
import type { Scaler, Workload } from "../../lambda/making-room/workload.ts";
import { ago, ahead, aPod, drained, noon, someSettings } from "../support/builders.ts";

const elsewhere = nodeName("elsewhere");

const anyRecord: fc.Arbitrary<RoomRecord> = fc
  .record({
    phase: fc.constantFrom("up", "none"),
    was: fc.integer({ min: 1, max: 6 }),
    more: fc.integer({ min: 1, max: 3 }),
    until: fc.integer({ min: -600_000, max: 600_000 }).map((by) => later(noon, milliseconds(by))),
    lasts: fc.nat(3_600_000),
    why: fc.constantFrom("node a under budget b/c", "0/3 nodes are available: Insufficient cpu."),
  })
  .map(({ more, lasts, until, ...record }) => ({
    ...record,
    until,
    is: record.was + more,
    since: earliest(noon, later(until, milliseconds(-lasts))),
  }));

const annotated = (record: RoomRecord | undefined) =>
  record === undefined ? {} : { [recordAnnotation]: recordText(record) };
const counting = {
  namespace: "demo",
  name: "web",
  uid: "uid",
  resourceVersion: "1",
  managers: [],
  isLabelled: false,
  isDeclared: false,
  changes: [],
};

const anyScaler: fc.Arbitrary<Scaler> = fc
  .record({
    min: fc.integer({ min: 1, max: 5 }),
    more: fc.nat(4),
    record: fc.option(anyRecord, { nil: undefined, freq: 2 }),
    kind: fc.constantFrom("HorizontalPodAutoscaler", "ScaledObject"),
    state: fc.constantFrom("followed", "followed", "behind"),
  })
  .map(({ min, more, record, kind, state }) => ({
    ...counting,
    kind,
    min,
    max: min + more,
    state,
    annotations: annotated(record),
  }));

const anyWorkload: fc.Arbitrary<Workload> = fc
  .record({
    kind: fc.constantFrom("Deployment", "ReplicaSet"),
    replicas: fc.nat(9),
    maxSurge: fc.integer({ min: 1, max: 4 }),
    strategy: fc.constantFrom("RollingUpdate", "RollingUpdate", "Recreate"),
    state: fc.constantFrom("settled", "settled", "under way"),
    scalers: fc.array(anyScaler, { maxLength: 1 }),
    record: fc.option(anyRecord, { nil: undefined, freq: 2 }),
    cost: fc.constantFrom("", "", "", "100", lowestCost, "-2147483648"),
    pinnedTo: fc.constantFrom("", "", "a"),
  })
  .map(({ record, maxSurge, ...rest }) => ({
    ...counting,
    selector: "",
    labels: {},
    claims: [],
    annotations: annotated(record),
    ...rest,
    minReady: seconds(10),
    maxSurge: record === undefined ? maxSurge : 9,
  }));

const anyScene: fc.Arbitrary<RoomScene> = fc
  .record({
    workload: anyWorkload,
    pods: fc.array(
      fc.record({
        on: fc.constantFrom(drained, elsewhere),
        ready: fc.boolean(),
        readyFor: fc.constantFrom(5, 10, 60),
        cost: fc.constantFrom("", lowestCost, unneededCost),
        age: fc.constantFrom(seconds(5), minutes(60)),
        skipped: fc.nat(8),
        unplaced: fc.constantFrom("", "", "Insufficient cpu"),
      }),
      { maxLength: 9 },
    ),
    needs: fc.boolean(),
    // All pods are there and ready, as they are before most surges.
    whole: fc.boolean(),
    makeRoom: fc.constantFrom("on", "on", "annotated", "off"),
  })
  .map(({ workload, pods, needs, whole, makeRoom }) => ({
    workload: whole ? { ...workload, replicas: pods.length } : workload,
    replicas: pods.map(({ on, ready, readyFor, cost, age, skipped, unplaced }, index) => ({
      requests: {},
      demands: [],
      apart: [],
      pod: aPod({
        name: `web-${index}`,
        node: on,
        created: ago(age),
        ready: ready || whole,
        annotations: {
          ...(cost === "" ? {} : { [costAnnotation]: cost }),
          ...(skipped === 0 ? { "eks-node-lifecycle/drain": "skip" } : {}),
        },
      }),
      unplaced,
      readySince: ago(seconds(whole ? 60 : readyFor)),
    })),
    draining: new Map([[drained, { at: ago(minutes(5)), deadline: never }]]),
    need: needs ? { node: drained, budgets: [], all: [], until: ahead(minutes(10)) } : "none",
    settings: someSettings({ makeRoom }),
    namespace: {},
    now: noon,
    tries: 0,
  }));

const isAvailable = ({ pod, readySince }: RoomScene["replicas"][number]): boolean =>
  pod.ready && readySince <= ago(seconds(10));
/** Whether a pod has kept the cost of an earlier surge, so that a new one gets a lower one. */
const isBesideLeft = ({ replicas }: RoomScene): boolean =>
  replicas.some(({ pod }) => pod.annotations[costAnnotation] === unneededCost);
/** Whether a pod would end because it is not ready for a moment, though its owner wants it left alone. */
const isRisky = ({ replicas }: RoomScene): boolean =>
  replicas.some(({ pod }) => !pod.ready && "eks-node-lifecycle/drain" in pod.annotations);
const isYounger = ({ created }: Pod, since: Instant): boolean => later(created, seconds(3)) > since;
const isLowest = (cost = ""): boolean => cost !== "" && Number(cost) <= Number(lowestCost);

const always = (law: (scene: RoomScene) => void): void =>
  fc.assert(fc.property(anyScene, law), { numRuns: 3000 });

/** What somebody does who puts a surge back: KEDA, until the time of the surge is up, would raise the count again. */
function endOf({ workload: { scalers, annotations } }: RoomScene): string {
  const surge = trySurge(annotations);
  const isBehind = scalers.some(
    (one) => one.state === "behind" && tryRecord(one.annotations) === undefined,
  );
  return isBehind && surge !== undefined && later(surge.since, minutes(30)) > noon
    ? "awaited"
    : "write";
}

/** Whether a write changes a count that is ours: as its record says, or of an autoscaler whose Deployment is to have more. */
function expectOwn({ to, record, count }: RoomWrite, { replicas, annotations }: Workload): void {
  const own = tryRecord(to.annotations);
  const now = "min" in to ? to.min : replicas;
  const raised = { was: trySurge(annotations)?.is, is: now };
  expect([count, now]).toEqual([(own ?? raised).was, (own ?? raised).is]);
  if (own === undefined) expect(record).toMatchObject({ phase: "up", was: now, is: count });
}

describe("what is done next about a workload", () => {
  it("is a surge only for whoever needs it, of a whole workload, by no more than is displaced or may be made more", () => {
    always((scene) => {
      const step = nextRoomStep(scene);
      if (step.kind !== "surge") return;
      const { workload, replicas } = scene;
      const displaced = replicas.filter(({ pod }) => pod.node === drained).length;
      expect(step.pods.every(({ pod }) => pod.node === drained)).toBe(true);
      expect(scene.need).not.toBe("none");
      expect(workload.strategy).toBe("RollingUpdate");
      expect(replicas.every(isAvailable)).toBe(true);
      expect(isLowest(workload.cost)).toBe(false);
      const staying = replicas.filter(({ pod }) => pod.node !== drained);
      expect(staying.some(({ pod }) => isLowest(pod.annotations[costAnnotation]))).toBe(false);
      expect(replicas).toHaveLength(workload.replicas);
      expect(step.record.was).toBe(workload.replicas);
      const surge = step.record.is - step.record.was;
      expect(surge).toBeGreaterThanOrEqual(1);
      expect(surge).toBeLessThanOrEqual(Math.min(displaced, workload.maxSurge));
      const [scaler] = workload.scalers;
      expect(step.record.is).toBeLessThanOrEqual(scaler?.max ?? Number.POSITIVE_INFINITY);
      const { count } = surged(workload, step.record);
      expect(count).toBe(scaler === undefined ? step.record.is : "as it is");
    });
  });

  it("gives back exactly what the record says, and leaves every count alone that somebody else has changed", () => {
    always((scene) => {
      const step = nextRoomStep(scene);
      if (step.kind === "write" && step.count !== "as it is") expectOwn(step, scene.workload);
    });
  });

  it("lets only pods go that a drain displaces, and only as long as more are ready than before", () => {
    always((scene) => {
      const step = nextRoomStep(scene);
      if (step.kind !== "cheapen" || isBesideLeft(scene)) return;
      const { replicas, workload } = scene;
      const used = step.pods.filter(({ cost }) => cost === lowestCost);
      for (const { pod } of used) {
        expect(pod.node).toBe(drained);
        expect(pod.annotations).not.toHaveProperty(["eks-node-lifecycle/drain"]);
      }
      const ready = replicas.filter(isAvailable).length;
      const was = tryRecord(workload.annotations)?.was ?? Number.POSITIVE_INFINITY;
      const serving = used.filter(({ pod }) => pod.ready);
      expect(serving.length).toBeLessThanOrEqual(Math.max(0, ready - was));
    });
  });

  it("ends beside them only as many pods as end with its count: those of the surge, and displaced ones that are not ready", () => {
    always((scene) => {
      const step = nextRoomStep(scene);
      if (step.kind !== "cheapen") return;
      const { replicas, workload } = scene;
      const { since, was, is } = tryRecord(workload.annotations) ?? { since: noon, was: 0, is: 0 };
      const others = step.pods.filter(({ pod }) => !(pod.node === drained && pod.ready));
      for (const { pod } of others) {
        expect(workload.replicas).toBe(is);
        expect(isYounger(pod, since) || pod.node === drained).toBe(true);
        expect(pod.annotations).not.toHaveProperty(["eks-node-lifecycle/drain"]);
      }
      const active = replicas.filter(({ pod }) => pod.termination.kind === "active");
      const most = Math.max(active.length, workload.replicas) - was;
      expect(step.pods.length).toBeLessThanOrEqual(most);
    });
  });

  it("ends no pod by a record that no surge of ours could have, and says so", () => {
    const impossible = fc.constantFrom({ was: 0, is: 1 }, { was: 1, is: 7 }, { was: 2, is: 30 });
    const law = (scene: RoomScene, counts: { readonly was: number; readonly is: number }) => {
      const times = { since: ago(minutes(1)), until: ahead(minutes(5)), why: "node a" };
      const annotations = annotated({ phase: "up", ...counts, ...times });
      const workload = { ...scene.workload, annotations, replicas: counts.is, maxSurge: 2 };
      expect(nextRoomStep({ ...scene, workload })).toMatchObject({
        kind: "refused",
        why: expect.stringContaining(`from ${counts.was} to ${counts.is}`),
      });
    };
    fc.assert(fc.property(anyScene, impossible, law));
  });

  it("drops no record of a Deployment without the count that it has raised, which the admission policy refuses", () => {
    always((scene) => {
      const { workload } = scene;
      const surge = trySurge(workload.annotations);
      const step = nextRoomStep(scene);
      if (step.kind === "write" && step.to === workload && surge?.is === workload.replicas)
        expect(step.count).toBe(surge.was);
    });
  });

  it("gives back what a namespace switches off, also where an autoscaler that somebody has made meanwhile raises it again", () => {
    const up = { phase: "up", was: 2, is: 3, why: "", since: ago(minutes(1)) } as const;
    const annotations = annotated({ ...up, until: ahead(minutes(5)) });
    always((scene) => {
      const workload = { ...scene.workload, annotations, replicas: 3 };
      const namespace = { "eks-node-lifecycle/make-room": "off" };
      const settings = someSettings({ makeRoom: "on" });
      const step = nextRoomStep({ ...scene, workload, namespace, settings });
      if (step.kind !== "write" || step.to !== workload) return;
      expect(step).toMatchObject({ count: 2, record: { phase: "none", until: noon } });
    });
  });

  it("lets no pod go where counts are only put back", () => {
    always((scene) => {
      if (isBesideLeft(scene)) return;
      const step = nextRoomStep({ ...scene, need: "none", draining: new Map() });
      expect(step).not.toMatchObject({ kind: "cheapen", cost: lowestCost });
    });
  });

  it("raises nothing for whoever only puts back, and never leaves a surge alone that nobody needs", () => {
    always((scene) => {
      const idle = { ...scene, need: "none" as const, draining: new Map<never, never>() };
      const step = nextRoomStep(idle);
      expect(step).not.toMatchObject({ kind: "surge" });
      if (step.kind === "write" && step.record !== "none") expect(step.record.phase).toBe("none");
      const record = tryRecord(idle.workload.annotations);
      if (record?.phase !== "up" || step.kind === "cheapen" || isRisky(scene)) return;
      expect(step.kind).toBe(endOf(scene));
    });
  });

  it("raises an autoscaler only of what may have a pod more by now, by one at least and by five at the most", () => {
    const up = { phase: "up", was: 2, is: 3, why: "" } as const;
    const annotations = annotated({ ...up, since: ago(seconds(1)), until: ahead(minutes(5)) });
    const least = fc.integer({ min: -4, max: 5 });
    const law = (scene: RoomScene, min: number) => {
      const scalers = scene.workload.scalers.map((one) => ({ ...one, min, max: 9 }));
      const workload = { ...scene.workload, annotations, scalers, replicas: 2 };
      const step = nextRoomStep({ ...scene, workload });
      if (step.kind !== "write" || !("min" in step.to) || step.record === "none") return;
      expect(workload).toMatchObject({ kind: "Deployment", strategy: "RollingUpdate" });
      expect(scene.settings.makeRoom).toBe("on");
      expect(3 - step.to.min).toBeGreaterThanOrEqual(1);
      expect(3 - step.to.min).toBeLessThanOrEqual(5);
    };
    fc.assert(fc.property(anyScene, least, law), { numRuns: 3000 });
  });

  it("takes a record for none that begins in the future", () => {
    const note = { phase: "none", was: 2, is: 2, why: "" } as const;
    const times = { since: ahead(minutes(11)), until: ahead(minutes(12)) };
    always((scene) => {
      const workload = { ...scene.workload, annotations: annotated({ ...note, ...times }) };
      const noted = nextRoomStep({ ...scene, workload });
      const free = nextRoomStep({ ...scene, workload: { ...workload, annotations: {} } });
      expect(noted.kind).toBe(free.kind);
    });
  });

  it("gives a surge up whose pod nobody has made for two minutes, and says so", () => {
    const up = { phase: "up", was: 2, is: 3, why: "" } as const;
    const record = { ...up, since: ago(minutes(3)), until: ahead(minutes(5)) };
    const counted = { replicas: 3, scalers: [], annotations: annotated(record) } as const;
    always((scene) => {
      const workload = { ...scene.workload, ...counted };
      const replicas = scene.replicas
        .map((one) => ({
          ...one,
          unplaced: "",
          readySince: ago(hours(1)),
          pod: { ...one.pod, created: ago(hours(1)) },
        }))
        .slice(0, 2);
      const step = nextRoomStep({ ...scene, workload, replicas });
      const told = step.kind === "write" && step.change !== "nothing" ? step.change : { why: "" };
      if (told.why !== "not needed")
        expect(told).toMatchObject({
          stage: "given up",
          why: expect.stringMatching(/made no pod/),
        });
    });
  });

  it("gives everything back at once where no room is made any more, whatever drains are under way", () => {
    always((scene) => {
      const settings = someSettings({ makeRoom: "off" });
      const step = nextRoomStep({ ...scene, settings, need: "none" });
      if (tryRecord(scene.workload.annotations) !== undefined) expect(step.kind).toBe(endOf(scene));
      if (step.kind === "write") expect(step.record).toBe("none");
    });
  });

  it("ends twenty minutes after its half hour, whatever drains wait", () => {
    always((scene) => {
      const record = tryRecord(scene.workload.annotations);
      if (record?.phase !== "up" || isRisky(scene)) return;
      const now = later(latest(record.until, later(record.since, minutes(30))), minutes(20));
      expect(["write", "cheapen"]).toContain(nextRoomStep({ ...scene, now }).kind);
    });
  });
});

describe("a record", () => {
  it("says the same when it is read", () => {
    const readAgain = (record: RoomRecord) => {
      expect(tryRecord(annotated(record))).toEqual(record);
    };
    fc.assert(fc.property(anyRecord, readAgain));
  });

  it("is of a surge only while the count is higher for us", () => {
    const isSurge = (record: RoomRecord) => {
      const found = trySurge(annotated(record));
      expect(found !== undefined).toBe(record.phase === "up");
    };
    fc.assert(fc.property(anyRecord, isSurge));
  });

  it("is one line of limited length, whatever the reason is", () => {
    const why = `no\n\u202eroom ${"x".repeat(900)}`;
    const text = recordText({
      phase: "none",
      was: 1,
      is: 1,
      since: ago(minutes(1)),
      until: noon,
      why,
    });
    expect(text).not.toMatch(/[\p{C}\n]/u);
    expect(text).toContain(" for no room xx");
    expect(text.length).toBeLessThan(420);
  });

  const own = "0badcafe-1";
  const label = "2026-11-20T12.00.00.000Z";
  const times = "since 2026-11-20T12:00:00.000Z until 2026-11-20T12:10:00.000Z for node a";

  it.each([
    [`up: 1 to 2 ${times} ${ofObject(own)}`, label, true],
    [`up: 1 to 2 ${times} ${ofObject(own)}`, "", false],
    [`up: 1 to 2 ${times} ${ofObject(own)}`, "2026-11-20T12.00.01.000Z", false],
    [`up: 1 to 2 ${times}`, label, true],
    [`up: 1 to 2 ${times} ${ofObject("deadbeef-1")}`, label, false],
    [`none: 1 to 1 ${times} ${ofObject(own)}`, "", true],
    [`lost: 1 to 1 ${times} ${ofObject(own)}`, "", true],
    [`none: 1 to 1 ${times} ${ofObject("deadbeef-1")}`, "", false],
    [`none: 1 to 1 ${times}`, "", false],
    ["none", "", false],
  ])("%s with the label %j counts at its object: %s", (text, labelled, counts) => {
    expect(countsAt(text, { label: labelled, uid: own })).toBe(counts);
  });

  it.each([
    "",
    "up",
    "up: 1 to 2",
    "down: 1 to 2 since x until y for z",
    "up: 1 to 2 since 2026-11-20T12:00:00Z until 2026-11-20T11:59:59Z for node a",
    "up: 1 to 2 since 2026-11-20T12:00:00Z until 2099-11-20T12:00:00Z for node a",
  ])("is none if it is %j", (text) => {
    expect(tryRecord({ [recordAnnotation]: text })).toBeUndefined();
  });
});
