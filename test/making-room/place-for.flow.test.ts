import { describe, expect, it } from "vitest";
import { nodeName, podUid } from "../../lambda/base/ids.ts";
import { type Instant, minutes, never, seconds } from "../../lambda/base/time.ts";
import type { Budget } from "../../lambda/drain/budget.ts";
import type { Node } from "../../lambda/drain/node.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import type { Resources } from "../../lambda/drain/resources.ts";
import { consider } from "../../lambda/making-room/consider.flow.ts";
import type { Replica } from "../../lambda/making-room/workload.ts";
import {
  aBudget,
  ago,
  ahead,
  aNode,
  aPod,
  drained,
  noon,
  someSettings,
} from "../support/builders.ts";
import { aWorkload } from "./a-workload.ts";

const gigabyte = 2 ** 30;

/** A node of two CPUs, and what its pods ask for. */
interface Given extends Partial<Omit<Node, "name">> {
  readonly asked?: Resources | "unread";
}

/** How many of some pods find a node among these, and how many nodes were looked at. */
async function look(
  given: Readonly<Record<string, Given>>,
  { wanted = 1, ...change }: Partial<Replica> & { readonly wanted?: number } = {},
  claims: readonly string[] = [],
  {
    others = [],
    changed = never,
    ...rule
  }: Partial<Budget> & { readonly others?: readonly Pod[]; readonly changed?: Instant } = {},
) {
  const hosts = Object.entries(given).map(([name, { asked: _, ...node }]) => ({
    node: aNode({
      unschedulable: false,
      labels: { "kubernetes.io/hostname": name, zone: name.slice(0, 1) },
      ...node,
      name: nodeName(name),
    }),
    allocatable: { cpu: 2000, memory: 4 * gigabyte, pods: 10 },
  }));
  const looked: string[] = [];
  const model: Replica = {
    pod: aPod(),
    demands: [],
    apart: [],
    unplaced: "",
    readySince: noon,
    requests: { cpu: 500, memory: gigabyte, pods: 1 },
    ...change,
  };
  const workloads = {
    othersUnder: () => Promise.resolve(others),
    volumesOf: () => Promise.resolve([]),
    hosts: () => Promise.resolve(hosts),
    asked: (name: string) => {
      looked.push(name);
      return Promise.resolve(given[name]?.asked ?? {});
    },
  };
  const displaced = Array.from({ length: wanted }, (_, index) => ({
    ...model,
    pod: aPod({ name: `web-${index}`, uid: podUid(`${index}`), node: drained }),
  }));
  const replicas = [...displaced, ...(change.pod === undefined ? [] : [model])];
  const count = replicas.length;
  const own = aBudget({ currentHealthy: 20, disruptionsAllowed: 0, ...rule });
  const scene = {
    replicas,
    draining: new Map([[drained, { at: ago(minutes(5)), deadline: never }]]),
    settings: someSettings({ makeRoom: "on" }),
    workload: { ...web, claims, replicas: count, maxSurge: wanted, changes: [changed] },
    need: { node: drained, budgets: [own], all: [own], until: ahead(minutes(10)) },
    namespace: {},
    now: noon,
    tries: 0,
  };
  const step = await consider(scene, workloads);
  const told = step.kind === "write" ? step.change : "nothing";
  const found = told === "nothing" ? "why" in step && step.why : told.to - told.from;
  return { found, looked, why: told === "nothing" ? "" : told.why };
}

const web = aWorkload(1);
const full = { asked: { cpu: 1800, memory: gigabyte } };
const hostname = "kubernetes.io/hostname";

