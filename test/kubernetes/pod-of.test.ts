import type { V1Pod } from "@kubernetes/client-node";
import { describe, expect, it } from "vitest";
import { Fault } from "../../lambda/base/fault.ts";
import { minutes, seconds } from "../../lambda/base/time.ts";
import { podOf } from "../../lambda/kubernetes/pod-of.ts";
import { ago, ahead } from "../support/builders.ts";
import { kubeObject, type Part } from "./kube-object.ts";

const owner = {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  name: "web-7587998bf4",
  uid: "d9607e19-f88f-11e6-a518-42010a800195",
  controller: true,
  blockOwnerDeletion: true,
};

interface Parts {
  readonly metadata?: Part;
  readonly spec?: Part;
  readonly status?: Part;
}

const pod = ({ metadata, spec, status }: Parts = {}) =>
  podOf(
    kubeObject<V1Pod>({
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        namespace: "demo",
        name: "web-1",
        uid: "5d1f9c1e-0d7b-4f0e-9c55-3a7f1b1d2c3b",
        creationTimestamp: "2026-11-20T11:00:00Z",
        labels: { app: "web" },
        ownerReferences: [owner],
        ...metadata,
      },
      spec: { nodeName: "node-1", containers: [], terminationGracePeriodSeconds: 60, ...spec },
      status: {
        phase: "Running",
        startTime: "2026-11-20T11:01:00Z",
        conditions: [{ type: "Ready", status: "True" }],
        ...status,
      },
    }),
  );

describe("a pod of the Kubernetes API", () => {
  it("is read with all that a drain needs", () => {
    expect(pod()).toEqual({
      namespace: "demo",
      name: "web-1",
      uid: "5d1f9c1e-0d7b-4f0e-9c55-3a7f1b1d2c3b",
      node: "node-1",
      phase: "Running",
      ready: true,
      created: ago(minutes(60)),
      started: ago(minutes(59)),
      controller: {
        kind: "owner",
        type: "ReplicaSet",
        apiVersion: "apps/v1",
        name: "web-7587998bf4",
        uid: owner.uid,
      },
      mirror: false,
      priorityClass: "",
      grace: seconds(60),
      termination: { kind: "active" },
      labels: { app: "web" },
      annotations: {},
      tolerations: [],
      finalizers: [],
      claims: [],
      localStorage: false,
      csiNodePlugin: false,
    });
  });

  it("may have next to nothing", () => {
    const metadata = { namespace: "demo", name: "web-1", uid: "1" };
    const bare = kubeObject<V1Pod>({ metadata, spec: { containers: [] } });
    expect(podOf(bare)).toMatchObject({
      node: "",
      phase: "Unknown",
      ready: false,
      created: 0,
      started: 0,
      controller: { kind: "none" },
      grace: seconds(30),
      labels: {},
      annotations: {},
      finalizers: [],
    });
  });

  it.each(["namespace", "name", "uid"] as const)("without %s is a fault", (field) => {
    const read = () => pod({ metadata: { [field]: undefined } });
    expect(read).toThrow(Fault);
    const title = { namespace: "undefined/web-1", name: "demo/undefined", uid: "demo/web-1" };
    expect(read).toThrow(`cluster.refused: reading pod ${title[field]}: no namespace, name or uid`);
  });

  it("without a spec is a fault", () => {
    const metadata = { namespace: "demo", name: "web-1", uid: "1" };
    const read = () => podOf(kubeObject<V1Pod>({ metadata }));
    expect(read).toThrow("cluster.refused: reading pod web-1: no spec");
  });
});

describe("the state of a pod", () => {
  it.each([
    ["Pending", "Pending"],
    ["Running", "Running"],
    ["Succeeded", "Succeeded"],
    ["Failed", "Failed"],
    ["Unknown", "Unknown"],
    ["Dreaming", "Unknown"],
    [undefined, "Unknown"],
  ])("in phase %s is %s", (phase, expected) => {
    expect(pod({ status: { phase } }).phase).toBe(expected);
  });

  it.each([
    [[{ type: "Ready", status: "True" }], true],
    [[{ type: "Ready", status: "False" }], false],
    [[{ type: "Ready", status: "Unknown" }], false],
    [[{ type: "ContainersReady", status: "True" }], false],
    [[], false],
    [undefined, false],
    [
      [
        { type: "Initialized", status: "False" },
        { type: "Ready", status: "True" },
      ],
      true,
    ],
  ])("with conditions %j is ready: %j", (conditions, ready) => {
    expect(pod({ status: { conditions } }).ready).toBe(ready);
  });

  it("counts from its creation where the clock of its kubelet is behind", () => {
    const startTime = new Date(ago(minutes(70))).toISOString();
    expect(pod({ status: { startTime } }).started).toBe(ago(minutes(60)));
  });

  it("counts from its creation until its kubelet has started it", () => {
    expect(pod({ status: { startTime: undefined } }).started).toBe(ago(minutes(60)));
  });

  it("is terminating since it was deleted, until the grace of that deletion ends, whatever its own", () => {
    const deletion = {
      deletionTimestamp: "2026-11-20T12:00:30Z",
      deletionGracePeriodSeconds: 20,
    };
    expect(pod({ metadata: deletion }).termination).toEqual({
      kind: "terminating",
      since: ahead(seconds(10)),
      until: ahead(seconds(30)),
    });
  });
});

