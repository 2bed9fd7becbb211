import { expect, it } from "vitest";
import {
  controllerRefusal,
  tryOff,
  tryRoomRefusal,
} from "../../lambda/making-room/room-refusal.ts";
import type { Workload } from "../../lambda/making-room/workload.ts";
import { aScaler, aWorkload } from "./a-workload.ts";

const web = aWorkload(3);
const scaler = aScaler;
const scalers = [scaler];
const whyNot = (change: Partial<Workload>): string => tryRoomRefusal({ ...web, ...change }) ?? "";

it.each([
  ["has a count of its own", {}, ""],
  [
    "is written by kubectl and its autoscaler",
    { managers: ["kubectl-scale", "argo"], scalers },
    "",
  ],
  [
    "has the record in its manifest",
    { isDeclared: true },
    "remove both from it, and apply it again",
  ],
  [
    "has an autoscaler with the record in its manifest",
    { scalers: [{ ...scaler, isDeclared: true }] },
    "the manifest of its HorizontalPodAutoscaler has the annotation",
  ],
  ["is Recreate", { strategy: "Recreate" }, "its strategy is Recreate, so two"],
  ["has no pods", { replicas: 0 }, "its count is 0"],
  ["names its node in its template", { pinnedTo: "a" }, "its template names the node a, so"],
  [
    "is at its most",
    { scalers: [{ ...scaler, max: 3 }] },
    "has 3 pods already, which is its maximum",
  ],
  ["has two scalers", { scalers: [scaler, { ...scaler, max: 9 }] }, "several autoscalers scale it"],
  ["has a scaler that Flux keeps", { scalers: [{ ...scaler, managers: ["flux"] }] }, "flux keeps"],
  ["has a scaler, and a count that Flux once wrote", { managers: ["flux"], scalers }, ""],
  [
    "is far above the least of its autoscaler",
    { scalers: [{ ...scaler, min: 2, max: 50 }], replicas: 7 },
    "the minReplicas of its HorizontalPodAutoscaler is 2, and goes up by 5 at the most",
  ],
  [
    "has a count that an autoscaler has set, which is gone",
    { managers: ["kube-controller-manager/scale"] },
    "a HorizontalPodAutoscaler that is gone has set its count",
  ],
  ["is scaled by an autoscaler", { managers: ["kube-controller-manager/scale"], scalers }, ""],
  [
    "is far above the least of its ScaledObject",
    { scalers: [{ ...scaler, kind: "ScaledObject", min: 0, max: 50 }], replicas: 5 },
    "the minReplicaCount of its ScaledObject is 0, and goes up by 5 at the most",
  ],
  [
    "is little above the least of its ScaledObject",
    { scalers: [{ ...scaler, kind: "ScaledObject", min: 0, max: 50 }], replicas: 4 },
    "",
  ],
] as const)("a workload that %s gets a pod more, or not: why", (_, change, why) => {
  if (why === "") expect(whyNot(change)).toBe("");
  else expect(whyNot(change)).toContain(why);
});

it.each([
  "argocd",
  "argocd-controller",
  "argocd-application-controller",
  "flux",
  "kustomize-controller",
  "helm-controller",
  "keda",
  "keda-operator",
  "keda-operator/scale",
])("a workload whose count %s writes gets no pod more, because that would put it back", (name) => {
  const managers = ["kubectl", name];
  const keeper = name.replace("/scale", "");
  expect(whyNot({ managers })).toBe(`${keeper} keeps its count, and would put it back`);
});

it("a ReplicaSet that nobody owns has to ask, whatever the setting is", () => {
  const bare = { ...web, kind: "ReplicaSet" } as const;
  expect(tryOff("on", {}, bare)).toEqual({ kind: "nothing", why: "" });
  expect(tryOff("on", { "eks-node-lifecycle/make-room": "on" }, bare)).toBeUndefined();
});

it("a ReplicaSet that nobody owns is surged by an autoscaler only if that asks too, or their namespace", () => {
  const on = { "eks-node-lifecycle/make-room": "on" };
  const bare = { ...web, kind: "ReplicaSet", annotations: on, scalers } as const;
  expect(tryOff("on", {}, bare)).toMatchObject({
    why: "its autoscaler lacks the annotation eks-node-lifecycle/make-room: on",
  });
  expect(tryOff("on", on, bare)).toBeUndefined();
  const asking = { ...bare, scalers: [{ ...scaler, annotations: on }] };
  expect(tryOff("on", {}, asking)).toBeUndefined();
});

it("a workload is off by the annotation of its autoscaler too, as the fence has it", () => {
  const off = { ...scaler, annotations: { "eks-node-lifecycle/make-room": "False" } };
  expect(tryOff("on", {}, { ...web, scalers: [off] })).toMatchObject({
    why: "it is off by the annotation of its autoscaler",
  });
});

it.each([
  ["workload", { "eks-node-lifecycle/make-room": "off" }, {}],
  ["namespace", {}, { "eks-node-lifecycle/make-room": "off" }],
])("a workload that is off by an annotation says so: that of its %s", (whose, own, namespace) => {
  expect(tryOff("on", namespace, { ...web, annotations: own })).toEqual({
    kind: "refused",
    why: `it is off by the annotation of the ${whose}`,
  });
});

it.each([
  ["StatefulSet", "its StatefulSet would make its last pod more"],
  ["Job", "its controller is a Job, and only pods of Deployments and ReplicaSets"],
])("a pod of a %s is not made elsewhere, and the reason says so", (type, why) => {
  expect(controllerRefusal(type)).toMatchObject({
    kind: "refused",
    why: expect.stringContaining(why),
  });
});
