import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  hours,
  type Instant,
  later,
  milliseconds,
  minutes,
  seconds,
} from "../../lambda/base/time.ts";
import { recordAnnotation } from "../../lambda/making-room/record.ts";
import { autoscalers, deployments } from "../../sandbox/kubernetes/app-resources.ts";
import type { KubeObject } from "../../sandbox/kubernetes/kube-object.ts";
import type { Ref } from "../../sandbox/kubernetes/resource.ts";
import { endingsIn } from "../world/evidence.ts";
import type { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn } from "../world/workloads.ts";
import { aRoomWorld, leftUp, readyFloorIn } from "./a-room-world.ts";

// `OPERATORS=10000` tries more. `PROPERTY_RUNS` does not count here: ten thousand of them take hours.
const { OPERATORS = "40" } = process.env;

const own = { namespace: "default", name: "web" };
const deployment = { resource: deployments, ...own };
const autoscaler = { resource: autoscalers, ...own };
const innocent = { namespace: "another", name: "innocent" };
const innocentRef = { resource: deployments, ...innocent };

type Deed = (world: VirtualWorld) => void;

const annotate =
  (ref: Ref, annotations: Readonly<Record<string, string>>): Deed =>
  ({ cluster }) => {
    if (cluster.store.tryGet(ref) === undefined) return;
    cluster.store.update(ref, ({ metadata, ...rest }: KubeObject) => ({
      ...rest,
      metadata: { ...metadata, annotations, labels: {} },
    }));
  };

const scale =
  (countAfter: (count: number) => number): Deed =>
  ({ cluster }) =>
    cluster.store.update(deployment, ({ spec, ...rest }) => ({
      ...rest,
      spec: { ...spec, replicas: Math.min(countAfter(spec.replicas ?? 1), 12) },
    }));

const limit =
  (minReplicas: number): Deed =>
  ({ cluster }) => {
    if (cluster.store.tryGet(autoscaler) === undefined) return;
    cluster.store.update(autoscaler, ({ spec, ...rest }) => ({
      ...rest,
      spec: { ...spec, minReplicas },
    }));
  };

const recordIn = (object: KubeObject | undefined): string =>
  object?.metadata.annotations?.[recordAnnotation] ?? "";

const takeNoteAway: Deed = (world) => {
  const isNote = recordIn(world.cluster.store.get(deployment)).startsWith("none");
  if (isNote) annotate(deployment, {})(world);
};

/** What an operator of one namespace does at its Deployment and its autoscaler. */
const deeds: Readonly<Record<string, Deed>> = {
  "takes the record away": annotate(deployment, {}),
  "takes the autoscaler's record away": annotate(autoscaler, {}),
  "takes the note away": takeNoteAway,
  "writes something else as the record": annotate(deployment, { [recordAnnotation]: "hello" }),
  "puts the count back": scale(() => 1),
  "puts the autoscaler back": limit(1),
  "adds a pod": scale((count) => count + 1),
  "takes a pod off": scale((count) => Math.max(count - 1, 0)),
  "stops all": scale(() => 0),
};

const anOperator = fc.record({
  counted: fc.constantFrom("by itself", "by an autoscaler"),
  readyAfter: fc.constantFrom(0, 20, 200),
  /** How many milliseconds after a change it acts. */
  after: fc.oneof(fc.constantFrom(0, 50, 1000), fc.integer({ min: 0, max: 30_000 })),
  /** It acts at each change, or at each second or third. */
  every: fc.constantFrom(1, 1, 2, 3),
  /** What it does, one set after another. */
  turns: fc.array(
    fc.uniqueArray(fc.constantFrom(...Object.keys(deeds)), { minLength: 1, maxLength: 3 }),
    { minLength: 1, maxLength: 3 },
  ),
  timeout: fc.constantFrom(300, 900, 3600),
  neighbourAfter: fc.constantFrom(0, 10, 200),
});

type Operator = typeof anOperator extends fc.Arbitrary<infer T> ? T : never;