describe("what keeps a pod alive", () => {
  it("is the owner that is its controller, not the first owner", () => {
    const other = { ...owner, kind: "Workflow", uid: "2", controller: false };
    expect(pod({ metadata: { ownerReferences: [other, owner] } }).controller).toMatchObject({
      type: "ReplicaSet",
    });
  });

  it.each([
    ["there is no owner", undefined],
    ["no owner is", [{ ...owner, controller: false }]],
    ["no owner says so", [{ ...owner, controller: undefined }]],
  ])("is nobody if %s", (_, ownerReferences) => {
    expect(pod({ metadata: { ownerReferences } }).controller).toEqual({ kind: "none" });
  });
});

describe("a pod is a mirror", () => {
  it.each(["", "abc", "false"])("by its annotation, whatever the value: %j", (value) => {
    const annotations = { "kubernetes.io/config.mirror": value };
    expect(pod({ metadata: { annotations } }).mirror).toBe(true);
  });

  it("by its owner, the node, whether that is its controller or not", () => {
    const node = { apiVersion: "v1", kind: "Node", name: "node-1", uid: "3" };
    expect(pod({ metadata: { ownerReferences: [node] } }).mirror).toBe(true);
    expect(pod({ metadata: { ownerReferences: [{ ...node, controller: true }] } }).mirror).toBe(
      true,
    );
    expect(pod({ metadata: { ownerReferences: [owner, node] } }).mirror).toBe(true);
  });

  it.each([
    ["an owner of another group", { ownerReferences: [{ ...owner, kind: "Node" }] }],
    ["an owner of another Kind", { ownerReferences: [{ ...owner, apiVersion: "v1" }] }],
    ["another annotation", { annotations: { "kubernetes.io/config.source": "file" } }],
  ])("but not by %s", (_, metadata) => {
    expect(pod({ metadata }).mirror).toBe(false);
  });
});

describe("the wishes of a pod", () => {
  it("are its class, its grace, its finalizers and its annotations", () => {
    const read = pod({
      metadata: { finalizers: ["example.com/a"], annotations: { "a/b": "c" } },
      spec: { priorityClassName: "system-node-critical", terminationGracePeriodSeconds: 0 },
    });
    expect(read).toMatchObject({
      priorityClass: "system-node-critical",
      grace: 0,
      finalizers: ["example.com/a"],
      annotations: { "a/b": "c" },
    });
  });

  it("has 30 s of grace if it names no other, as in the API server", () => {
    expect(pod({ spec: { terminationGracePeriodSeconds: undefined } }).grace).toBe(seconds(30));
  });

  it("are its tolerations, with the meaning that Kubernetes gives them", () => {
    const all = { operator: "Exists" };
    const exact = { key: "a", operator: "Equal", value: "b", effect: "NoSchedule" };
    const brief = { key: "a", value: "b", tolerationSeconds: 5 };
    expect(pod({ spec: { tolerations: [all, exact, brief] } }).tolerations).toEqual([
      { key: "", operator: "Exists", value: "", effect: "" },
      { key: "a", operator: "Equal", value: "b", effect: "NoSchedule" },
      { key: "a", operator: "Equal", value: "b", effect: "" },
    ]);
  });

  it("are distinct claims that there can be, and of very many the first hundred and one", () => {
    const many = Array.from({ length: 200 }, (_, index) => `claim-${index}`);
    const volumes = ["data", "data", "..", "x".repeat(70_000), ...many].map((claimName, index) => ({
      name: `volume-${index}`,
      persistentVolumeClaim: { claimName },
    }));
    expect(pod({ spec: { volumes } }).claims).toEqual(["data", ...many.slice(0, 100)]);
  });

  it("are its claims, those of ephemeral volumes too, and scratch data", () => {
    const volumes = [
      { name: "data", persistentVolumeClaim: { claimName: "data-web-1" } },
      { name: "scratch", ephemeral: { volumeClaimTemplate: { spec: {} } } },
      { name: "config", configMap: { name: "config" } },
    ];
    expect(pod({ spec: { volumes } })).toMatchObject({
      claims: ["data-web-1", "web-1-scratch"],
      localStorage: false,
    });
    const scratch = { name: "tmp", emptyDir: {} };
    expect(pod({ spec: { volumes: [...volumes, scratch] } })).toMatchObject({
      claims: ["data-web-1", "web-1-scratch"],
      localStorage: true,
    });
  });

  it.each([
    ["/var/lib/kubelet/plugins_registry/", true],
    ["/var/lib/k0s/kubelet/plugins_registry", true],
    ["/var/lib/kubelet/plugins", false],
    ["/plugins_registry/mine", false],
  ])("are a CSI driver's where it makes itself known to the kubelet: %s", (path, csiNodePlugin) => {
    const volumes = [{ name: "registration-dir", hostPath: { path } }];
    expect(pod({ spec: { volumes } })).toMatchObject({ csiNodePlugin });
  });
});
