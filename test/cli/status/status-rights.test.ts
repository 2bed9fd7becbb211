import { expect, it } from "vitest";
import { main } from "../../../cli/main.ts";
import { statusActions, statusRights } from "../../../cli/status/status-command.ts";
import { capturedIo } from "../captured-io.ts";
import { aSite } from "../connect/a-site.ts";
import { jsonLines } from "../json-lines-schema.ts";

it("status makes every call that it says it needs in AWS, and no other", async () => {
  const { aws } = await aSite({ broken: "budget-blocked" });
  const asked = new Set<string>();
  aws.authorize = ({ principal, action }) => {
    if (principal.includes("/person/")) asked.add(action);
    return "allowed";
  };

  expect(await main(["status", "demo"], capturedIo())).toBe(0);

  expect([...asked].toSorted()).toEqual(statusActions.toSorted());
});

it("status makes do with the rights in the cluster that it says it needs", async () => {
  const name = "viewer";
  const roleRef = { kind: "ClusterRole", name };
  const subjects = [{ kind: "Group", name }];
  await aSite({
    broken: "budget-blocked",
    group: name,
    rbac: [
      { kind: "ClusterRole", metadata: { name }, rules: statusRights },
      { kind: "ClusterRoleBinding", metadata: { name }, roleRef, subjects },
    ],
  });
  const io = capturedIo();

  expect(await main(["status", "demo", "--json"], io)).toBe(0);

  expect(jsonLines(io)).toMatchObject([
    { gaps: [], held: [{ node: { pods: [{ budgets: [{ budget: "demo/nginx-demo" }] }, {}] } }] },
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
