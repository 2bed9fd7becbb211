import { describe, expect, it } from "vitest";
import { hours, later, minutes, never, seconds } from "../../lambda/base/time.ts";
import { repairAnnotation } from "../../lambda/repair/repair-marks.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import { hasCondition } from "../../sandbox/kubernetes/kube-object.ts";
import { followNodes } from "../world/balanced.ts";
import { well } from "../world/fault-plan.ts";
import {
  type FirstRequest,
  failFrom,
  firstRequestsOf,
  type Trouble,
  titleOf,
} from "../world/lasting-faults.ts";
import { RepairWorld } from "../world/repair-world.ts";
import { deploy } from "../world/workloads.ts";
import { instanceOf, nodeOf } from "../world/world-options.ts";

const ill = 3;
const port = 30080;

interface Scenario {
  readonly name: string;
  readonly action: "reboot" | "replace";
  /** What makes the node ill, and perhaps well again. */
  begins(world: RepairWorld): void;
  /** Whether the instance stays in its group. */
  readonly stays: "no" | "yes";
}

const falls = (world: RepairWorld): void =>
  world.in(minutes(1), () => world.kernel(ill, "False", "ForkFailedOutOfPIDs"));

const recovers = (world: RepairWorld, after: number): void =>
  world.in(minutes(after), () => world.kernel(ill, "True"));

const scenarios: readonly Scenario[] = [
  { name: "that replaces a node", action: "replace", stays: "no", begins: falls },
  {
    name: "that reboots a node, which is well then",
    action: "reboot",
    stays: "yes",
    begins(world) {
      falls(world);
      world.aws.ec2.onReboot(() => recovers(world, 2));
    },
  },
  { name: "that reboots a node in vain", action: "reboot", stays: "no", begins: falls },
  {
    name: "of an instance without a node",
    action: "replace",
    stays: "no",
    begins: (world) =>
      world.in(minutes(1), () =>
        world.cluster.store.remove({ resource: nodes, name: nodeOf(ill) }),
      ),
  },
];

/** Four nodes behind a target group; a node is repaired after ten minutes. */
function aWorld({ action, begins }: Scenario): RepairWorld {
  const rule = { condition: "KernelReady", reason: "*", minutes: 10, action };
  const world = new RepairWorld({
    size: 4,
    settings: { REPAIR_OVERRIDES: JSON.stringify([rule]) },
  });
  deploy(world, { name: "web", on: { 3: 2 } });
  const pool = world.aws.elb.create({ name: "web", delay: seconds(5), interval: seconds(5) });
  for (let index = 1; index <= 4; index += 1) pool.register(instanceOf(index), port, "healthy");
  followNodes(world, pool, port);
  world.pass(minutes(20));
  begins(world);
  return world;
}

/** How far the repair is. */
function stageOf(world: RepairWorld): string {
  const { annotations = {} }: { readonly annotations?: Readonly<Partial<Record<string, string>>> } =
    world.node(ill)?.metadata ?? {};
  const [reboot = ""] = annotations[repairAnnotation]?.split(" ") ?? [];
  const isMarked = "eks-node-lifecycle/marked-at" in annotations;
  const isIll = world.node(ill) === undefined || !isWell(world);
  return [isIll ? "ill" : "well", isMarked ? "marked" : "", reboot].filter(Boolean).join(" ");
}

const isWell = (world: RepairWorld): boolean =>
  !hasCondition(world.node(ill)?.status.conditions, "KernelReady", "False");

/** Follows what a repair must never do, however its requests fail; a line for each time that it does. */
function harmIn(world: RepairWorld): readonly string[] {
  const harm: string[] = [];
  world.aws.autoScaling.onChange(() => {
    const out = world.instances.filter(({ health }) => health === "unhealthy").map(({ id }) => id);
    const others = out.filter((id) => id !== instanceOf(ill));
    if (others.length > 0) harm.push(`${others.join()} is given up`);
    if (world.inService.length < 3) harm.push(`only ${world.inService.join()} are in service`);
  });
  world.cluster.store.subscribe(() => {
    const marked = world.nodes.filter(({ metadata: { annotations = {}, name } }) => {
      return "eks-node-lifecycle/marked-at" in annotations && name !== nodeOf(ill);
    });
    if (marked.length > 0) harm.push(`${marked.map(({ metadata }) => metadata.name)} is marked`);
  });
  return harm;
}

/** A machine that was told to reboot is not told again within ten minutes. */
function expectSeldomTold(world: RepairWorld, trouble: string): void {
  const told = world.aws.calls
    .of("RebootInstances")
    .filter(({ outcome }) => outcome.kind === "answered")
    .map(({ at }) => at);
  for (const [at, one] of told.slice(1).entries())
    expect(one - (told[at] ?? 0), trouble).toBeGreaterThanOrEqual(minutes(10));
}

function expectEnd(world: RepairWorld, { stays }: Pick<Scenario, "stays">, trouble: string): void {
  expect(world.inService.includes(ill), trouble).toBe(stays === "yes");
  expectTidy(world, trouble);
  expect(world.aws.sqs.findQueue("dead-letters").contents(), trouble).toEqual([]);
}

