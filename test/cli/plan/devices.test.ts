import { describe, expect, it } from "vitest";
import { main } from "../../../cli/main.ts";
import { forecastPodOf } from "../../../cli/plan/cluster-reader.ts";
import {
  type Devices,
  leaversAmong,
  nodesByDriver,
  withDevices,
} from "../../../cli/plan/device-claims.ts";
import { podUid } from "../../../lambda/base/ids.ts";
import type { ForecastPod } from "../../../lambda/forecast/forecast-pod.ts";
import { resourceClaims, resourceSlices } from "../../../sandbox/kubernetes/device-resources.ts";
import { demoNode } from "../../../sandbox/scenarios/demo-ng.ts";
import { aResident } from "../../forecast/a-forecast-input.ts";
import { aDaemonPod } from "../../support/builders.ts";
import { capturedIo } from "../captured-io.ts";
import { aSite, type Site } from "../connect/a-site.ts";
import { jsonLines } from "../json-lines-schema.ts";
import { aPlanner } from "./a-planner.ts";

const driver = "gpu.example.com";
const onNodes = (...names: readonly string[]) => [
  { labels: [], fields: [{ key: "metadata.name", operator: "In", values: names }] },
];
const bound = { from: "resource claim c", anyOf: onNodes("here") };

type Claim =
  Extract<Devices, { kind: "read" }>["claims"] extends ReadonlyMap<string, infer T> ? T : never;

const aClaim = (change: Partial<Claim> = {}): Claim => ({
  name: "c",
  state: "allocated",
  drivers: [driver],
  choice: "none",
  demands: [bound],
  consumers: ["1"],
  ...change,
});

const reading = (claim: Claim, on: Parameters<typeof nodesByDriver>[0][number]["on"]): Devices => ({
  kind: "read",
  claims: new Map([["demo/c", claim]]),
  cut: new Map(),
  nodes: nodesByDriver([{ driver, on }]),
});

const nothing = { kind: "read", claims: new Map(), nodes: new Map() } as const;
const cut = "there are more than 2000";

const claiming = aResident({ uid: podUid("1") }, { deviceClaims: [{ kind: "claim", name: "c" }] });

const placed = (devices: Devices, others: readonly ForecastPod[] = [], own = claiming) => {
  const { forecastPod, doubt } = withDevices(own, leaversAmong([own, ...others]), devices);
  return { from: forecastPod.demands.map(({ from }) => from), doubt };
};

describe("the nodes that have devices of a driver", () => {
  it("are each named once, however many slices a kubelet has made of its own node", () => {
    const [mine, other] = [onNodes("mine"), onNodes("other")];
    const slices = Array.from({ length: 50_000 }, () => ({ driver, on: onNodes("mine") }));
    const all = nodesByDriver([...slices, { driver, on: other }]);
    expect(all.get(driver)).toEqual([...mine, ...other]);
  });
});

