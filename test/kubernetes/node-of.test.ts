import type { V1Node } from "@kubernetes/client-node";
import { describe, expect, it } from "vitest";
import { Fault } from "../../lambda/base/fault.ts";
import { machineNodeOf, nodeOf } from "../../lambda/kubernetes/node-of.ts";
import { kubeObject, type Part } from "./kube-object.ts";

interface Parts {
  readonly metadata?: Part;
  readonly spec?: Part;
  readonly conditions?: unknown;
}

const node = ({ metadata, spec, conditions }: Parts = {}) =>
  nodeOf(
    kubeObject<V1Node>({
      metadata: {
        name: "node-1",
        uid: "4be7d7b5",
        resourceVersion: "42",
        labels: { zone: "a" },
        annotations: { "a/b": "c" },
        ...metadata,
      },
      spec: { providerID: "aws:///eu-west-1a/i-07e9ea9eb19a67337", ...spec },
      status: {
        conditions: conditions ?? [{ type: "Ready", status: "True" }],
        volumesAttached: [{ name: "kubernetes.io/csi/ebs.csi.aws.com^vol-1", devicePath: "" }],
        volumesInUse: [
          "kubernetes.io/csi/ebs.csi.aws.com^vol-2",
          "kubernetes.io/csi/ebs.csi.aws.com^vol-1",
        ],
      },
    }),
  );

describe("a node of the Kubernetes API", () => {
  it("is read with all that a drain needs", () => {
    expect(node()).toEqual({
      name: "node-1",
      uid: "4be7d7b5",
      providerId: "aws:///eu-west-1a/i-07e9ea9eb19a67337",
      resourceVersion: "42",
      unschedulable: false,
      readiness: "ready",
      readinessSince: 0,
      readinessMessage: "",
      labels: { zone: "a" },
      annotations: { "a/b": "c" },
      taints: [],
      volumes: [
        "kubernetes.io/csi/ebs.csi.aws.com^vol-2",
        "kubernetes.io/csi/ebs.csi.aws.com^vol-1",
      ],
    });
  });

  it("may have next to nothing", () => {
    const metadata = { name: "node-1", uid: "1", resourceVersion: "2" };
    expect(nodeOf(kubeObject<V1Node>({ metadata }))).toEqual({
      ...metadata,
      providerId: "",
      unschedulable: false,
      readiness: "not-ready",
      readinessSince: 0,
      readinessMessage: "",
      labels: {},
      annotations: {},
      taints: [],
      volumes: [],
    });
  });

  it.each([
    ["after its creation, where the clock of its kubelet is behind", "09:50", "10:00"],
    ["when its kubelet says", "10:01", "10:01"],
  ])("has been ready since %s", (_, said, since) => {
    const at = (time: string) => `2026-11-20T${time}:00Z`;
    const conditions = [{ type: "Ready", status: "True", lastTransitionTime: at(said) }];
    const metadata = { creationTimestamp: at("10:00") };
    expect(node({ metadata, conditions }).readinessSince).toBe(Date.parse(at(since)));
  });

  it.each(["name", "uid", "resourceVersion"])("without %s is a fault", (field) => {
    const read = () => node({ metadata: { [field]: undefined } });
    expect(read).toThrow(Fault);
    expect(read).toThrow(/^cluster\.refused: reading node .*: no name, uid or resourceVersion$/);
  });

  it("is cordoned if it says so", () => {
    expect(node({ spec: { unschedulable: true } }).unschedulable).toBe(true);
  });

  it("has taints, each with the time since which it has it", () => {
    const taints = [
      { key: "a", value: "b", effect: "NoSchedule" },
      { key: "c", effect: "NoExecute", timeAdded: "2026-11-20T12:00:00Z" },
    ];
    expect(node({ spec: { taints } }).taints).toEqual([
      { key: "a", value: "b", effect: "NoSchedule", timeAdded: "" },
      { key: "c", value: "", effect: "NoExecute", timeAdded: "2026-11-20T12:00:00Z" },
    ]);
  });

  // The API server shows 9999-12-31T23:59:59-23:59 so, and a kubelet may write it.
  it("is read though its times are of the year 10000", () => {
    const late = "10000-01-01T23:58:59Z";
    const taints = [{ key: "c", effect: "NoExecute", timeAdded: late }];
    const conditions = [
      { type: "Ready", status: "False", lastTransitionTime: late, lastHeartbeatTime: late },
    ];
    const metadata = { creationTimestamp: "2026-11-20T10:00:00Z" };
    expect(node({ metadata, spec: { taints }, conditions })).toMatchObject({
      taints: [{ key: "c", value: "", effect: "NoExecute", timeAdded: late }],
      readinessSince: Date.parse("2026-11-20T10:00:00Z"),
    });
  });

  it.each([
    ["True", "ready"],
    ["False", "not-ready"],
    ["Unknown", "unreachable"],
  ])("that is Ready=%s is %s", (status, readiness) => {
    const conditions = [
      { type: "MemoryPressure", status: "Unknown" },
      { type: "Ready", status },
    ];
    expect(node({ conditions }).readiness).toBe(readiness);
  });

  it("says why it is not ready", () => {
    const message = "container runtime network not ready";
    const conditions = [{ type: "Ready", status: "False", reason: "KubeletNotReady", message }];
    expect(node({ conditions }).readinessMessage).toBe(message);
  });

  it("is not ready if it never said whether it is", () => {
    expect(node({ conditions: [{ type: "DiskPressure", status: "Unknown" }] }).readiness).toBe(
      "not-ready",
    );
  });
});