/** Has the operator answer changes of its objects, for a while. */
function operate(world: VirtualWorld, { after, every, turns }: Operator): void {
  const ends = later(world.timeline.now(), minutes(40));
  let doing: "nothing" | "soon" | "something" = "nothing";
  let changes = 0;
  let acts = 0;
  const act = (): void => {
    doing = "something";
    for (const one of turns[acts % turns.length] ?? []) deeds[one]?.(world);
    acts += 1;
    doing = "nothing";
  };
  const answer = (): void => {
    changes += 1;
    if (changes % every !== 0 || acts >= 1000 || world.timeline.now() >= ends) return;
    doing = "soon";
    if (after === 0) act();
    else world.in(milliseconds(after), act);
  };
  world.cluster.store.subscribe(({ resource, after: now }) => {
    const isOwn = resource === deployments || resource === autoscalers;
    if (isOwn && now?.metadata.name === own.name && doing === "nothing") answer();
  });
}

/** When each surge of the Deployment began. */
function surgesIn(world: VirtualWorld): readonly Instant[] {
  const surges: Instant[] = [];
  world.cluster.store.subscribe(({ resource, before, after }) => {
    const isNew = recordIn(after) !== recordIn(before) && recordIn(after).startsWith("up");
    const isOwn = resource === deployments && after?.metadata.name === own.name;
    if (isOwn && isNew) surges.push(world.timeline.now());
  });
  return surges;
}

/** Drains the operator's node and a neighbour's; both have pods of a Deployment in another namespace. */
async function drained(operator: Operator) {
  const { counted, readyAfter, timeout, neighbourAfter } = operator;
  const { world } = aRoomWorld({
    nodes: 5,
    rule: { maxUnavailable: 0 },
    settings: { DRAIN_TIMEOUT_SECONDS: String(timeout) },
    annotations: { "hollow/ready-after": String(readyAfter) },
  });
  if (counted === "by an autoscaler")
    world.cluster.store.create(autoscalers, {
      metadata: own,
      spec: { scaleTargetRef: { kind: "Deployment", name: own.name }, maxReplicas: 9 },
    });
  deploy(world, { name: "neighbour", on: { 2: 2 } });
  deploy(world, { ...innocent, on: { 1: 1, 2: 1 } });
  world.cluster.addBudget({ ...innocent, maxUnavailable: 0 });
  world.pass(minutes(1));
  const surges = surgesIn(world);
  const floor = readyFloorIn(world, { app: innocent.name });
  operate(world, operator);
  world.terminate(1);
  let neighbours: readonly string[] | undefined;
  world.in(seconds(neighbourAfter), () => world.terminate(2));
  world.in(seconds(neighbourAfter + 20), () => {
    neighbours = namesOn(world, 2).filter((name) => name.startsWith("neighbour"));
  });
  for (const at of [20, 50, 80, 110])
    world.in(minutes(at), () => world.send({ kind: "put-back", time: "2026-11-20T10:00:00Z" }));
  await world.workFor(hours(2));
  const inAnHour = surges.map(
    (from) => surges.filter((at) => at >= from && at < later(from, hours(1))).length,
  );
  const others = { count: world.cluster.store.get(innocentRef).spec.replicas, floor: floor() };
  return { world, neighbours, others, most: Math.max(0, ...inAnHour) };
}

describe("whatever the operator of one namespace does to a Deployment that is surged", () => {
  it("no surge runs away, none is left, each node is released, no neighbour waits, and what is surged elsewhere loses no ready pod", async () => {
    const property = fc.asyncProperty(anOperator, async (operator) => {
      const { world, neighbours, others, most } = await drained(operator);
      expect(endingsIn(world)).toEqual(["CONTINUE by call", "CONTINUE by call"]);
      expect(neighbours).toEqual([]);
      expect(others).toEqual({ count: 2, floor: 2 });
      expect(most).toBeLessThanOrEqual(8);
      expect(leftUp(world).filter((text) => text.startsWith("up"))).toEqual([]);
      expect(world.told("fault")).toEqual([]);
    });
    await fc.assert(property, { numRuns: Number(OPERATORS) });
  }, 900_000);
});
