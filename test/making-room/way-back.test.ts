import fc from "fast-check";
import { expect, it } from "vitest";
import { type NodeName, nodeName } from "../../lambda/base/ids.ts";
import { type Instant, later, minutes, never, seconds } from "../../lambda/base/time.ts";
import { nextRoomStep } from "../../lambda/making-room/next-room-step.ts";
import { costAnnotation, recordAnnotation, recordText } from "../../lambda/making-room/record.ts";
import { type DrainMark, isGone, type RoomScene } from "../../lambda/making-room/room-scene.ts";
import type { EndingPod } from "../../lambda/making-room/room-step.ts";
import type { Replica } from "../../lambda/making-room/workload.ts";
import { ago, ahead, aPod, drained, noon, someSettings } from "../support/builders.ts";
import { aWorkload } from "./a-workload.ts";

const minReady = seconds(60);

/** A pod of a scene: where it is, and how it is. */
interface Part {
  readonly node: "drained" | "gone" | "marked" | "stays";
  readonly deadline: "far" | "near" | "over" | "unknown";
  readonly state: "available" | "unready" | "young";
  readonly isProtected: boolean;
}

const deadlines = { far: ahead(minutes(6)), near: ahead(seconds(20)), over: never, unknown: never };
const anyState = fc.constantFrom<Part["state"]>("available", "unready", "young");
const anyDeadline = fc.constantFrom<Part["deadline"]>("far", "near", "over", "unknown");
const anyOld: fc.Arbitrary<Part> = fc.record({
  node: fc.constantFrom("drained", "gone", "marked", "stays"),
  deadline: anyDeadline,
  state: anyState,
  isProtected: fc.boolean(),
});
/** New pods come to nodes that stay; some are drained later, or are gone by then. */
const anyNew: fc.Arbitrary<Part> = fc.record({
  node: fc.constantFrom("gone", "marked", "stays"),
  deadline: anyDeadline,
  state: anyState,
  isProtected: fc.constant(false),
});

const isDisplaced = ({ node, isProtected }: Part): boolean => node !== "stays" && !isProtected;
const anyPods = fc
  .record({
    old: fc.array(anyOld, { minLength: 1, maxLength: 4 }),
    young: fc.array(anyNew, { minLength: 1, maxLength: 3 }),
  })
  .filter(({ old, young }) => young.length <= old.filter(isDisplaced).length);

const nodeOf = ({ node }: Part, name: string): NodeName =>
  node === "drained" ? drained : nodeName(`node-${node}-${name}`);

function replicaOf(part: Part, name: string, created: Instant): Replica {
  const annotations = part.isProtected ? { "karpenter.sh/do-not-disrupt": "true" } : {};
  const ready = part.state !== "unready";
  const readySince = ago(seconds(part.state === "young" ? 20 : 90));
  const pod = aPod({ name, node: nodeOf(part, name), created, ready, annotations });
  return { pod, requests: {}, demands: [], apart: [], unplaced: "", readySince };
}

/** A surge, at the time of its drain or before. */
function sceneOf(old: readonly Part[], young: readonly Part[], isDue: boolean, needs: boolean) {
  const until = isDue ? ago(seconds(1)) : ahead(minutes(4));
  const [was, is] = [old.length, old.length + young.length];
  const record = { phase: "up", was, is, since: ago(minutes(3)), until, why: "a" } as const;
  const named = [
    ...old.map((part, index) => ({ part, name: `old-${index}`, created: ago(minutes(60)) })),
    ...young.map((part, index) => ({ part, name: `new-${index}`, created: ago(minutes(2)) })),
  ];
  const marks = named.flatMap(({ part, name, created }): [NodeName, DrainMark][] => {
    const at = later(created, seconds(30));
    const deadline = deadlines[part.deadline];
    if (part.node === "gone")
      return [[nodeOf(part, name), { at: never, deadline: never, isGone: true }]];
    return part.node === "marked"
      ? [[nodeOf(part, name), { at, deadline, isOver: part.deadline === "over" }]]
      : [];
  });
  const scene: RoomScene = {
    workload: {
      ...aWorkload(is),
      minReady,
      annotations: { [recordAnnotation]: recordText(record) },
    },
    replicas: named.map(({ part, name, created }) => replicaOf(part, name, created)),
    draining: new Map([
      [drained, { at: ago(minutes(5)), deadline: never, isOver: isDue && !needs }],
      ...marks,
    ]),
    need: needs ? { node: drained, budgets: [], all: [], until } : "none",
    settings: someSettings({ makeRoom: "on" }),
    namespace: {},
    now: noon,
    tries: 0,
  };
  return { scene, was };
}

