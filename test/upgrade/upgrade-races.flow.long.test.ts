import { expect, it } from "vitest";
import {
  between,
  hours,
  type Instant,
  later,
  minutes,
  seconds,
  timestamp,
} from "../../lambda/base/time.ts";
import { bookmarkKeys } from "../../lambda/group-work/upgrade-tags.ts";
import { tryWindow } from "../../lambda/upgrade/window.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import { type FunctionRequest, failing, well } from "../world/fault-plan.ts";
import { UpgradeWorld } from "../world/upgrade-world.ts";
import { deploy } from "../world/workloads.ts";
import { instanceOf, nodeOf } from "../world/world-options.ts";

/** Annotates a node as somebody else does. */
const annotate = (world: UpgradeWorld, name: string, annotations: Record<string, string>) =>
  world.cluster.store.update({ resource: nodes, name }, (node) => ({
    ...node,
    metadata: { ...node.metadata, annotations: { ...node.metadata.annotations, ...annotations } },
  }));

it("takes the emptiest nodes first by the counts of the pass that has counted first", async () => {
  const world = new UpgradeWorld({ size: 3 });
  deploy(world, { name: "web", on: { 1: 3, 2: 2, 3: 1 } });
  const last = nodeOf(3);
  const other = () => annotate(world, last, { "eks-node-lifecycle/upgrade-pods": "0badcafe 9" });
  const first = [`patch nodes ${last}`];
  world.faults = ({ what }) => {
    if (first.includes(what) && first.pop() !== undefined) other();
    return well;
  };
  await world.upgraded({ order: "emptiest" });

  expect(world.ended).toBe("done");
  const chosen = world.told("upgrade-nodes").filter(({ deed }) => deed === "chosen");
  expect(chosen.flatMap((one) => one.nodes)).toEqual([2, 1, 3].map(nodeOf));
  expect(world.traces).toEqual([]);
});

it("does not begin a later upgrade's end anew when an old message comes once more", async () => {
  const world = new UpgradeWorld({ size: 2 });
  world.start();
  world.in(minutes(1), () => world.command({ kind: "abort", id: "aaaaaaaa" }));
  await world.work();
  world.start({}, "12345678");
  await world.work();
  expect(world.ended).toBe("done");
  const { sizes, ownTags } = world;

  world.command({ kind: "abort", id: "aaaaaaaa" });
  world.start();
  await world.work();
  expect({ sizes: world.sizes, ownTags: world.ownTags }).toEqual({ sizes, ownTags });
});

/** Gives the second node another provider ID, or none. */
const named = (world: UpgradeWorld, providerID: string | undefined) =>
  world.cluster.store.update({ resource: nodes, name: nodeOf(2) }, (node) => ({
    ...node,
    spec: { ...node.spec, providerID },
  }));

/** Whether a request writes that an upgrade has begun. */
const isBegin = ({ what, body }: FunctionRequest): boolean =>
  what.endsWith("CreateOrUpdateTags") && body.includes("upgrade-options");

it.each(["0badcafe", "bbbbbbbb"])(
  "begins one of two starts at once that read the group before either has written (%s)",
  async (id) => {
    const world = new UpgradeWorld({ size: 3 });
    world.start();
    world.start({}, id);
    await world.work();

    const claims = world.requests.filter(({ body }) => body.includes("upgrade-claimed"));
    expect(claims.length).toBeGreaterThanOrEqual(2);
    expect(world.requests.filter(isBegin)).toHaveLength(1);
    expect(world.ended).toBe("done");
    expect(world.sizes).toEqual({ min: 1, max: 20, desired: 3 });
    expect(world.versions).toEqual(["2"]);
    expect(world.traces).toEqual([]);
  },
);

it("begins in the place of a start that has claimed the group, and whose message is lost", async () => {
  const world = new UpgradeWorld({ size: 3 });
  world.faults = (request) => (isBegin(request) ? { kind: "death", moment: "before" } : well);
  world.start({}, "bbbbbbbb");
  await world.workFor(seconds(20));
  world.deployment.queue("notices").purge();
  world.faults = () => well;
  const begun = world.timeline.now();
  await world.upgraded();

  expect(world.ended).toBe("done");
  const launched = world.told("upgrade-launches")[0]?.at ?? begun;
  expect(launched).toBeGreaterThan(later(begun, minutes(1)));
  expect(launched).toBeLessThan(later(begun, minutes(3)));
  expect(world.traces).toEqual([]);
});

