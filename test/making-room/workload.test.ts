import { expect, test } from "vitest";
import type { Pod } from "../../lambda/drain/pod.ts";
import { isOf } from "../../lambda/making-room/workload.ts";
import { aPod } from "../support/builders.ts";

const counted = {
  namespace: "demo",
  uid: "u",
  annotations: {},
  isLabelled: false,
  isDeclared: false,
  changes: [],
};
const deployment = { ...counted, kind: "Deployment", name: "web" } as const;
const replicaSet = { ...counted, kind: "ReplicaSet", name: "web-5d8" } as const;
const named = (type: string): Pod["controller"] => ({
  kind: "owner",
  apiVersion: "apps/v1",
  type,
  name: "web-5d8",
  uid: "u",
});
const labels = { "pod-template-hash": "5d8" };

test.each<[string, Partial<Pod>, readonly [boolean, boolean]]>([
  ["has its ReplicaSet", {}, [true, true]],
  ["has its ReplicaSet, by another hash", { labels: {} }, [false, true]],
  ["is of another namespace", { namespace: "other" }, [false, false]],
  ["has a StatefulSet of that name", { controller: named("StatefulSet") }, [false, false]],
  ["has no controller", { controller: { kind: "none" } }, [false, false]],
])("a pod that %s is one of the Deployment or the ReplicaSet: %j", (_, change, expected) => {
  const pod = aPod({ controller: named("ReplicaSet"), labels, ...change });
  expect([deployment, replicaSet].map((workload) => isOf(pod, workload))).toEqual(expected);
});