/** A node whose reboot could not be asked for in time is replaced. */
function expectRepaired(world: RepairWorld, { stays }: Scenario, trouble: string): void {
  const isThere = world.inService.includes(ill);
  if (stays === "no") expect(isThere, trouble).toBe(false);
  if (isThere) expect(isWell(world), trouble).toBe(true);
  expectTidy(world, trouble);
}

function expectTidy(world: RepairWorld, trouble: string): void {
  expect(world.instances, trouble).toHaveLength(4);
  expect(world.nodes, trouble).toHaveLength(4);
  expect(world.traces, trouble).toEqual([]);
  expect(world.ownTags["repaired/without-node"], trouble).toBeUndefined();
}

const codes = {
  denied: ["aws.denied", "cluster.forbidden"],
  down: ["aws.unreachable", "cluster.refused", "cluster.unreachable"],
} as const;

function expectCodes(world: RepairWorld, trouble: Trouble, title: string): void {
  const others = world
    .told("fault")
    .filter(({ code }) => !codes[trouble].some((one) => one === code));
  expect(others, title).toEqual([]);
}

/** The moments at which requests begin to fail. */
async function momentsOf(scenario: Scenario): Promise<readonly FirstRequest[]> {
  const world = aWorld(scenario);
  const found = firstRequestsOf(world, () => stageOf(world));
  await world.goOn(hours(1.5));
  expectEnd(world, scenario, "without a fault");
  expect(found().length).toBeGreaterThan(10);
  return found();
}

describe.each(scenarios)("a repair $name", (scenario) => {
  it("does no harm and comes to its end, whatever is denied or down from whenever", async () => {
    for (const first of await momentsOf(scenario)) {
      await deniedFrom(first, scenario);
      await downFrom(first, scenario);
    }
  }, 900_000);
});

// What is denied may be told as a warning, such as that of zonal shifts.
const isToldAt = (world: RepairWorld) =>
  [...world.told("fault"), ...world.told("warning")].map(({ at }) => at).toSorted((a, b) => a - b);

async function deniedFrom(first: FirstRequest, scenario: Scenario): Promise<void> {
  const title = `${titleOf(first)} is denied`;
  const world = aWorld(scenario);
  const harm = harmIn(world);
  failFrom(world, first, { kind: "denied", until: () => never });
  await world.goOn(minutes(90));
  expect(harm, title).toEqual([]);
  expectCodes(world, "denied", title);
  expectSeldomTold(world, title);
  const isOver = world.inService.includes(ill) === (scenario.stays === "yes");
  if (!isOver || world.traces.length > 0)
    expect(isToldAt(world).at(-1), title).toBeGreaterThan(
      later(world.timeline.now(), minutes(-11)),
    );

  world.faults = () => well;
  await world.goOn(minutes(90));
  expect(harm, title).toEqual([]);
  expectSeldomTold(world, title);
  expectRepaired(world, scenario, title);
}

async function downFrom(first: FirstRequest, scenario: Scenario): Promise<void> {
  const title = `${titleOf(first)} is down`;
  const world = aWorld(scenario);
  const harm = harmIn(world);
  failFrom(world, first, { kind: "down", until: (began) => later(began, minutes(25)) });
  await world.goOn(hours(2.5));
  expect(harm, title).toEqual([]);
  expectCodes(world, "down", title);
  expectSeldomTold(world, title);
  expectRepaired(world, scenario, title);
}

describe("a node whose reboot EC2 denies", () => {
  it("is not replaced for it, is told of in each pass, and reboots once it may", async () => {
    const [, reboots] = scenarios as readonly [Scenario, Scenario];
    const world = aWorld(reboots);
    const asks = { kind: "ec2 RebootInstances", number: 1 };
    failFrom(world, asks, { kind: "denied", until: () => never });
    await world.goOn(hours(3));

    const faults = world.told("fault").map(({ at }) => at);
    const rests = faults.slice(1).map((at, index) => at - (faults[index] ?? 0));
    expect(faults.length).toBeGreaterThan(25);
    expect(Math.max(...rests)).toBeLessThanOrEqual(minutes(6));
    expect(world.declared).toEqual([]);

    world.faults = () => well;
    await world.goOn(minutes(30));
    expectEnd(world, reboots, "denied for long");
  });
});

describe("a node that becomes well while its repair fails", () => {
  it("keeps its instance, and is opened", async () => {
    const replaced = { ...scenarios[0], name: "well in time" } as Scenario;
    const world = aWorld(replaced);
    const gives = { kind: "autoscaling SetInstanceHealth", number: 1 };
    failFrom(world, gives, { kind: "denied", until: () => never });
    recovers(world, 40);
    await world.goOn(minutes(60));
    world.faults = () => well;
    await world.goOn(minutes(30));

    expect(world.declared.length).toBeGreaterThan(1);
    expectEnd(world, { ...replaced, stays: "yes" }, "well");
  });
});