it("begins though the kubelet of the first node says that another start has claimed it until the year 9999", async () => {
  const world = new UpgradeWorld({ size: 3 });
  annotate(world, nodeOf(1), {
    "eks-node-lifecycle/upgrade-claimed": "bbbbbbbb 9999-12-31T00:00:00Z",
  });
  await world.upgraded({}, hours(3));

  expect(world.ended).toBe("done");
});

it("begins after ten minutes though the kubelet of its first node claims it again and again", async () => {
  const world = new UpgradeWorld({ size: 3 });
  const claims = () => {
    if (world.told("upgrade-launches").length > 0) return;
    const claim = `ffffffff ${timestamp(world.timeline.now())}`;
    annotate(world, nodeOf(1), { "eks-node-lifecycle/upgrade-claimed": claim });
    world.in(minutes(1), claims);
  };
  claims();
  const begun = world.timeline.now();
  world.start();
  await world.workFor(hours(1));

  const launched = world.told("upgrade-launches")[0]?.at ?? begun;
  expect(launched).toBeGreaterThan(later(begun, minutes(9)));
  expect(launched).toBeLessThan(later(begun, minutes(12)));
});

it("does not begin once more what another message has begun while it looked", async () => {
  const world = new UpgradeWorld({ size: 3 });
  let looks = 0;
  world.faults = ({ what }) => {
    if (!what.endsWith("DescribeInstanceRefreshes")) return well;
    looks += 1;
    return looks === 2 ? { kind: "aws-fault", fault: "throttle", moment: "before" } : well;
  };
  world.start();
  world.start();
  await world.work();

  expect(world.ended).toBe("done");
  expect(world.requests.filter(isBegin)).toHaveLength(1);
});

it("is refused at once where only its name tells which instance a node runs on", async () => {
  const world = new UpgradeWorld({ size: 3 });
  named(world, undefined);
  await world.upgraded({}, minutes(1));

  expect(world.ended).toMatch(
    /^refused: OperationNotPermitted: node ip-10-0-0-2\S+ has no provider/,
  );
  expect(world.sizes).toEqual({ min: 1, max: 20, desired: 3 });
  expect(world.group.template).toEqual(world.before.template);
  expect(world.traces).toEqual([]);
});

it.each([
  ["comes", /^done$/],
  ["never comes", /^failed: NodeCreationFailure: node ip-10-0-0-2\S+ has no provider ID/],
])(
  "ends no old node undrained that only its name tells of since it began: its provider ID %s",
  async (comes, ended) => {
    const world = new UpgradeWorld({ size: 3 });
    world.in(minutes(1), () => named(world, undefined));
    deploy(world, { name: "web", on: { 2: 1 } });
    if (comes === "comes")
      world.in(minutes(25), () => named(world, `aws:///eu-west-1b/${instanceOf(2)}`));
    await world.upgraded({ lookEvery: minutes(2) });

    expect(world.ended).toMatch(ended);
    const drained = world.told("upgrade-nodes").filter(({ deed }) => deed === "drained");
    const last = world.instances.some(({ id }) => id === instanceOf(2));
    expect(drained.some((one) => one.nodes.some((name) => name === nodeOf(2)))).toBe(!last);
    expect(last).toBe(comes !== "comes");
  },
);

it("takes a whole batch although somebody else writes one of its nodes at the same time", async () => {
  const world = new UpgradeWorld({ size: 4 });
  const name = nodeOf(1);
  let writes = 0;
  // The first writes to the node claim the start and cordon it, at which Kubernetes taints it; the third one begins its turn.
  world.faults = ({ what }) => {
    if (what !== `patch nodes ${name}`) return well;
    writes += 1;
    if (writes === 3) annotate(world, name, { other: "x" });
    return well;
  };
  await world.upgraded({ maxUnavailable: { kind: "count", value: 4 } });

  expect(world.ended).toBe("done");
  const chosen = world.told("upgrade-nodes").filter(({ deed }) => deed === "chosen");
  expect(chosen.map((one) => one.nodes.length)).toEqual([4]);
});

