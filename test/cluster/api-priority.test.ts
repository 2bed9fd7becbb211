import { CoreV1Api, FlowcontrolApiserverV1Api } from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { accessManifests } from "../../cli/manifests/access-manifests.ts";
import { pathOf } from "../../lambda/kubernetes/api-path.ts";
import { readRights } from "../../lambda/rights/rights-schema.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { limits } from "./fences.ts";
import { asTheFunction } from "./function-identity.ts";

const name = "eks-node-lifecycle";
const { wanted } = readRights(accessManifests(), { ...limits, parts: ["flow", "rbac"] });
const patience = { timeout: 30_000, interval: 250 };

let controlPlane: ControlPlane;
beforeAll(async () => {
  controlPlane = await startControlPlane({ nodes: [] });
  await controlPlane.apply(...wanted.map(({ body }) => JSON.stringify(body)));
}, 120_000);
afterAll(() => controlPlane.stop());

/** The UIDs of the FlowSchema and the priority level that the API server gave a request to. */
async function classOf(identity: typeof asTheFunction | undefined) {
  const core = controlPlane.api(CoreV1Api);
  const { headers } = await core.listNodeWithHttpInfo({ limit: 1 }, identity);
  return [headers["x-kubernetes-pf-flowschema-uid"], headers["x-kubernetes-pf-prioritylevel-uid"]];
}

it("the API server gives the function's requests, and no others, to the function's priority level", async () => {
  const api = controlPlane.api(FlowcontrolApiserverV1Api);
  const schema = await api.readFlowSchema({ name });
  const level = await api.readPriorityLevelConfiguration({ name });
  const own = [schema.metadata?.uid, level.metadata?.uid];

  await vi.waitFor(async () => expect(await classOf(asTheFunction)).toEqual(own), patience);
  expect(await classOf(undefined)).not.toEqual(own);
});

it("the objects are where the deployer writes them", async () => {
  for (const object of wanted) {
    const found = await controlPlane.kubectlText("get", "--raw", pathOf(object));
    expect(JSON.parse(found)).toMatchObject({ metadata: { name: object.name } });
  }
});