describe("the machine of a node", () => {
  const conditionsOf = (conditions: readonly object[]) =>
    machineNodeOf(
      kubeObject<V1Node>({
        metadata: { name: "node-1", uid: "1", resourceVersion: "2" },
        status: { conditions },
      }),
    ).conditions;
  const at = "2026-11-20T10:00:00Z";
  const ready = {
    type: "Ready",
    status: "True",
    lastTransitionTime: at,
    lastHeartbeatTime: "2026-11-20T10:05:00Z",
  };

  it.each([
    ["f81ba2b5-3aaa-44c7-a51e-0e1e6b3d2f71", "f81ba2b5-3aaa-44c7-a51e-0e1e6b3d2f71"],
    ["17", "17"],
    ["two words", ""],
    ["", ""],
    ["a".repeat(101), ""],
    ["line\nend", ""],
  ])("with the boot id %j has %j, for a mark has it as one word", (bootID, bootId) => {
    const metadata = { name: "node-1", uid: "1", resourceVersion: "2" };
    const status = { nodeInfo: { bootID } };
    expect(machineNodeOf(kubeObject<V1Node>({ metadata, status })).bootId).toBe(bootId);
  });

  it("dates a condition of a year that nobody can write as long ago", () => {
    const late = "10000-01-01T23:58:59Z";
    const found = conditionsOf([{ ...ready, lastTransitionTime: late, lastHeartbeatTime: late }]);
    expect(found).toMatchObject([{ type: "Ready", since: 0 }]);
  });

  it("has one condition of each type, the first", () => {
    const found = conditionsOf([
      ready,
      { type: "KernelReady", status: "False", reason: "a" },
      {
        type: "KernelReady",
        status: "True",
        reason: "b",
      },
    ]);
    expect(found).toMatchObject([
      { type: "Ready", status: "True", since: Date.parse(at) },
      { type: "KernelReady", status: "False", reason: "a" },
    ]);
  });

  it.each([
    ["of one type", () => "KernelReady"],
    ["of as many types", (index: number) => `T${index}`],
  ])("is read with 120,000 conditions %s, and keeps few", (_, typeOf) => {
    const others = Array.from({ length: 120_000 }, (__, index) => ({
      type: typeOf(index),
      status: "False",
      lastTransitionTime: at,
    }));
    const found = conditionsOf([ready, ...others]);
    expect(found[0]).toMatchObject({ type: "Ready" });
    expect(found.length).toBeLessThanOrEqual(200);
  });
});