it("leaves a node closed that another drain marks while the upgrade takes its cordon off", async () => {
  const world = new UpgradeWorld({ size: 4 });
  const name = nodeOf(4);
  const mark = {
    "eks-node-lifecycle/marked-at": "2026-11-20T10:06:00.000Z",
    "eks-node-lifecycle/reason": "interrupted",
  };
  let isMarked = false;
  world.faults = ({ what, body }) => {
    if (what !== `patch nodes ${name}` || !/"unschedulable":(?:null|false)/.test(body)) return well;
    if (!isMarked) annotate(world, name, mark);
    isMarked = true;
    return well;
  };
  world.start({ window: tryWindow("Fri+Sat/10:00-10:05") ?? "always" });
  await world.workFor(minutes(60));

  expect(isMarked).toBe(true);
  const found = world.nodes.find(({ metadata }) => metadata.name === name);
  expect(found?.spec.unschedulable).toBe(true);
});

it("takes no cordon for its own that somebody else sets while the upgrade cordons", async () => {
  const world = new UpgradeWorld({ size: 4 });
  const name = nodeOf(4);
  let isCordoned = false;
  world.faults = ({ what, body }) => {
    if (what !== `patch nodes ${name}` || !body.includes("upgrade-cordoned")) return well;
    if (!isCordoned)
      world.cluster.store.update({ resource: nodes, name }, (node) => ({
        ...node,
        spec: { ...node.spec, unschedulable: true },
      }));
    isCordoned = true;
    return well;
  };
  world.start({ window: tryWindow("Fri+Sat/10:00-10:05") ?? "always" });
  await world.workFor(minutes(60));

  expect(isCordoned).toBe(true);
  const found = world.nodes.find(({ metadata }) => metadata.name === name);
  expect(found?.spec.unschedulable).toBe(true);
});

it("opens the other nodes of an upgrade that is called off, while a policy refuses each write of one", async () => {
  const numbers = Array.from({ length: 12 }, (_, index) => index + 1);
  const world = new UpgradeWorld({ size: numbers.length });
  const isClosed = (number: number) =>
    world.cluster.store.get({ resource: nodes, name: nodeOf(number) }).spec.unschedulable === true;
  world.start();
  while (!numbers.every(isClosed)) await world.workFor(seconds(5));
  world.faults = failing(new RegExp(`^patch nodes ${nodeOf(1)}$`), { status: 422, body: "no" });
  world.command({ kind: "abort", id: "aaaaaaaa" });
  await world.workFor(minutes(10));

  expect(numbers.filter(isClosed)).toEqual([1]);
  expect(world.ended).not.toBe("aborted");
  world.faults = () => well;
  await world.work();
  expect(world.ended).toBe("aborted");
  expect(isClosed(1)).toBe(false);
});

/** The tags of an upgrade that has not ended. */
const tagsLeft = ({ ownTags }: UpgradeWorld): readonly string[] =>
  Object.keys(ownTags).filter((key) => !key.startsWith("upgrade-ended"));

/** Expects an aborted upgrade to have left its group as it was, whatever an overtaken pass wrote. */
function expectAborted(world: UpgradeWorld): void {
  expect(world.ended).toBe("aborted");
  expect(world.group.template).toEqual(world.before.template);
  expect(world.sizes).toEqual({ min: 1, max: 20, desired: 2 });
  expect(tagsLeft(world)).toEqual([]);
  expect(world.traces).toEqual([]);
}

/** Has the first list of nodes in a phase hang, while the group launches by a version, and does something meanwhile. */
function slowIn(
  { phase, version }: { readonly phase: string; readonly version: string },
  world: UpgradeWorld,
  meanwhile: () => void,
): () => boolean {
  let isSlow = false;
  world.faults = ({ what }) => {
    const { "upgrade-progress": progress = "" } = world.ownTags;
    const isThere = progress.includes(`phase=${phase}`) && world.group.template.version === version;
    if (isSlow || !isThere || what !== "list nodes") return well;
    isSlow = true;
    meanwhile();
    return { kind: "cluster-fault", fault: "hang", moment: "before" };
  };
  return () => isSlow;
}

it.each([
  { phase: "set-up", version: "1" },
  { phase: "scale-up", version: "2" },
])(
  "puts back what a pass of the phase $phase still changes, whose API server answers after the abort",
  async (at) => {
    const world = new UpgradeWorld({ size: 2 });
    const isSlow = slowIn(at, world, () => world.command({ kind: "abort", id: "aaaaaaaa" }));
    await world.upgraded();

    expect(isSlow()).toBe(true);
    expectAborted(world);
  },
);

