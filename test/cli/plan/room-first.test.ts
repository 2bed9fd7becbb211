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
  expect(out()).toContain(`\
Wait:
  Deployment shop/web: web-5d4f-1, web-5d4f-2
    room is made first: Deployment shop/web 2 → 3 pods
`);
});

it("a plan is done where room is made for all that budgets hold, once for nodes that leave together", async () => {
  const site = await aSite();
  const { cluster } = site;
  const second = "ip-192-168-43-17.eu-west-1.compute.internal";
  const pods = [
    { name: "web-5d4f-1", node: leaving },
    { name: "web-5d4f-2", node: second },
  ];
  cluster.addDeployment({ name: "web", namespace: "shop", replicas: 2, hash: "5d4f", pods });
  const selector = { matchLabels: { app: "web" } };
  cluster.addBudget({ name: "web", namespace: "shop", selector, maxUnavailable: 0 });
  const codeOf = async (...argv: readonly string[]) => {
    const io = capturedIo({ env: { NO_COLOR: "1" } });
    const code = await main(["plan", "--cluster", "demo", leaving, second, ...argv], io);
    return { code, io };
  };
  const on = ["--set", "DRAIN_MAKE_ROOM=on", "--json"];

  await vi.waitFor(async () => expect((await codeOf(...on)).code).toBe(0), patience);

  expect((await codeOf("--json")).code).toBe(3);
  const told = jsonLines((await codeOf(...on)).io);
  const room = [{ workload: "Deployment shop/web", from: 2, to: 3, why: "" }];
  expect(told.at(-1)).toMatchObject({ exitCode: 0, blockers: [], room });
  const fates = told.flatMap(({ pods: own = [] }) =>
    (own as readonly { readonly pod: string; readonly fate: string }[])
      .filter(({ pod }) => pod.startsWith("shop/"))
      .map(({ fate }) => fate),
  );
  expect(fates).toEqual(["waits", "waits"]);
  // The second pod more is made once the first is let go.
  const times = told.flatMap(({ withForce }) =>
    withForce === undefined ? [] : [(withForce as { readonly seconds: number }).seconds],
  );
  expect(times).toEqual([expect.any(Number), expect.any(Number)]);
  expect(times[1]).toBeGreaterThan((times[0] ?? 0) + 3);
});

it("a plan says that no room is made for a workload whose budget also selects pods of others", async () => {
  const site = await aSite();
  const { cluster } = site;
  const pods = [{ name: "web-5d4f-1", node: leaving }];
  const part = { part: "both" };
  const labels = { ...part, app: "web" };
  cluster.addDeployment({
    name: "web",
    namespace: "shop",
    replicas: 1,
    hash: "5d4f",
    pods,
    labels,
  });
  const others = { ...part, app: "other" };
  cluster.addPod({ name: "other", namespace: "shop", node: leaving, labels: others });
  const selector = { matchLabels: part };
  cluster.addBudget({ name: "both", namespace: "shop", selector, minAvailable: 2 });
  const why = "no room is made: its budget also selects pods of others, such as shop/other";
  const last = async () => jsonLines(await planned("--json", "--set", "DRAIN_MAKE_ROOM=on")).at(-1);
  const told = expect.arrayContaining([{ workload: "Deployment shop/web", from: 1, to: 1, why }]);
  await vi.waitFor(async () => expect(await last()).toMatchObject({ room: told }), patience);
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
  const why = expect.stringContaining("cluster.forbidden");
  const room = [{ workload: "Deployment shop/web", why }, {}];
  const last = async () => jsonLines(await planned("--json", "--set", "DRAIN_MAKE_ROOM=on")).at(-1);
  await vi.waitFor(async () => expect(await last()).toMatchObject({ room }), patience);
});
