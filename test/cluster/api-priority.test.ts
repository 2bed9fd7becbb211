import { CoreV1Api, FlowcontrolApiserverV1Api } from "@kubernetes/client-node";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { accessManifests } from "../../cli/manifests/access-manifests.ts";
import { pathOf } from "../../lambda/kubernetes/api-path.ts";
import { readRights } from "../../lambda/rights/rights-schema.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { limits } from "./fences.ts";
import { asTheFunction, asTheUpgrade } from "./function-identity.ts";
import { pod } from "./manifests.ts";

const name = "eks-node-lifecycle";
const { wanted } = readRights(accessManifests(), {
  ...limits,
  parts: ["flow", "rbac", "upgrades"],
});
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

it("a flood by one function keeps the requests of another waiting for a turn, and not for its end", async () => {
  const api = controlPlane.api(FlowcontrolApiserverV1Api);
  const core = controlPlane.api(CoreV1Api);
  const limited = "/spec/limited";
  // With few seats, a small flood is one.
  const few = [
    { op: "replace", path: `${limited}/nominalConcurrencyShares`, value: 1 },
    { op: "replace", path: `${limited}/lendablePercent`, value: 0 },
    { op: "add", path: `${limited}/borrowingLimitPercent`, value: 0 },
  ];
  await api.patchPriorityLevelConfiguration({ name, body: few });
  const seats = /^apiserver_flowcontrol_current_limit_seats.*"eks-node-lifecycle"\} (\d+)$/m;
  const metrics = () => controlPlane.kubectlText("get", "--raw", "/metrics");
  await vi.waitFor(
    async () => expect(Number(seats.exec(await metrics())?.[1])).toBeLessThan(5),
    patience,
  );
  const pods = Array.from({ length: 150 }, (_, index) => pod({ name: `web-${index}` }));
  await controlPlane.apply(...pods);

  let answers = 0;
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const flood = async () => {
    while (!over.signal.aborted) {
      await core.listPodForAllNamespaces({}, asTheFunction);
      answers += 1;
    }
  };
  const floods = Array.from({ length: 60 }, flood);
  await vi.waitFor(() => expect(answers).toBeGreaterThan(60), patience);
  const meanwhile: number[] = [];
  for (const _ of [1, 2, 3, 4, 5]) {
    const before = answers;
    await core.listNode({ limit: 1 }, asTheUpgrade);
    meanwhile.push(answers - before);
  }
  over.abort();
  await Promise.all(floods);
  // At the end of the flood each is some 55. A client that is busy reads its own answer late now and then.
  const [, , usual] = meanwhile.toSorted((one, other) => one - other);
  expect(usual).toBeLessThan(30);
}, 120_000);

it("the objects are where the deployer writes them", async () => {
  for (const object of wanted) {
    const found = await controlPlane.kubectlText("get", "--raw", pathOf(object));
    expect(JSON.parse(found)).toMatchObject({ metadata: { name: object.name } });
  }
});