describe("the replacement of a pod with a resource claim", () => {
  it("goes where the driver of its devices has some", () => {
    expect(placed(reading(aClaim(), onNodes("there")))).toEqual({
      from: [`no device of ${driver}`],
      doubt: "",
    });
    expect(placed(reading(aClaim(), "every node"))).toEqual({ from: [], doubt: "" });
  });

  it("goes nowhere if no node has a device of that driver", () => {
    const none = { ...reading(aClaim(), "every node"), nodes: new Map() };
    const { forecastPod } = withDevices(claiming, leaversAmong([claiming]), none);
    expect(forecastPod.demands).toEqual([{ from: `no device of ${driver}`, anyOf: [] }]);
  });

  it("stays bound to the node while a pod that stays uses the claim too", () => {
    const shared = reading(aClaim({ consumers: ["1", "2"] }), onNodes("there"));
    const friend = (change: Parameters<typeof aResident>[0]) =>
      aResident({ ...change, uid: podUid("2") });

    expect(placed(shared).from).toEqual(["resource claim c"]);
    expect(placed(shared, [friend({})]).from).toEqual([`no device of ${driver}`]);
    expect(placed(shared, [friend(aDaemonPod())]).from).toEqual(["resource claim c"]);
  });

  it.each<[string, Devices, ForecastPod]>([
    ["forbidden", { kind: "unread", why: "forbidden" }, claiming],
    ["not allocated", reading(aClaim({ state: "free" }), onNodes("there")), claiming],
    ["not allocated", { ...nothing, cut: new Map() }, claiming],
    ["there are more than 2000", { ...nothing, cut: new Map([["demo", cut]]) }, claiming],
    ["several kinds", reading(aClaim({ choice: "some" }), onNodes("there")), claiming],
    ["says of each device where it is", reading(aClaim(), "unknown"), claiming],
    [
      "extended resource",
      reading(aClaim(), onNodes("there")),
      { ...claiming, deviceClaims: [{ kind: "extended-resource", name: "c" }] },
    ],
  ])("counts as placeable where that is not known, and says why: %s", (why, devices, pod) => {
    const { from, doubt } = placed(devices, [], pod);
    expect(from).toEqual([]);
    expect(doubt).toMatch(/^demo\/\S+ \(/);
    expect(doubt).toContain(why);
  });
});

describe("the claims of a pod of the API", () => {
  it("are those that it names, those made for it, and one behind its extended resources", () => {
    const resources = { requests: { cpu: "1", "example.com/gpu": "1" } };
    const { deviceClaims, requests } = forecastPodOf({
      metadata: { name: "a", namespace: "demo", uid: "1" },
      spec: {
        containers: [{ name: "main", resources }],
        resourceClaims: [
          { name: "own", resourceClaimName: "mine" },
          { name: "made", resourceClaimTemplateName: "t" },
          { name: "unneeded", resourceClaimTemplateName: "u" },
        ],
      },
      status: {
        resourceClaimStatuses: [
          { name: "made", resourceClaimName: "a-made" },
          { name: "unneeded" },
        ],
        extendedResourceClaimStatus: {
          resourceClaimName: "a-extended",
          requestMappings: [
            { containerName: "main", requestName: "r", resourceName: "example.com/gpu" },
          ],
        },
      },
    });

    expect(deviceClaims).toEqual([
      { kind: "claim", name: "mine" },
      { kind: "claim", name: "a-made" },
      { kind: "extended-resource", name: "a-extended" },
    ]);
    expect(requests).toEqual({ cpu: 1000, pods: 1 });
  });
});

const leaving = "ip-192-168-18-230.eu-west-1.compute.internal";
const neighbour = "ip-192-168-43-17.eu-west-1.compute.internal";

/** Runs a Deployment of one pod on the node that leaves, with a claim to a device of it. */
function runClaiming({ cluster }: Site): void {
  const spec = { resourceClaims: [{ name: "gpu", resourceClaimName: "gpu" }] } as object;
  const pods = [{ name: "train-1", node: leaving }];
  cluster.addDeployment({ name: "train", namespace: "demo", spec, replicas: 1, pods });
  cluster.store.create(resourceClaims, {
    metadata: { name: "gpu", namespace: "demo" },
    spec: { devices: { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu" } }] } },
    status: {
      allocation: { devices: { results: [{ request: "gpu", driver, pool: "p", device: "d" }] } },
      reservedFor: [],
    },
  });
}

const slice = ({ cluster }: Site, nodeName: string) =>
  cluster.store.create(resourceSlices, {
    metadata: { name: `slice-${nodeName}` },
    spec: { driver, nodeName, pool: { name: nodeName } },
  });

async function plan() {
  const io = capturedIo();
  await main(["plan", "--cluster", demoNode.clusterName, leaving, "--json"], io);
  const all = jsonLines(io);
  return { text: JSON.stringify(all), summary: all.at(-1) as never };
}

describe("plan of a node whose pod has a resource claim", () => {
  const nowhere = `no device of ${driver} (2)`;

  it("tells that no other node has a device of its driver, until one has", async () => {
    const site = await aSite({ broken: "nothing", ...aPlanner() });
    runClaiming(site);
    slice(site, leaving);
    const alone = await plan();
    slice(site, neighbour);
    const both = await plan();

    expect(alone.text).toContain(nowhere);
    expect(both.text).not.toContain("no device of");
    for (const { summary } of [alone, both])
      expect(summary).toMatchObject({
        notLookedAt: expect.arrayContaining([
          "which devices are free, and what their classes select",
        ]),
      });
  });

  it("says that the claims of a namespace are too many, and reads no more of them", async () => {
    const site = await aSite({ broken: "nothing", ...aPlanner() });
    for (let made = 1; made <= 2600; made += 1)
      site.cluster.store.create(resourceClaims, {
        metadata: { name: `a-${made}`, namespace: "demo" },
        spec: {},
      });
    runClaiming(site);
    slice(site, leaving);

    const { text, summary } = await plan();

    expect(text).not.toContain("no device of");
    expect(summary).toMatchObject({
      remarks: expect.arrayContaining([
        expect.stringMatching(/demo\/train-1 \(not all .* of namespace demo were read: .* 2000/),
      ]),
    });
    const asked = site.cluster.audit.filter(({ requestURI }) =>
      requestURI.includes("/resourceclaims"),
    );
    expect(asked).toHaveLength(4);
  });

  it("says that it may not read claims, and tells the rest", async () => {
    const { rbac = [], ...who } = aPlanner();
    const without = rbac.map((one) =>
      one.kind === "ClusterRole" && "rules" in one
        ? {
            ...one,
            rules: (one.rules ?? []).filter(
              ({ apiGroups = [] }) => apiGroups[0] !== "resource.k8s.io",
            ),
          }
        : one,
    );
    const site = await aSite({ broken: "nothing", ...who, rbac: without });
    runClaiming(site);

    const { text, summary } = await plan();

    expect(text).not.toContain("no device of");
    expect(summary).toMatchObject({
      remarks: expect.arrayContaining([
        expect.stringMatching(/^the forecast leaves out devices .* demo\/train-1 \(.*forbidden/),
      ]),
    });
  });

  it("asks for no claims while no pod has any", async () => {
    const { cluster } = await aSite({ broken: "nothing" });
    await plan();
    expect(cluster.audit.some(({ requestURI }) => requestURI.includes("resource.k8s.io"))).toBe(
      false,
    );
  });
});
