import { expect, it } from "vitest";
import type { ClusterObject } from "../../lambda/domain/cluster-object.ts";
import { grantAccess } from "../../lambda/flows/grant-access.ts";

const object = (name: string): ClusterObject => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  name,
  namespace: "",
  body: {},
});

it("what is wanted is applied in its order, then what no longer is goes, backwards", async () => {
  const done: string[] = [];
  const objects = {
    apply: async ({ name }: ClusterObject) => void done.push(`apply ${name}`),
    remove: async ({ name }: ClusterObject) => void done.push(`remove ${name}`),
  };
  const [a, b, c, d] = ["a", "b", "c", "d"].map(object) as [
    ClusterObject,
    ClusterObject,
    ClusterObject,
    ClusterObject,
  ];
  await grantAccess({ wanted: [a, d], former: [a, b, c] }, objects);
  expect(done).toEqual(["apply a", "apply d", "remove c", "remove b"]);
});
