import { AutoscalingV2Api } from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { deployment, podDisruptionBudget } from "./manifests.ts";
import { killAtWrites } from "./room-deaths.ts";
import { beginOn, numbered, patience, type RoomWorld, startRoomWorld } from "./room-world.ts";
import { tellEvent } from "./told-events.ts";

const wide = numbered("wide", 10);
const nodes = [...wide, "single", "counted"];
const annotations = { "hollow/ready-after": "3" };
const writes = [
  ...["deployments wide up", "pods wide cheap", "deployments wide nothing"],
  ...["deployments single up", "pods single cheap", "deployments single nothing"],
  ...["deployments counted up", "horizontalpodautoscalers counted up", "pods counted cheap"],
  ...["horizontalpodautoscalers counted nothing", "deployments counted nothing"],
];

let world: RoomWorld;
const scaling = () => world.controlPlane.api(AutoscalingV2Api);

beforeAll(async () => {
  world = await startRoomWorld(nodes);
  const { name, ...rest } = { name: "wide", annotations, replicas: wide.length };
  const many = deployment({ name, ...rest, spec: beginOn(name, wide) });
  const rollingUpdate = { maxSurge: "100%", maxUnavailable: 0 };
  await world.controlPlane.apply(
    { ...many, spec: { ...many.spec, strategy: { rollingUpdate } } } as object,
    podDisruptionBudget({ name, app: name, allows: { maxUnavailable: 0 } }),
    ...["single", "counted"].flatMap((app) => [
      deployment({ name: app, annotations, spec: beginOn(app, [app]) }),
      podDisruptionBudget({ name: app, app, allows: { minAvailable: 1 } }),
    ]),
  );
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "counted" };
  const spec = { scaleTargetRef, minReplicas: 1, maxReplicas: 3 };
  const body = { metadata: { name: "counted" }, spec };
  await scaling().createNamespacedHorizontalPodAutoscaler({ namespace: "default", body });
  await world.isOn("wide", ...wide);
  for (const app of ["single", "counted"]) await world.isOn(app, app);
}, 900_000);
afterAll(async () => world?.stop());

it("a function that dies before and after each of its writes makes room for ten nodes at once, with every pod ready, and leaves nothing scaled up", async () => {
  // The messages of a function that was killed come back after two minutes; EventBridge tells the same at once.
  const tellAgain = () => {
    for (const { end, instanceId } of world.aws.autoScaling.actions())
      if (end.kind !== "ended")
        tellEvent(world, "hold", { instance: instanceId, group: "workers" });
  };
  const deaths = await killAtWrites(world, tellAgain);
  onTestFinished(() => deaths.close());
  await world.drain(...nodes);
  await vi.waitFor(async () => expect(await world.recorded()).toEqual([]), patience);
  expect([...deaths.all].toSorted()).toEqual(
    writes.flatMap((write) => [`before ${write}`, `after ${write}`]).toSorted(),
  );
  const figures = await world.figuresOf("wide", wide.length);
  expect(figures).toMatchObject({ floor: 10, count: 10 });
  expect(figures.made).toBeLessThanOrEqual(21);
  for (const app of ["single", "counted"]) {
    const alone = await world.figuresOf(app, 1);
    expect(alone).toMatchObject({ floor: 1, count: 1 });
    expect(alone.made).toBeLessThanOrEqual(3);
  }
  const named = { name: "counted", namespace: "default" };
  const { spec } = await scaling().readNamespacedHorizontalPodAutoscaler(named);
  expect(spec?.minReplicas).toBe(1);
}, 1_800_000);
