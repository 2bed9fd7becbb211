import { describe, expect, it } from "vitest";
import { later, minutes, seconds } from "../../../lambda/base/time.ts";
import { recordText } from "../../../lambda/making-room/record.ts";
import { deployments } from "../../../sandbox/kubernetes/app-resources.ts";
import { budgets } from "../../../sandbox/kubernetes/budget.ts";
import { nodes, pods } from "../../../sandbox/kubernetes/core-resources.ts";
import type { Node } from "../../../sandbox/kubernetes/node.ts";
import { noon } from "../../support/builders.ts";
import { recordedByUs } from "../../support/recorded-by-us.ts";
import { refusal } from "../../world/refusal.ts";
import { jsonLines } from "../json-lines-schema.ts";
import { screenOf } from "../terminal/screen-of.ts";
import {
  type ACluster,
  aCluster,
  deploy,
  drain,
  first,
  instanceOf,
  nodeNow,
  podsOn,
  second,
  until,
  writesIn,
} from "./a-cluster.ts";

/** The kubelet of another node registers it with the provider ID of the first node's instance. */
const addImpostor = ({ cluster }: ACluster) =>
  cluster.addNode({ name: "an-impostor", providerID: `aws:///eu-west-1a/${instanceOf[first]}` });

const exclusion = "node.kubernetes.io/exclude-from-external-load-balancers";

