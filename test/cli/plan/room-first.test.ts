import { expect, it, vi } from "vitest";
import { main } from "../../../cli/main.ts";
import { capturedIo } from "../captured-io.ts";
import { aSite, type Site } from "../connect/a-site.ts";
import { jsonLines } from "../json-lines-schema.ts";
import { aPlanner, aRoomPlanner } from "./a-planner.ts";

const patience = { timeout: 60_000 };
const leaving = "ip-192-168-18-230.eu-west-1.compute.internal";

/** A Deployment that may be surged, and a pod that two budgets select. */
function populate({ cluster }: Site): void {
  const at = { namespace: "shop", node: leaving };
  const pods = ["web-5d4f-1", "web-5d4f-2"].map((name) => ({ name, node: leaving }));
  cluster.addDeployment({ name: "web", namespace: "shop", replicas: 2, hash: "5d4f", pods });
  const web = { matchLabels: { app: "web" } };
  cluster.addBudget({ name: "web", namespace: "shop", selector: web, maxUnavailable: 0 });
  cluster.addPod({ ...at, name: "twice", labels: { app: "two" } });
  const two = { matchLabels: { app: "two" } };
  for (const name of ["first", "second"])
    cluster.addBudget({ name, namespace: "shop", selector: two, minAvailable: 1 });
}

const planned = async (...argv: readonly string[]) => {
  const io = capturedIo({ env: { NO_COLOR: "1" } });
  await main(["plan", "--cluster", "demo", leaving, ...argv], io);
  return io;
};

it("a plan says for which workloads room is made first, and why for others it is not", async () => {
  const site = await aSite();
  populate(site);
  const on = ["--set", "DRAIN_MAKE_ROOM=on"];
  const room = [
    { workload: "Deployment shop/web", from: 2, to: 3, why: "" },
    {
      workload: "Pod shop/twice",
      from: 0,
      to: 0,
      why: "no room is made: several budgets select it",
    },
  ];
  // The Deployment's controller says a moment later that all its pods are there.
  const last = async () => jsonLines(await planned("--json", ...on)).at(-1);
  await vi.waitFor(async () => expect(await last()).toMatchObject({ room }), patience);
  const { out } = await planned(...on);
  expect(out()).toContain("Deployment shop/web: 2 → 3 pods until those here are let go");
});

it("a plan says nothing of room where none is made", async () => {
  const site = await aSite();
  populate(site);
  expect(jsonLines(await planned("--json")).at(-1)).toMatchObject({ room: [] });
});

it("a plan makes do with the rights that it lists, and to say where room is made it reads what those for making room name", async () => {
  const site = await aSite(aRoomPlanner());
  populate(site);
  const last = async () => jsonLines(await planned("--json", "--set", "DRAIN_MAKE_ROOM=on")).at(-1);
  const room = [{ workload: "Deployment shop/web", why: "" }, { workload: "Pod shop/twice" }];
  await vi.waitFor(async () => expect(await last()).toMatchObject({ room }), patience);
});

it("a plan by somebody without these says so of each workload, and tells the rest", async () => {
  const site = await aSite(aPlanner());
  populate(site);
  const io = await planned("--json", "--set", "DRAIN_MAKE_ROOM=on");
  const why = expect.stringContaining("cluster.forbidden");
  expect(jsonLines(io).at(-1)).toMatchObject({
    room: [{ workload: "Deployment shop/web", why }, {}],
  });
});
