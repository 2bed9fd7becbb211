import { AppsV1Api, AutoscalingV2Api, CoreV1Api } from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { costAnnotation, recordAnnotation } from "../../lambda/making-room/record.ts";
import type { AdmissionRequest } from "./admission-review-schema.ts";
import { inNamespaces, registration, startWebhook } from "./admission-webhook.ts";
import { deployment, podDisruptionBudget } from "./manifests.ts";
import type { RealWorld } from "./real-world.ts";
import { beginOn, numbered, patience, type RoomWorld, startRoomWorld } from "./room-world.ts";
import { tellEvent } from "./told-events.ts";

const matters = [
  { name: "counts", apiGroup: "apps", resource: "deployments" },
  { name: "scalers", apiGroup: "autoscaling", resource: "horizontalpodautoscalers" },
  { name: "costs", apiGroup: "", resource: "pods" },
] as const;

const noted = ({ annotations = {} }: AdmissionRequest["object"]["metadata"]): string =>
  annotations[recordAnnotation] ?? annotations[costAnnotation] ?? "nothing";

/** The deaths of a function: a word for each. */
interface Deaths {
  /** As `before deployments web up`. */
  readonly all: ReadonlySet<string>;
  close(): void;
}

/** Lets the node function die at each kind of write that makes room for an app: once before it takes place, and once after. */
async function killAtWrites(world: RealWorld, revive: () => void): Promise<Deaths> {
  const all = new Set<string>();
  const die = () => {
    world.coolDown();
    revive();
  };
  let isHeard = false;
  const webhook = await startWebhook(async (request) => {
    isHeard = true;
    const { name, resource, userInfo, object } = request;
    if (!userInfo.groups.includes("eks-node-lifecycle")) return "allowed";
    const [app = ""] = name.split("-");
    const [word = ""] = noted(object.metadata).split(":");
    const write = `${resource.resource} ${app} ${resource.resource === "pods" ? "cheap" : word}`;
    if (!all.has(`before ${write}`)) {
      all.add(`before ${write}`);
      die();
      return { message: "whoever asks for this is dead" };
    }
    if (!all.has(`after ${write}`)) {
      all.add(`after ${write}`);
      void writtenIn(world, request).then(die);
    }
    return "allowed";
  });
  const scope = inNamespaces("default");
  const rules = matters.map((matter) => ({ ...matter, scope, operation: "UPDATE" as const }));
  await world.controlPlane.apply(registration(webhook, ...rules));
  const trial = ["annotate", "pods", "--all", "tried=", "--dry-run=server"];
  await vi.waitFor(async () => {
    await world.controlPlane.kubectlText(...trial);
    if (!isHeard) throw new Error("the API server does not call the webhook yet");
  }, patience);
  return { all, close: () => webhook.close() };
}

/** Waits until a write that is allowed has taken place. */
function writtenIn({ controlPlane }: RealWorld, { name, resource, object }: AdmissionRequest) {
  const its = { name, namespace: "default" };
  const read = {
    deployments: () => controlPlane.api(AppsV1Api).readNamespacedDeployment(its),
    pods: () => controlPlane.api(CoreV1Api).readNamespacedPod(its),
    horizontalpodautoscalers: () =>
      controlPlane.api(AutoscalingV2Api).readNamespacedHorizontalPodAutoscaler(its),
  }[resource.resource];
  return vi.waitFor(
    async () => {
      const { metadata } = (await read?.()) ?? {};
      const { annotations = {} } = metadata ?? {};
      if (noted({ annotations }) !== noted(object.metadata)) throw new Error("not written yet");
    },
    { ...patience, interval: 5 },
  );
}

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
