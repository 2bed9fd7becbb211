import { describe, expect, it } from "vitest";
import { replicaOf } from "../../lambda/kubernetes/making-room/replica-of.ts";

const many = Array.from({ length: 20_000 }, (_, index) => `example.com/r${index}`);
const labels = { app: "web" };
const hostname = "kubernetes.io/hostname";
const metadata = { namespace: "demo", name: "web-1", uid: "1", labels };
const main = { name: "main", image: "web:1" };

/** A pod that keeps apart from its like by labels of nodes. */
const keepingApartBy = (...keys: readonly string[]) => {
  const requiredDuringSchedulingIgnoredDuringExecution = keys.map((topologyKey) => ({
    topologyKey,
    labelSelector: {},
  }));
  const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution };
  const { apart } = replicaOf({
    metadata,
    spec: { containers: [main], affinity: { podAntiAffinity } },
  });
  return apart.map(({ label }) => label);
};

describe("a pod of a workload that somebody has made large", () => {
  it("keeps apart from others by a label once, however often it says so, and by few labels", () => {
    expect(keepingApartBy(...many.map(() => hostname), "zone")).toEqual([hostname, "zone"]);
    expect(keepingApartBy(hostname, ...many)).toHaveLength(16);
  });

  it("requests the usual resources, if it requests thousands of others, which a reason would name for each node", () => {
    const requests = { cpu: "1", ...Object.fromEntries(many.map((name) => [name, "1"])) };
    const read = replicaOf({
      metadata,
      spec: { containers: [{ ...main, resources: { requests } }] },
    });
    expect(read.requests).toEqual({ cpu: 1000, pods: 1 });
  });

  it("demands nothing of its node, if a demand is without end, which is compared with each node", () => {
    const matchExpressions = [{ key: hostname, operator: "In", values: many }];
    const nodeAffinity = {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] },
    };
    const read = replicaOf({ metadata, spec: { containers: [main], affinity: { nodeAffinity } } });
    expect(read.demands).toEqual([]);
  });
});
