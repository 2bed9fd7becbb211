import { expect, it } from "vitest";
import { main } from "../../../cli/main.ts";
import { statusRights as roomRights } from "../../../cli/making-room/subject.ts";
import { statusActions, statusRights } from "../../../cli/status/status-command.ts";
import type { PolicyRule } from "../../../sandbox/kubernetes/api/authorizer.ts";
import { capturedIo } from "../captured-io.ts";
import { aSite } from "../connect/a-site.ts";
import { askedActions } from "../connect/asked-actions.ts";
import { jsonLines } from "../json-lines-schema.ts";
import { aSurge } from "./a-surge.ts";
import { viewerWith } from "./viewer-with.ts";

it("status makes every call that it says it needs in AWS, and no other", async () => {
  const asked = askedActions(await aSite({ broken: "budget-blocked" }));

  expect(await main(["status", "demo"], capturedIo())).toBe(0);

  expect([...asked].toSorted()).toEqual(statusActions.toSorted());
});

it("status makes do with the rights in the cluster that it says it needs", async () => {
  await aSite(viewerWith(...statusRights));
  const io = capturedIo();

  expect(await main(["status", "demo", "--json"], io)).toBe(0);

  expect(jsonLines(io)).toMatchObject([
    { gaps: [], held: [{ node: { pods: [{ budgets: [{ budget: "demo/nginx-demo" }] }, {}] } }] },
  ]);
});

const surgedWith = async (...rules: readonly PolicyRule[]) => {
  aSurge(await aSite({ ...viewerWith(...rules), settings: { DRAIN_MAKE_ROOM: "on" } }));
  const io = capturedIo();
  await main(["status", "demo", "--json"], io);
  return jsonLines(io);
};

it("status makes do with the rights that it lists besides where room is made", async () => {
  expect(await surgedWith(...statusRights, ...roomRights)).toMatchObject([
    { gaps: [], room: [{ workload: "shop/deployment/web" }] },
  ]);
});

it("status names these rights where they are missing", async () => {
  const remedy = expect.stringContaining(
    "may get and list deployments, replicasets and scaledobjects.keda.sh, list horizontalpodautoscalers",
  );
  expect(await surgedWith(...statusRights)).toMatchObject([
    { gaps: [{ source: "workloads", remedy }], room: [] },
  ]);
});

it("status names the right in the cluster that is missing", async () => {
  await aSite({ group: "nobodies" });
  const io = capturedIo();

  expect(await main(["status", "demo", "--json"], io)).toBe(1);

  expect(jsonLines(io)).toMatchObject([
    {
      gaps: [
        {
          source: "nodes",
          why: expect.stringContaining("cluster.forbidden: listing nodes"),
          remedy: expect.stringContaining("list nodes, pods and poddisruptionbudgets"),
        },
      ],
    },
  ]);
});