describe("the places for pods of a workload", () => {
  it("are as many as are wanted, or as nodes have free", async () => {
    expect((await look({ a1: {}, b1: full }, { wanted: 3 })).found).toBe(3);
    expect((await look({ a1: {}, b1: full }, { wanted: 9 })).found).toBe(4);
    expect((await look({ a1: { asked: { pods: 9 } } }, { wanted: 9 })).found).toBe(1);
  });

  it("are none where each node lacks something, and the reason says what", async () => {
    const fuller = { asked: { cpu: 2000, memory: 3.5 * gigabyte } };
    const { found } = await look({ a1: fuller, b1: full, c1: { unschedulable: true } });
    expect(found).toBe(
      "its replacement finds no place: cordoned (1), too little cpu and memory (1), too little cpu (1)",
    );
  });

  it("are on no node that is drained, repels the pod, or is not what it demands", async () => {
    const demands = [
      { from: "node selector", anyOf: [{ labels: [wants("zone", "a")], fields: [] }] },
    ];
    const gpu = { key: "gpu", value: "", effect: "NoSchedule", timeAdded: "" };
    const given = { [drained]: {}, a1: { taints: [gpu] }, b1: {} };
    const { looked, found } = await look(given, { demands });
    expect(looked).toEqual([]);
    expect(found).toBe("its replacement finds no place: taint gpu (1), node selector (1)");
    expect((await look({})).found).toBe("its replacement finds no place: there is no other node");
  });

  it.each([
    { label: hostname, other: "b1", expected: 1 },
    { label: "zone", other: "a2", expected: "anti-affinity (2)" },
    { label: "rack", other: "a2", expected: 1 },
  ])("are apart from its other pods by a label, if nodes have it: %o", async (given) => {
    const { label, other, expected } = given;
    const apart = [{ from: "anti-affinity", label }];
    const pod = aPod({ node: nodeName("a1") });
    const { found } = await look({ a1: full, [other]: {} }, { apart, pod, wanted: 3 });
    if (typeof expected === "number") expect(found).toBe(expected);
    else expect(found).toContain(expected);
  });

  it("are looked for on ten nodes at a time, and left to the scheduler where a hundred are full", async () => {
    const nodes = (count: number, given: Given) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, given]));
    expect((await look(nodes(50, {}))).looked).toHaveLength(10);
    const many = await look(nodes(101, full));
    expect([many.found, many.looked.length]).toEqual([1, 100]);
    expect((await look(nodes(100, full))).found).toMatch(/too little cpu \(100\)/);
  });
});

describe("a node whose pods others have made too large to read", () => {
  const unread = { asked: "unread" } as const;

  it("counts as empty, so that the scheduler decides, and is told with the surge", async () => {
    const { found, why } = await look({ a1: full, b1: unread });
    expect([found, why]).toEqual([
      1,
      `node ${drained} under budget demo/web-pdb; 1 node not looked at`,
    ]);
    expect((await look({ a1: full, b1: {} })).why).toBe(
      `node ${drained} under budget demo/web-pdb`,
    );
  });

  it("is followed by few more of its like, for each of them takes long", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => [`n${index}`, unread]),
    );
    const { looked, why } = await look({ a1: full, ...many });
    expect(looked).toHaveLength(10);
    expect(why).toContain("60 nodes not looked at");
  });
});

it("no room is made for a workload with more than a hundred volume claims, and none of them is read", async () => {
  const claims = Array.from({ length: 101 }, (_, index) => `claim-${index}`);
  const { found, looked } = await look({ a1: {} }, {}, claims);
  expect([found, looked]).toEqual(["it has more than 100 volume claims", []]);
});

it("no room is made under a budget that lets a pod go, or is about to once it has counted a surge that has just ended; a refusal comes first", async () => {
  const found = async (budget: Parameters<typeof look>[3]) =>
    (await look({ a1: {} }, {}, [], budget)).found;
  expect(await found({ disruptionsAllowed: 1 })).toBe("");
  expect(await found({ disruptionsAllowed: 1, observed: false })).toBe(1);
  const spare = { rule: { kind: "minAvailable", amount: 0 }, currentHealthy: 1 } as const;
  const ended = { ...spare, changed: ago(seconds(29)) };
  expect(await found(ended)).toBe("");
  for (const other of [
    { ...ended, changed: ago(seconds(30)) },
    { ...ended, currentHealthy: 2 },
    { ...ended, meetable: "if-counted" },
    { ...ended, rule: { kind: "minAvailable", amount: 1 } },
  ] as const)
    expect(await found(other)).toBe(1);
  const shared = { disruptionsAllowed: 1, others: [aPod()] };
  expect(await found(shared)).toBe("its budget also selects pods of others");
});

const wants = (key: string, value: string) => ({ key, operator: "In", values: [value] });
