import { describe, expect, it } from "vitest";
import type { ClusterObject } from "../../lambda/domain/cluster-object.ts";
import { grantAccess } from "../../lambda/flows/grant-access.ts";

const object = (name: string): ClusterObject => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  name,
  namespace: "",
  body: {},
});

const [a, b, c, d] = ["a", "b", "c", "d"].map(object) as [
  ClusterObject,
  ClusterObject,
  ClusterObject,
  ClusterObject,
];

/** A cluster with some objects, which refuses to do some things. */
function aCluster({ present = [], refuses = [] }: Record<string, readonly string[]> = {}) {
  const done: string[] = [];
  const there = new Set(present);
  const attempt = (what: string) => {
    done.push(what);
    if (refuses.includes(what)) throw new Error(`cannot ${what}`);
  };
  const objects = {
    async apply({ name }: ClusterObject) {
      attempt(`apply ${name}`);
      const found = there.has(name);
      there.add(name);
      return found ? ("changed" as const) : ("created" as const);
    },
    async remove({ name }: ClusterObject) {
      attempt(`remove ${name}`);
      there.delete(name);
    },
  };
  return { objects, done, there: () => [...there] };
}

it("what is wanted is applied in its order, then what is not goes, backwards", async () => {
  const { objects, done } = aCluster({ present: ["a", "b", "c"] });
  await grantAccess({ wanted: [a, d], unwanted: [b, c], ifItFails: "keep" }, objects);
  expect(done).toEqual(["apply a", "apply d", "remove c", "remove b"]);
});

describe("a grant that fails midway and is to leave nothing", () => {
  const change = { wanted: [a, b, c], unwanted: [], ifItFails: "undo" } as const;

  it("is taken back, backwards, and throws what went wrong", async () => {
    const { objects, done, there } = aCluster({ refuses: ["apply c"] });
    await expect(grantAccess(change, objects)).rejects.toThrow("cannot apply c");
    expect(done).toEqual(["apply a", "apply b", "apply c", "remove b", "remove a"]);
    expect(there()).toEqual([]);
  });

  it("leaves what was there before it", async () => {
    const { objects, there } = aCluster({ present: ["a"], refuses: ["apply c"] });
    await expect(grantAccess(change, objects)).rejects.toThrow("cannot apply c");
    expect(there()).toEqual(["a"]);
  });

  it("takes back all it can, and still throws what went wrong first", async () => {
    const { objects, there } = aCluster({ refuses: ["apply c", "remove b"] });
    await expect(grantAccess(change, objects)).rejects.toThrow("cannot apply c");
    expect(there()).toEqual(["b"]);
  });

  it("is taken back too when something cannot be removed", async () => {
    const { objects, there } = aCluster({ present: ["d"], refuses: ["remove d"] });
    const replacing = { ...change, unwanted: [d] };
    await expect(grantAccess(replacing, objects)).rejects.toThrow("cannot remove d");
    expect(there()).toEqual(["d"]);
  });
});

it("a grant that fails midway and is to be kept removes nothing", async () => {
  const { objects, done } = aCluster({ present: ["a", "d"], refuses: ["apply c"] });
  const change = { wanted: [a, b, c], unwanted: [d], ifItFails: "keep" } as const;
  await expect(grantAccess(change, objects)).rejects.toThrow("cannot apply c");
  expect(done).toEqual(["apply a", "apply b", "apply c"]);
});