describe("drain", () => {
  it("marks the node, evicts its pods, and leaves the node cordoned", async () => {
    const world = await aCluster();
    deploy(world, { name: "web", on: [first, first, second] });

    const { io, code } = drain(world, [first]);

    expect([await code, io.err()]).toEqual([0, ""]);
    expect(writesIn(world)).toEqual([
      `patch nodes ${first} 200`,
      "create pods/eviction web-1 201",
      "create pods/eviction web-2 201",
    ]);
    expect(podsOn(world, first)).toEqual([]);
    const { metadata, spec } = nodeNow(world, first);
    expect(spec.unschedulable).toBe(true);
    expect(metadata.labels).toMatchObject({ [exclusion]: "eks-node-lifecycle" });
    expect(metadata.annotations).toMatchObject({ "eks-node-lifecycle/reason": "requested" });
    expect(metadata.annotations).not.toHaveProperty("eks-node-lifecycle/deadline");
    expect(io.out()).toMatch(/ gone {8}default\/web-1, in \d+ s\n/);
    expect(io.out()).toMatch(/\ndrained ip-10-0-0-1 in \d+ s: 2 pods gone; it stays cordoned /);
  });

  it("tells programs every step and how it ended", async () => {
    const world = await aCluster();
    deploy(world, { name: "web", on: [first] });

    const { io, code } = drain(world, [first, "--json"]);

    expect(await code).toBe(0);
    const lines = jsonLines(io);
    expect(lines.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["node-marked", "pods-seen", "pod-evicted", "pod-gone"]),
    );
    expect(lines[0]).toHaveProperty("source", "drain");
    expect(lines.at(-1)).toMatchObject({
      kind: "drain-end",
      node: first,
      ending: "drained",
      exitCode: 0,
      gone: ["default/web-1"],
      left: [],
    });
  });

  it("marks all nodes, named in whatever way, before it evicts the pods of the first", async () => {
    const world = await aCluster();
    deploy(world, { name: "web", on: [first, second] });

    expect(await drain(world, [first, `node/${second}`, "i-00000000000000001"]).code).toBe(0);

    expect(writesIn(world).slice(0, 2)).toEqual([
      `patch nodes ${first} 200`,
      `patch nodes ${second} 200`,
    ]);
    expect(writesIn(world).filter((line) => line.includes("eviction"))).toHaveLength(2);
    expect([...podsOn(world, first), ...podsOn(world, second)]).toEqual([]);
  });

  it("drains each of two nodes that say they run on the same instance", async () => {
    const world = await aCluster();
    addImpostor(world);
    deploy(world, { name: "web", on: ["an-impostor", first] });

    expect(await drain(world, ["an-impostor", first]).code).toBe(0);

    expect(["an-impostor", first].flatMap((node) => podsOn(world, node))).toEqual([]);
  });

  it("goes on when the API server fails in the middle", async () => {
    const world = await aCluster();
    deploy(world, { name: "web", on: [first] });
    const down = { status: 500, body: "down" };
    for (const verb of ["list", "watch"])
      world.cluster.failNext({ verb, plural: "pods" }, down, { times: 5 });

    const { io, code } = drain(world, [first]);

    expect(await code).toBe(0);
    expect(io.out()).toContain("fault       cluster.refused: ");
    expect(podsOn(world, first)).toEqual([]);
  });

  it("says whose right is missing, and who can read which", async () => {
    const world = await aCluster();
    const body = { kind: "Status", message: "nodes is forbidden: User jo cannot patch" };
    world.cluster.failNext({ verb: "patch" }, { status: 403, body }, { times: 9 });

    const { io, code } = drain(world, [first]);

    expect(await code).toBe(1);
    expect(io.err()).toMatch(/User jo cannot patch.*ask for the rights that .*drain --help/);
    expect(io.err()).not.toContain("function's role");
  });

  it("makes a pod elsewhere first whose budget lets none go, where it is asked to", async () => {
    const world = await aCluster();
    deploy(world, { name: "web", on: [first], labels: { app: "web" } });
    await world.addBudget();

    const { io, code } = drain(world, [first, "--make-room", "on"]);

    expect([await code, io.err()]).toEqual([0, ""]);
    expect(podsOn(world, first)).toEqual([]);
    expect(writesIn(world).filter((what) => !what.startsWith("patch nodes"))).toEqual([
      "patch deployments web 200",
      "patch pods web-1 200",
      "patch deployments web 200",
    ]);
  });

  it("says after Ctrl-C that the undo has put back the count that it had raised", async () => {
    const world = await aCluster();
    deploy(world, { name: "web", on: [first], labels: { app: "web" } });
    await world.addBudget();
    const stopped = drain(world, [first, "--make-room", "on"]);
    await until(() => stopped.io.out().includes("surged: default/deployment/web 1 → 2"));
    stopped.io.interrupt();
    await stopped.code;

    const { io, code } = drain(world, [first, "--undo", "--json"]);

    expect([await code, io.err()]).toEqual([0, ""]);
    const last = jsonLines(io).at(-1);
    expect(last).toMatchObject({ kind: "making-room", stage: "put back", from: 2, to: 1 });
    expect(Number(last?.["elapsed"])).toBeLessThan(60);
  });

  it("asks no more pods to go after Ctrl-C, keeps the mark, and goes on or undoes it later", async () => {
    const world = await aCluster();
    deploy(world, { name: "web", on: [first], labels: { app: "web" } });
    const { metadata } = await world.addBudget();
    const stopped = drain(world, [first]);
    await until(() => stopped.io.out().includes("held        default/web-1: budget default/web"));

    stopped.io.interrupt();

    expect(await stopped.code).toBe(3);
    expect(stopped.io.out()).toContain("no further pod is evicted");
    const [head, ...others] = stopped.io.err().trimEnd().split("\n");
    expect(head).toBe("stopped: no further pod is evicted");
    expect(others).toEqual([
      expect.stringMatching(/^ {2}still there: default\/web-1/),
      expect.stringMatching(/^ {2}node .* keeps its mark: repeat the command.*--undo`$/),
    ]);
    expect(stopped.io.out()).not.toContain("fault  ");
    expect(nodeNow(world, first).spec.unschedulable).toBe(true);
    const written = writesIn(world);
    expect(podsOn(world, first)).toEqual(["web-1"]);

    world.cluster.store.remove({ resource: budgets, ...metadata });
    expect(await drain(world, [first]).code).toBe(0);
    // It has waited for the lease of the first command to end, and taken its own.
    expect(writesIn(world).slice(written.length)).toEqual([
      `patch nodes ${first} 200`,
      "create pods/eviction web-1 201",
    ]);

    const undone = drain(world, [first, "--undo"]);
    expect(await undone.code).toBe(0);
    expect(undone.io.out()).toBe(`node ${first} is open again\n`);
    const { metadata: now, spec } = nodeNow(world, first);
    expect(spec.unschedulable ?? false).toBe(false);
    expect(JSON.stringify(now)).not.toContain("eks-node-lifecycle");
  });

  it.each([
    ["gone", 200, ""],
    ["there", 403, "its condition DrainInProgress or Drained may be there still"],
  ])("opens a node and takes the conditions of its drain back: %s", async (which, code, told) => {
    const world = await aCluster();
    expect(await drain(world, [first]).code).toBe(0);
    const state = { status: "True", reason: "DrainCompleted" } as const;
    const ours = { ...state, message: "eks-node-lifecycle: as the functions say it" };
    world.cluster.setCondition(first, { ...ours, type: "Drained" });
    const planned = { ...ours, reason: "MaintenanceWindow", type: "MaintenancePlanned" };
    world.cluster.setCondition(first, planned);
    world.cluster.setCondition(first, {
      ...state,
      type: "DrainInProgress",
      message: "kubectl drain",
    });
    if (code !== 200)
      world.cluster.failNext(
        { verb: "patch", plural: "nodes", subresource: "status" },
        refusal(code, "no"),
      );

    const undone = drain(world, [first, "--undo"]);

    expect(await undone.code).toBe(0);
    expect(undone.io.out()).toContain(`node ${first} is open again\n`);
    expect(undone.io.out()).toContain(told);
    const types = nodeNow(world, first).status.conditions?.map(({ type }) => type) ?? [];
    expect(types).toEqual(
      expect.arrayContaining(["Ready", "MaintenancePlanned", "DrainInProgress"]),
    );
    expect(types.includes("Drained")).toBe(which === "there");
  });

  it("tells the verdict last, also where an eviction is answered after Ctrl-C", async () => {
    const world = await aCluster();
    deploy(world, { name: "web", on: [first], annotations: { "hollow/term-seconds": "20" } });
    const eviction = { verb: "create", plural: "pods", subresource: "eviction" };
    world.cluster.failNext(eviction, { slow: seconds(1) }, { when: "after" });
    const { io, code } = drain(world, [first, "--json"]);
    const web = { resource: pods, namespace: "default", name: "web-1" };
    await until(() => world.cluster.store.get(web).metadata.deletionTimestamp !== undefined);

    io.interrupt();

    expect(await code).toBe(3);
    const kinds = () => jsonLines(io).map(({ kind }) => kind);
    await until(() => kinds().includes("pod-evicted"));
    expect(kinds().slice(-2)).toEqual(["pod-evicted", "drain-end"]);
  });

  it("says which nodes keep their mark if it is stopped before all are marked", async () => {
    const world = await aCluster();
    deploy(world, { name: "web", on: [first] });
    const down = { status: 500, body: "down" };
    world.cluster.failNext({ verb: "patch", name: second }, down, { times: 9 });
    const { io, code } = drain(world, [first, second]);
    await until(() => writesIn(world).includes(`patch nodes ${second} 500`));

    io.interrupt();

    expect(await code).toBe(3);
    expect(io.err()).toMatch(/^ {2}node ip-10-0-0-1.internal keeps its mark: .*--undo/m);
    expect(io.err()).not.toContain("defect");
    expect(podsOn(world, first)).toEqual(["web-1"]);
  });

  it("says which nodes keep their mark if another cannot be marked, and evicts nothing", async () => {
    const world = await aCluster();
    deploy(world, { name: "web", on: [first] });
    const body = { kind: "Status", message: "User jo cannot patch" };
    world.cluster.failNext({ verb: "patch", name: second }, { status: 403, body }, { times: 9 });

    const { io, code } = drain(world, [first, second]);

    expect(await code).toBe(1);
    expect(io.err()).toMatch(/User jo cannot patch/);
    expect(io.err()).toMatch(/drain ip-10-0-0-1.internal --undo/);
    expect(podsOn(world, first)).toEqual(["web-1"]);
  });

  it("is stopped, and has no defect, where Ctrl-C comes before the first request", async () => {
    const world = await aCluster();

    const { io, code } = drain(world, [first, "--dry-run"]);
    io.interrupt();

    expect(await code).toBe(3);
    expect(io.err()).toMatch(/^stopped/);
  });

  it("shows a line for each pod on a terminal, with its reason and the time left", async () => {
    const world = await aCluster();
    deploy(world, { name: "web", on: [first], labels: { app: "web" } });
    await world.addBudget();
    const env = { NO_COLOR: "1" };

    const { io, code } = drain(world, [first, "--deadline", "1h"], {
      isTTY: true,
      columns: 1000,
      env,
    });
    await until(() => /held {8}default\/web-1: by budget/.test(io.out()));
    io.interrupt();

    expect(await code).toBe(3);
    expect(screenOf(io.both()).at(-2)).toMatch(/^ {2}node .*--undo`?$/);
    expect(io.out()).toMatch(
      /held {8}default\/web-1: by budget default\/web, 1 healthy of 1 desired, \d+ s\n.*waiting {5}0 of 1 pod gone; the drain ends in (1 h|59 min \d+ s) at the latest/,
    );
    expect(io.out()).not.toContain("\u001b[3");
  });
});

describe("drain --taint", () => {
  const taint = "example.com/draining=true:NoSchedule";
  const taintsOn = (world: ACluster) =>
    (nodeNow(world, first).spec.taints ?? []).filter(({ key }) => key.startsWith("example.com/"));

  it("says how to open the node again, and that takes the taint away", async () => {
    const world = await aCluster();

    const { io, code } = drain(world, [first, "--taint", taint]);

    expect(await code).toBe(0);
    expect(taintsOn(world)).toHaveLength(1);
    const [, words = ""] = /until `drain (.*)`/.exec(io.out()) ?? [];
    expect(words).toBe(`${first} --undo --taint ${taint}`);
    expect(await drain(world, words.split(" ")).code).toBe(0);
    expect(taintsOn(world)).toEqual([]);
  });

  it("leaves a taint on a node without our mark, and says how to take it away", async () => {
    const world = await aCluster();
    expect(await drain(world, [first, "--taint", taint]).code).toBe(0);
    expect(await drain(world, [first, "--undo"]).code).toBe(0);

    const { io, code } = drain(world, [first, "--undo", "--taint", taint]);

    expect(await code).toBe(1);
    expect(io.err()).toContain(`node ${first} has no mark of ours, but the taint ${taint}`);
    expect(io.err()).toContain(`\`kubectl taint nodes ${first} ${taint}-\``);
    expect(taintsOn(world)).toHaveLength(1);
  });
});

describe("drain --undo", () => {
  it("is done with a node that is open already", async () => {
    const world = await aCluster();

    const { io, code } = drain(world, [first, "--undo"]);

    expect(await code).toBe(0);
    expect(io.out()).toBe(`node ${first} is open: it had no mark of ours\n`);
    expect(writesIn(world)).toEqual([]);
  });

  it.each([
    ["", first, 0, /^$/],
    [
      ", also where its node is gone",
      "ip-10-0-0-9.internal",
      1,
      /the cluster has no node ip-10-0-0-9\.internal; no node was opened, and counts are put back .*; if the node is gone, nothing else is to be undone/,
    ],
  ])(
    "puts a count back that a drain had raised which was stopped%s",
    async (_, node, exit, message) => {
      const world = await aCluster();
      deploy(world, { name: "web", on: [second] });
      const web = { resource: deployments, namespace: "default", name: "web" };
      const times = { since: noon, until: later(noon, minutes(9)) };
      const record = recordText({ phase: "up", was: 1, is: 2, ...times, why: "node a" });
      world.cluster.store.update(web, ({ metadata, spec, ...rest }) => ({
        ...rest,
        metadata: { ...metadata, ...recordedByUs(record) },
        spec: { ...spec, replicas: 2 },
      }));

      const { io, code } = drain(world, [node, "--undo"]);

      expect(await code).toBe(exit);
      expect(io.err()).toMatch(message);
      expect(world.cluster.store.get(web).spec.replicas).toBe(1);
    },
  );

  it("opens none of several nodes where one is gone, and says to leave that out", async () => {
    const world = await aCluster();

    const { io, code } = drain(world, [first, "ip-10-0-0-9.internal", "--undo"]);

    expect(await code).toBe(1);
    expect(io.err()).toMatch(
      /no node ip-10-0-0-9\.internal; no node was opened, .*; if the node is gone, repeat the command without it/,
    );
    expect(writesIn(world)).toEqual([]);
  });

  it("leaves a node alone that somebody else has cordoned, and says what to do", async () => {
    const world = await aCluster();
    world.cluster.store.update({ resource: nodes, name: first }, (node) => ({
      ...node,
      spec: { ...node.spec, unschedulable: true },
    }));

    const { io, code } = drain(world, [first, "--undo"]);

    expect(await code).toBe(1);
    expect(io.err()).toMatch(/no mark of ours; nothing was touched; .*kubectl uncordon/);
    expect(writesIn(world)).toEqual([]);
  });

  it("leaves the mark of the function alone", async () => {
    const world = await aCluster();
    expect(await drain(world, [first]).code).toBe(0);
    const changed = { status: 409, body: { kind: "Status", reason: "Conflict", code: 409 } };
    world.cluster.failNext({ verb: "patch" }, changed, { times: 9 });
    const { io, code } = drain(world, [first, "--undo"]);
    await until(() => writesIn(world).includes(`patch nodes ${first} 409`));

    world.cluster.store.update({ resource: nodes, name: first }, terminating);

    expect(await code).toBe(1);
    expect(io.err()).toMatch(/the function drains node .* already: terminating/);
    expect(nodeNow(world, first).spec.unschedulable).toBe(true);
  });

  it("leaves a node closed that an upgrade drains too, and says why", async () => {
    const world = await aCluster();
    expect(await drain(world, [first]).code).toBe(0);
    world.cluster.store.update({ resource: nodes, name: first }, chosen);

    const { io, code } = drain(world, [first, "--undo"]);

    expect(await code).toBe(0);
    expect(io.out()).toMatch(/our mark is removed .* stays cordoned, because an upgrade drains it/);
    expect(nodeNow(world, first).spec.unschedulable).toBe(true);
  });
});

/** The node in its turn of an upgrade. */
const chosen = (node: Node): Node => {
  const turn = { "eks-node-lifecycle/upgrade-turn": "0badcafe 1 2026-11-20T11:00:00.000Z" };
  const annotations = { ...node.metadata.annotations, ...turn };
  return { ...node, metadata: { ...node.metadata, annotations } };
};

/** The node as the function marks it when a hook holds its instance. */
const terminating = (node: Node): Node => {
  const annotations = { ...node.metadata.annotations, "eks-node-lifecycle/reason": "terminating" };
  return { ...node, metadata: { ...node.metadata, annotations } };
};

describe("drain --dry-run", () => {
  it("counts all pods, also those that it does not list, and lists all for programs", async () => {
    const world = await aCluster();
    deploy(world, { name: "web", on: Array.from({ length: 103 }, () => first) });

    const { io, code } = drain(world, [first, "--dry-run"]);

    expect(await code).toBe(0);
    expect(io.out()).toContain("and 3 more pods");
    expect(io.out()).toContain("103 pods would be evicted");
    const programs = drain(world, [first, "--dry-run", "--json"]);
    expect(await programs.code).toBe(0);
    const told = { kind: "dry-run", node: first, held: [], left: [] };
    expect(jsonLines(programs.io)).toMatchObject([{ ...told, evicted: { length: 103 } }]);
  });

  it("says pod by pod what would happen, and touches nothing", async () => {
    const world = await aCluster();
    deploy(world, { name: "web", on: [first], labels: { app: "web" } });
    deploy(world, { name: "free", on: [first], labels: { app: "free" } });
    world.cluster.addDaemonSet({ name: "proxy", pods: [{ name: "proxy-1", node: first }] });
    await world.addBudget();
    const before = world.everyVersion();

    const { io, code } = drain(world, [first, "--dry-run"]);

    expect(await code).toBe(3);
    expect(io.out()).toContain("\n  evict   default/free-1\n");
    expect(io.out()).toMatch(/\n {2}held {4}default\/web-1: its eviction would be refused/);
    expect(io.out()).toMatch(/\n {2}stays {3}default\/proxy-1: daemon/);
    expect(world.everyVersion()).toEqual(before);
    expect(writesIn(world)).toEqual([
      expect.stringMatching(/pods\/eviction (web|free)-1/),
      expect.stringMatching(/pods\/eviction (web|free)-1/),
    ]);
  });
});

describe("what drain refuses", () => {
  it.each([
    [[first, "--force", "now"], "'--force <when>' argument 'now' is invalid"],
    [[first, "--deadline", "30"], "'--deadline <time>' argument '30' is invalid"],
    [[first, "--deadline", "5s"], "Expected a time from 30s to 172800s, got 5s."],
    [[first, "--daemonsets", "evict"], "reading --daemonsets: expected "],
    [[first, "--parallel", "0"], "Give a whole number from 1 to 20"],
    [[first, "--cluster", "demo"], "cannot be used with option '--kubeconfig"],
    [[first, "--undo", "--dry-run"], "cannot be used with option '--dry-run'"],
  ])("is wrong usage: %j", async (args, message) => {
    const world = await aCluster();

    const { io, code } = drain(world, args);

    expect(await code).toBe(2);
    expect(io.err()).toContain(message);
    expect(writesIn(world)).toEqual([]);
  });

  it("is a node that the cluster does not have, with the name that may be meant", async () => {
    const world = await aCluster();

    const { io, code } = drain(world, [second, "ip-10-0-0-3.internal"]);

    expect(await code).toBe(1);
    expect(io.err()).toMatch(
      /no node ip-10-0-0-3.internal; did you mean ip-10-0-0-[12].internal\?/,
    );
    expect(writesIn(world)).toEqual([]);
  });

  it("is an instance of several nodes, for a kubelet may register with the provider ID of another's", async () => {
    const world = await aCluster();
    addImpostor(world);

    const { io, code } = drain(world, [instanceOf[first]]);

    expect(await code).toBe(1);
    expect(io.err()).toContain(`several nodes (an-impostor, ${first}) say that they run on `);
    expect(writesIn(world)).toEqual([]);
  });

  it("is a node on no EC2 instance", async () => {
    const world = await aCluster();
    world.cluster.addNode({ name: "laptop", providerID: "kind://docker/kind/laptop" });

    const { io, code } = drain(world, ["laptop"]);

    expect(await code).toBe(1);
    expect(io.err()).toContain("kubectl drain laptop");
  });
});
