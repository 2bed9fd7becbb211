import { describe, expect, it } from "vitest";
import { forecastPodOf, volumeOf, withVolumes } from "../../../cli/plan/cluster-reader.ts";
import { seconds } from "../../../lambda/base/time.ts";
import {
  amountOf,
  demandsOf,
  requestsOf,
} from "../../../lambda/kubernetes/reschedulable-pod-of.ts";
import { aResident } from "../../forecast/a-forecast-input.ts";

const asking = (cpu: string, more = {}) => ({
  name: "main",
  resources: { requests: { cpu } },
  ...more,
});

describe("an amount", () => {
  it.each([
    ["cpu", "250m", 250],
    ["cpu", "1.5", 1500],
    ["cpu", "2", 2000],
    ["memory", "1Gi", 2 ** 30],
    ["memory", "128974848", 128974848],
    ["memory", "129e6", 129e6],
    ["memory", "1M", 1e6],
    ["nvidia.com/gpu", "2", 2],
    ["memory", "much", 0],
  ])("of %s is read: %s", (resource, quantity, amount) => {
    expect(amountOf(resource, quantity)).toBe(amount);
  });
});

describe("what a pod asks for", () => {
  it("is the sum of its containers, its sidecars and its overhead", () => {
    const initContainers = [asking("1", { restartPolicy: "Always" }), asking("500m")];
    const containers = [asking("1"), asking("1")];

    expect(requestsOf({ initContainers, containers, overhead: { cpu: "100m" } })).toEqual({
      cpu: 3100,
      pods: 1,
    });
  });

  it("is what its largest init container asks for, where that is more", () => {
    const initContainers = [asking("1", { restartPolicy: "Always" }), asking("4"), asking("2")];

    expect(requestsOf({ initContainers, containers: [asking("1")] })).toMatchObject({ cpu: 5000 });
  });

  it("is what the pod as a whole asks for, where it says so", () => {
    const resources = { requests: { cpu: "500m" } };

    expect(requestsOf({ resources, containers: [asking("1")] })).toMatchObject({ cpu: 500 });
  });

  it("is added up in one go, however many sidecars somebody has written", () => {
    const many = 100;
    let looks = 0;
    const initContainers = Array.from({ length: many }, (_, at) => ({
      name: `sidecar-${at}`,
      restartPolicy: "Always",
      get resources() {
        looks += 1;
        return { requests: { cpu: "1" } };
      },
    }));

    expect(requestsOf({ initContainers, containers: [] })).toEqual({ cpu: many * 1000, pods: 1 });

    expect(looks).toBeLessThan(3 * many);
  });
});

describe("what a pod demands of its node", () => {
  it("is its node selector, its required node affinity, and what its volumes demand", () => {
    const zone = { key: "zone", operator: "In", values: ["a"] };
    const terms = { nodeSelectorTerms: [{ matchExpressions: [zone] }] };
    const required = { requiredDuringSchedulingIgnoredDuringExecution: terms };
    const affinity = { nodeAffinity: required };
    const volume = volumeOf({
      metadata: { name: "pv-1" },
      spec: {
        csi: { driver: "ebs.csi.aws.com", volumeHandle: "vol-1" },
        nodeAffinity: { required: terms },
      },
    });

    const demands = demandsOf({ nodeSelector: { disk: "fast" }, affinity, containers: [] });
    const { pod } = aResident({ claims: ["data"] });
    const forecastPod = withVolumes(aResident(pod, { demands }), new Map([["demo/data", volume]]));

    expect(forecastPod.demands.map(({ from }) => from)).toEqual([
      "node selector",
      "node affinity",
      "volume pv-1",
    ]);
    expect(forecastPod.demands.at(-1)?.anyOf).toEqual([{ labels: [zone], fields: [] }]);
    expect(forecastPod.attached).toEqual(["pv-1"]);
  });

  it.each([
    [{ local: { path: "/disk" } }, "local"],
    [{ hostPath: { path: "/disk" } }, "local"],
    [{ csi: { driver: "efs.csi.aws.com", volumeHandle: "fs-1" } }, "shared"],
    [{ csi: { driver: "ebs.csi.aws.com", volumeHandle: "vol-1" } }, "attached"],
  ])("depends on the kind of a volume: %j is %s", (spec, kind) => {
    expect(volumeOf({ metadata: { name: "pv-1" }, spec }).kind).toBe(kind);
  });
});

describe("a pod of the API", () => {
  const at = (second: number) => `2026-11-20T12:00:${String(second).padStart(2, "0")}Z`;
  const sent = (restartCount: number) => ({
    metadata: { namespace: "demo", name: "web-1", uid: "1", creationTimestamp: at(0) },
    spec: {
      containers: [],
      restartPolicy: "OnFailure",
      volumes: [
        { name: "cache", emptyDir: {} },
        { name: "data", hostPath: { path: "/data" } },
        { name: "certificates", hostPath: { path: "/etc/ssl" } },
      ],
    },
    status: {
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: at(12) }],
      containerStatuses: [{ name: "main", image: "", imageID: "", ready: true, restartCount }],
    },
  });

  it("tells how long it took to become ready, unless it was started again", () => {
    expect(forecastPodOf(sent(0)).readyAfter).toBe(seconds(12));
    expect(forecastPodOf(sent(1)).readyAfter).toBe("unknown");
  });

  it("tells which data its node keeps, and whether it may end by itself", () => {
    const { localData, life } = forecastPodOf(sent(0));

    expect(localData).toEqual([
      { volume: "emptyDir", name: "cache" },
      { volume: "hostPath", name: "/data" },
    ]);
    expect(life).toBe("until it ends");
  });
});
