import { CoreV1Api, ResourceV1Api } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { main } from "../../cli/main.ts";
import { capturedIo } from "../cli/captured-io.ts";
import { jsonLines } from "../cli/json-lines-schema.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { deployment } from "./manifests.ts";

const patience = { timeout: 60_000, interval: 250 };
const driver = "gpu.example.com";
const [own, other] = ["node-a", "node-b"] as const;
const apiVersion = "resource.k8s.io/v1";

const deviceClass = {
  apiVersion,
  kind: "DeviceClass",
  metadata: { name: "gpu" },
  spec: { selectors: [{ cel: { expression: `device.driver == "${driver}"` } }] },
};
const claimTemplate = {
  apiVersion,
  kind: "ResourceClaimTemplate",
  metadata: { name: "gpu", namespace: "default" },
  spec: {
    spec: { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu" } }] } },
  },
};
/** A device of a node, as its driver publishes it. */
const sliceOf = (nodeName: string) => ({
  apiVersion,
  kind: "ResourceSlice",
  metadata: { name: `gpus-of-${nodeName}` },
  spec: {
    driver,
    nodeName,
    pool: { name: nodeName, generation: 1, resourceSliceCount: 1 },
    devices: [{ name: "gpu-0" }],
  },
});
const train = deployment({
  name: "train",
  replicas: 1,
  spec: { resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "gpu" }] },
});

describe("a plan of a node with a device that the scheduler has allocated to a pod", () => {
  let controlPlane: ControlPlane;

  beforeAll(async () => {
    const nodes = [own, other].map((name, index) => ({
      name,
      instanceId: `i-0000000000000000${index + 1}`,
      zone: "eu-west-1a",
    }));
    controlPlane = await startControlPlane({ nodes });
  }, 120_000);
  afterAll(() => controlPlane?.stop());

  /** Why the replacement of the pod finds no place; empty if it finds one. */
  async function reason(): Promise<string> {
    const io = capturedIo();
    await main(["plan", own, "--kubeconfig", controlPlane.kubeconfig, "--json"], io);
    const pods = jsonLines(io).flatMap(({ pods: all = [] }) => all as readonly never[]);
    const its = pods.find(({ pod }: { readonly pod: string }) => pod.startsWith("default/train"));
    return (its as { readonly placeReason: string } | undefined)?.placeReason ?? "no such pod";
  }

  it("tells that no other node has one, until another has", async () => {
    await controlPlane.apply(deviceClass, claimTemplate, sliceOf(own), train);
    await vi.waitFor(async () => {
      const { items: pods } = await controlPlane
        .api(CoreV1Api)
        .listNamespacedPod({ namespace: "default" });
      expect(pods.map(({ spec }) => spec?.nodeName)).toEqual([own]);
    }, patience);
    const { items: claims } = await controlPlane
      .api(ResourceV1Api)
      .listNamespacedResourceClaim({ namespace: "default" });
    expect(claims[0]?.status?.allocation?.devices?.results?.[0]?.driver).toBe(driver);

    expect(await reason()).toContain(`no device of ${driver} (1)`);

    await controlPlane.apply(sliceOf(other));
    expect(await reason()).toBe("");
  });
});