const withCosts = (replicas: readonly Replica[], pods: readonly EndingPod[]): readonly Replica[] =>
  replicas.map((one) => {
    const cost = pods.find(({ pod }) => pod.name === one.pod.name)?.cost;
    const annotations = { ...one.pod.annotations, [costAnnotation]: cost ?? "0" };
    return cost === undefined ? one : { ...one, pod: { ...one.pod, annotations } };
  });

/** The pods that stay where a ReplicaSet needs so many: it ends first what is not ready, then what is cheap, and then what shares its node with most others. */
function leftBy(replicas: readonly Replica[], count: number): readonly Replica[] {
  const onNode = Map.groupBy(replicas, ({ pod }) => pod.node);
  const costOf = ({ pod }: Replica): number => Number(pod.annotations[costAnnotation] ?? 0);
  const besides = ({ pod }: Replica): number => onNode.get(pod.node)?.length ?? 0;
  const inTurn = replicas.toSorted(
    (a, b) =>
      Number(a.pod.ready) - Number(b.pod.ready) ||
      costOf(a) - costOf(b) ||
      besides(b) - besides(a) ||
      b.readySince - a.readySince,
  );
  return inTurn.slice(Math.max(0, replicas.length - count));
}

/** The pods before and after a surge ends, with their costs; the same where it goes on. */
function wayBack(scene: RoomScene): Record<"after" | "before", readonly Replica[]> {
  const first = nextRoomStep(scene);
  const before = first.kind === "cheapen" ? withCosts(scene.replicas, first.pods) : scene.replicas;
  const step = first.kind === "cheapen" ? nextRoomStep({ ...scene, replicas: before }) : first;
  const isEnd = step.kind === "write" && step.count !== "as it is";
  return { before, after: isEnd ? leftBy(before, Number(step.count)) : before };
}

it("leaves as many pods ready, and as many available, as were so before the surge, on nodes that exist, and ends no ready one that stays", () => {
  let ends = 0;
  const law = (
    pods: { old: readonly Part[]; young: readonly Part[] },
    isDue: boolean,
    needs: boolean,
  ) => {
    const { scene, was } = sceneOf(pods.old, pods.young, isDue, needs);
    const { before, after } = wayBack(scene);
    ends += before === after ? 0 : 1;
    const exists = (one: Replica): boolean => !isGone(one, scene);
    for (const isWell of [
      (one: Replica) => exists(one) && one.pod.ready,
      (one: Replica) => exists(one) && one.pod.ready && later(one.readySince, minReady) <= noon,
    ]) {
      const least = Math.min(was, before.filter(isWell).length);
      expect(after.filter(isWell).length).toBeGreaterThanOrEqual(least);
    }
    const stays = ({ pod }: Replica): boolean =>
      pod.ready && pod.name.startsWith("old") && !scene.draining.has(pod.node);
    expect(after.filter(stays)).toHaveLength(before.filter(stays).length);
  };
  fc.assert(fc.property(anyPods, fc.boolean(), fc.boolean(), law), { numRuns: 5000 });
  expect(ends).toBeGreaterThan(100);
});