it("leaves no tags of an upgrade that is aborted while a pass waits to look at the first new node again", async () => {
  const world = new UpgradeWorld({ size: 2 });
  world.start({ strategy: "MINIMAL", canary: "first" });
  const isConfirmed = () => world.told("upgrade-nodes").some(({ deed }) => deed === "validated");
  while (!isConfirmed()) await world.workFor(seconds(1));
  world.command({ kind: "abort", id: "aaaaaaaa" });
  await world.work();

  expectAborted(world);
});

/** When the upgrade of such a world ends. */
async function endOf(world: UpgradeWorld): Promise<Instant> {
  await world.upgraded();
  return world.timeline.now();
}

it.each(["pause", "resume", "abort"] as const)(
  "leaves no tags of a command to %s that is written once the upgrade is over",
  async (kind) => {
    const ends = await endOf(new UpgradeWorld({ size: 2 }));
    const world = new UpgradeWorld({ size: 2 });
    let late = 0;
    world.faults = ({ what, body }) => {
      const isLate = what.endsWith("CreateOrUpdateTags") && body.includes("aaaaaaaa");
      if (!isLate) return well;
      late += 1;
      return late > 1 ? well : { kind: "aws-fault", fault: "hang", moment: "before" };
    };
    world.in(between(world.timeline.now(), later(ends, seconds(-2))), () =>
      world.command({ kind, id: "aaaaaaaa" }),
    );
    await world.upgraded();

    expect(late).toBe(2);
    expect(world.ended).toBe("done");
    expect(tagsLeft(world)).toEqual([]);
  },
);

it("begins in a group with tags that were written once its last upgrade had ended", async () => {
  const world = new UpgradeWorld({ size: 2 });
  await world.upgraded();
  const late = [
    { key: bookmarkKeys.progress, value: "?" },
    { key: bookmarkKeys.more, value: "aside=3 drains=99" },
  ].map((tag) => ({ ...tag, propagated: false }));
  const { register } = world.aws.autoScaling;
  register.put({ ...world.group, tags: [...world.group.tags, ...late] });
  world.start({}, "12345678");
  await world.work();

  expect(world.ended).toBe("done");
  expect(world.sizes).toEqual({ min: 1, max: 20, desired: 2 });
  expect(tagsLeft(world)).toEqual([]);
});

it.each(["start", "resume"])(
  "takes its own surge for nobody else's though a pass is slow, and a %s has come meanwhile",
  async (kind) => {
    const world = new UpgradeWorld({ size: 2 });
    const isSlow = slowIn({ phase: "set-up", version: "2" }, world, () => {
      if (kind === "start") world.start();
      else world.command({ kind: "resume", id: "cccccccc" });
    });
    await world.upgraded();

    expect(isSlow()).toBe(true);
    expect(world.ended).toBe("done");
    expect(world.sizes).toEqual({ min: 1, max: 20, desired: 2 });
  },
);

it("takes its own surge for nobody else's though two messages of it look at the first new node one after the other", async () => {
  const world = new UpgradeWorld({ size: 2 });
  world.start({ canary: "first" });
  const isConfirmed = () => world.told("upgrade-nodes").some(({ deed }) => deed === "validated");
  while (!isConfirmed()) await world.workFor(seconds(1));
  await world.workFor(seconds(8));
  world.start({ canary: "first" });
  await world.work();

  expect(world.ended).toBe("done");
  expect(world.sizes).toEqual({ min: 1, max: 20, desired: 2 });
});

it("leaves no tags of a start that fails once it is called off", async () => {
  const world = new UpgradeWorld({ size: 2 });
  world.faults = ({ what }) =>
    what.endsWith("DescribeInstanceRefreshes")
      ? { kind: "aws-fault", fault: "hang", moment: "before" }
      : well;
  world.in(seconds(1), () => world.command({ kind: "abort", id: "aaaaaaaa" }));
  await world.upgraded();

  expect(world.told("fault").map(({ code }) => code)).toEqual(["aws.unreachable"]);
  expect(world.ended).toBe("aborted");
  expect(tagsLeft(world)).toEqual([]);
});
