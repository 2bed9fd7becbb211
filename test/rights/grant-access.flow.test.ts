import { describe, expect, it } from "vitest";
import type { ClusterObject } from "../../lambda/rights/cluster-object.ts";
import { assertAlone, grantAccess } from "../../lambda/rights/grant-access.flow.ts";

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

interface Start {
  readonly present?: readonly string[];
  readonly refuses?: readonly string[];
  /** Objects that somebody else removes before the grant owns them, and how often. */
  readonly losing?: Readonly<Record<string, number>>;
}

/** A cluster with some objects, which refuses to do some things. */
function aCluster({ present = [], refuses = [], losing = {} }: Start = {}) {
  const done: string[] = [];
  const there = new Set(present);
  const owned = new Set<string>();
  const left = new Map(Object.entries(losing));
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
    async own({ name }: ClusterObject) {
      attempt(`own ${name}`);
      const losses = left.get(name) ?? 0;
      left.set(name, losses - 1);
      if (losses > 0) there.delete(name);
      else owned.add(name);
      return losses > 0 ? ("gone" as const) : ("owned" as const);
    },
    async disown({ name }: ClusterObject) {
      attempt(`disown ${name}`);
      owned.delete(name);
    },
    async remove({ name }: ClusterObject) {
      attempt(`remove ${name}`);
      owned.delete(name);
      there.delete(name);
    },
  };
  return { objects, done, there: () => [...there], owned: () => [...owned] };
}

it("a grant applies the wanted objects in order, then removes the unwanted ones in reverse order", async () => {
  const { objects, done } = aCluster({ present: ["a", "b", "c"] });
  await grantAccess({ wanted: [a, d], unwanted: [b, c], ifItFails: "keep" }, objects);
  expect(done).toEqual(["apply a", "own a", "apply d", "own d", "remove c", "remove b"]);
});

describe("a grant that fails midway and is to leave nothing", () => {
  const change = { wanted: [a, b, c], unwanted: [], ifItFails: "undo" } as const;

  it("removes what it applied, in reverse order, and throws the failure", async () => {
    const { objects, done, there } = aCluster({ refuses: ["apply c"] });
    await expect(grantAccess(change, objects)).rejects.toThrow("cannot apply c");
    expect(done.slice(-3)).toEqual(["apply c", "remove b", "remove a"]);
    expect(there()).toEqual([]);
  });

  it("leaves the objects that were there before it, and is no owner of them any more", async () => {
    const { objects, there, owned } = aCluster({ present: ["a"], refuses: ["apply c"] });
    await expect(grantAccess(change, objects)).rejects.toThrow("cannot apply c");
    expect(there()).toEqual(["a"]);
    expect(owned()).toEqual([]);
  });

  it("also removes the object that it could not own", async () => {
    const { objects, there } = aCluster({ refuses: ["own c"] });
    await expect(grantAccess(change, objects)).rejects.toThrow("cannot own c");
    expect(there()).toEqual([]);
  });

  it("removes all it can, and still throws the first failure", async () => {
    const { objects, there } = aCluster({ refuses: ["apply c", "remove b"] });
    await expect(grantAccess(change, objects)).rejects.toThrow("cannot apply c");
    expect(there()).toEqual(["b"]);
  });

  it("also removes what it applied when it cannot remove an unwanted object", async () => {
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
  expect(done.filter((one) => !/apply|own/.test(one))).toEqual([]);
  expect(done.filter((one) => one.startsWith("disown"))).toEqual([]);
});

it("a grant applies an object again that somebody else removes before it is owned", async () => {
  const { objects, there, owned } = aCluster({ present: ["a"], losing: { a: 2 } });
  await grantAccess({ wanted: [a, b], unwanted: [], ifItFails: "keep" }, objects);
  expect(there().toSorted()).toEqual(["a", "b"]);
  expect(owned().toSorted()).toEqual(["a", "b"]);
});

it("a grant fails in the end when others keep removing an object", async () => {
  const { objects, there } = aCluster({ losing: { a: 1000 } });
  const change = { wanted: [a, b], unwanted: [], ifItFails: "undo" } as const;
  await expect(grantAccess(change, objects)).rejects.toMatchObject({
    code: "cluster.refused",
    message: expect.stringContaining("applying ClusterRole a: others kept removing it"),
  });
  expect(there()).toEqual([]);
});

describe("a cluster where another stack has given rights", () => {
  const stack = (name: string) =>
    `arn:aws:cloudformation:eu-west-1:123456789012:stack/${name}/1a2b-3c4d`;
  const own = `${stack("own")}/Rights`;
  const judged = (claims: Readonly<Record<string, readonly string[]>>) =>
    assertAlone([a, b, c], own, { claims: async ({ name }) => claims[name] ?? [] });

  it("is refused, and the message has the stack without the names of its resources", async () => {
    await expect(judged({ b: [`${stack("theirs")}/Rights`, "by hand"] })).rejects.toThrow(
      `cluster.taken: giving rights in the cluster: it has the deployment of ${stack("theirs")}`,
    );
    const two = { a: [`${stack("one")}/Rights`], c: [`${stack("two")}/Rights`] };
    await expect(judged(two)).rejects.toThrow(`of ${stack("one")} and 1 more`);
  });

  it.each([
    ["nobody", {}],
    ["somebody by hand", { a: ["npx eks-node-lifecycle manifests"] }],
    ["the same stack by another resource", { a: [`${stack("own")}/RightsBefore`] }],
    ["the same stack beside another", { a: [own], b: [`${stack("theirs")}/Rights`] }],
    ["a text that is no stack", { a: [`${stack("x".repeat(200_000))}/Rights`] }],
  ])("is none if the objects are claimed by %s", async (_, claims) => {
    await expect(judged(claims)).resolves.toBeUndefined();
  });
});
