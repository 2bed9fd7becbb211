import { describe, expect, it } from "vitest";
import { hours, later, minutes, never, seconds } from "../../lambda/base/time.ts";
import { readBookmark, tryFailing } from "../../lambda/upgrade/bookmark-tags.ts";
import { type UpgradeOptions, usualOptions } from "../../lambda/upgrade/options.ts";
import type { UpgradeCommand, UpgradeTarget } from "../../lambda/upgrade/upgrade-message.ts";
import type { GroupInstance } from "../../sandbox/aws/group.ts";
import { followNodes } from "../world/balanced.ts";
import { changeBudget } from "../world/change.ts";
import { well } from "../world/fault-plan.ts";
import { type FirstRequest, failFrom, firstRequestsOf, titleOf } from "../world/lasting-faults.ts";
import { UpgradeWorld } from "../world/upgrade-world.ts";
import { deploy, namesOn } from "../world/workloads.ts";
import { group, indexOf, instanceOf } from "../world/world-options.ts";

const image = "ami-0123456789abcdef1";
const port = 30080;

/** Two nodes with a pod each, whose budget lets one go at a time, behind a target group. */
function aWorld(): UpgradeWorld {
  const joining = { boot: seconds(10), readies: seconds(5) };
  const world = new UpgradeWorld({ size: 2, zones: ["eu-west-1a"], joining });
  deploy(world, { name: "web", on: { 1: 1, 2: 1 } });
  world.cluster.addBudget({ name: "web", maxUnavailable: 1 });
  const pool = world.aws.elb.create({ name: "web", delay: seconds(5), interval: seconds(5) });
  for (let index = 1; index <= 2; index += 1) pool.register(instanceOf(index), port, "healthy");
  followNodes(world, pool, port);
  world.aws.records.addImage(image, { kubelet: "v1.36.0" });
  world.pass(seconds(30));
  return world;
}

interface Scenario {
  readonly name: string;
  readonly options: Partial<UpgradeOptions>;
  readonly to: UpgradeTarget;
  readonly ends: RegExp;
  /** What happens besides. */
  besides(world: UpgradeWorld): void;
}

const nothing = () => undefined;
const toVersion = { kind: "version", version: 2 } as const;
const toImage = { kind: "image", image } as const;

const say = (world: UpgradeWorld, kind: "abort" | "pause" | "resume", after: number): void =>
  world.in(seconds(after), () => world.command({ kind, id: `aaaaa${after}` }));

/** The group follows the latest version of its template. */
const followLatest = (world: UpgradeWorld): void =>
  world.aws.autoScaling.update(group, {
    LaunchTemplate: { LaunchTemplateId: world.group.template.id, Version: "$Latest" },
  });

const scenarios: readonly Scenario[] = [
  {
    name: "with a surge, a canary and a count of pods",
    to: toVersion,
    ends: /^done$/,
    options: { surge: 1, canary: "first", order: "emptiest" },
    besides: nothing,
  },
  {
    name: "without a surge",
    to: toVersion,
    ends: /^done$/,
    options: { strategy: "MINIMAL" },
    besides: nothing,
  },
  {
    name: "to an image",
    to: toImage,
    ends: /^done$/,
    options: { surge: 1 },
    besides: nothing,
  },
  {
    name: "that somebody aborts",
    to: toImage,
    ends: /^aborted$/,
    options: { surge: 1 },
    besides(world) {
      followLatest(world);
      say(world, "abort", 100);
    },
  },
  {
    name: "that a budget fails",
    to: toVersion,
    ends: /^failed: PodEvictionFailure/,
    options: { surge: 1, drainTimeout: minutes(1) },
    besides: (world) => void changeBudget(world, "web", { maxUnavailable: 0 }),
  },
  {
    name: "that is paused and resumed",
    to: toVersion,
    ends: /^done$/,
    options: { surge: 1 },
    besides(world) {
      say(world, "pause", 105);
      say(world, "resume", 900);
    },
  },
];

// The image that a group launches before its upgrade.
const kept = new WeakMap<UpgradeWorld, string>();

function begin(world: UpgradeWorld, { options, to, besides }: Scenario): void {
  besides(world);
  kept.set(world, world.aws.autoScaling.templates.resolved(world.group.template).imageId);
  const all = { ...usualOptions, afterDrain: seconds(5), ...options };
  const start: Omit<Extract<UpgradeCommand, { kind: "start" }>, "group"> = {
    kind: "start",
    id: "0badcafe",
    to,
    options: all,
  };
  world.command(start);
}

/** How far the upgrade is, as the tags of its group say. */
function stageOf(world: UpgradeWorld): string {
  const reading = reads(world);
  return reading.kind === "bookmark"
    ? `${reading.bookmark.state} ${reading.bookmark.phase}`
    : reading.kind;
}

const tagsOf = ({ group: { tags } }: UpgradeWorld) =>
  Object.fromEntries(tags.map(({ key, value }) => [key, value]));

const reads = (world: UpgradeWorld) => readBookmark(tagsOf(world));

/** Follows what an upgrade must never do, however its requests fail; a line for each time that it does. */
function harmIn(world: UpgradeWorld, { options }: Scenario): readonly string[] {
  const harm: string[] = [];
  const least = options.strategy === "MINIMAL" ? 1 : 2;
  world.aws.autoScaling.onChange(() => {
    const serving = world.instances.filter(({ state }) => state === "InService").length;
    if (serving < least) harm.push(`${serving} instances are in service`);
  });
  const ended = new Set<string>();
  world.aws.autoScaling.onChange(() => {
    const ending = world.instances.filter(({ state }) => state.startsWith("Terminating"));
    for (const one of ending.filter(({ id }) => !ended.has(id))) {
      ended.add(one.id);
      harm.push(...wrongIn(one, world));
    }
  });
  return harm;
}

/** Why this instance should not end now; nothing if it may. An old one has been drained before, and a new one is wanted until the surge goes. */
function wrongIn({ id, template }: GroupInstance, world: UpgradeWorld): readonly string[] {
  const stage = stageOf(world);
  if (template.version !== "1")
    return /scale-down|aborting|failing/.test(stage) ? [] : [`the new ${id} ends while ${stage}`];
  const left = namesOn(world, indexOf(id));
  return left.length > 0 ? [`${id} ends with ${left.join()}`] : [];
}

/** What must hold at the end, whatever failed meanwhile. */
function expectEnd(world: UpgradeWorld, ends: RegExp, trouble: string): void {
  const { min, max, desired } = world.before;
  expect(world.ended, trouble).toMatch(ends);
  expect(world.sizes, trouble).toEqual({ min, max, desired });
  const left = Object.keys(world.ownTags).filter((key) => !key.startsWith("upgrade-ended"));
  expect(left, trouble).toEqual([]);
  expect(world.traces, trouble).toEqual([]);
  expect(world.instances, trouble).toHaveLength(desired);
  const launches = world.aws.autoScaling.templates.resolved(world.group.template).imageId;
  if (/^(?:aborted|refused)/.test(world.ended)) expect(launches, trouble).toBe(kept.get(world));
  if (world.ended === "done") expect(world.versions, trouble).toHaveLength(1);
  expect(world.aws.sqs.findQueue("notices").contents(), trouble).toEqual([]);
  expect(world.aws.sqs.findQueue("dead-letters").contents(), trouble).toEqual([]);
}

const codes = {
  denied: ["aws.denied", "cluster.forbidden"],
  down: ["aws.unreachable", "cluster.refused", "cluster.unreachable"],
} as const;

/** What must hold while requests fail for good: the upgrade has ended, or says which failure holds it. */
function expectTold(world: UpgradeWorld, { kind }: FirstRequest, trouble: string): void {
  const last = world.told("fault").at(-1);
  if (world.ended !== "not yet" && reads(world).kind === "none") return;
  if (stageOf(world).startsWith("paused")) return;
  expect(last?.at, trouble).toBeGreaterThan(later(world.timeline.now(), minutes(-4)));
  // Whoever cannot read or write tags says it in the log alone.
  if (/DescribeAutoScalingGroups|CreateOrUpdateTags/.test(kind)) return;
  expect(tryFailing(tagsOf(world))?.fault ?? "", trouble).toMatch(
    /^(?:aws\.denied|cluster\.forbidden): /,
  );
}

/** How an upgrade ends whose requests have failed for long: as without, but where a drain has had its time, or no version may be made. */
function endAfter({ kind, stage }: FirstRequest, ends: RegExp): RegExp {
  if (kind === "create pods/eviction") return /^(?:done|aborted|failed: PodEvictionFailure)/;
  return kind === "ec2 CreateLaunchTemplateVersion" && stage === "none"
    ? /^(?:done|aborted|refused: AccessDenied)/
    : ends;
}

/** The moments at which requests begin to fail. */
async function momentsOf(scenario: Scenario): Promise<readonly FirstRequest[]> {
  const world = aWorld();
  const found = firstRequestsOf(world, () => stageOf(world));
  begin(world, scenario);
  await world.workFor(hours(1));
  expectEnd(world, scenario.ends, "without a fault");
  expect(found().length).toBeGreaterThan(20);
  return found();
}

// A scenario tries what none before it has tried: the same request at the same stage.
const tried = new Set<string>();
const isNew = (scenario: Scenario, one: FirstRequest): boolean => {
  const key = `${scenario.options.strategy ?? "DEFAULT"} ${titleOf(one)}`;
  if (tried.has(key)) return false;
  tried.add(key);
  return true;
};

describe.each(scenarios)("an upgrade $name", (scenario) => {
  it("does no harm and comes to its end, whatever is denied or down from whenever", async () => {
    const moments = (await momentsOf(scenario)).filter((one) => isNew(scenario, one));
    for (const first of moments) {
      await deniedFrom(first, scenario);
      await abortedWhileDenied(first, scenario);
      await downFrom(first, scenario);
    }
  }, 900_000);
});

async function deniedFrom(first: FirstRequest, scenario: Scenario): Promise<void> {
  const title = `${titleOf(first)} is denied`;
  const { world, harm } = await denied(first, scenario, title);
  world.faults = () => well;
  await goOn(world);
  expect(harm, title).toEqual([]);
  expectEnd(world, endAfter(first, scenario.ends), title);
}

/** The same, but somebody aborts the upgrade while requests are denied. */
async function abortedWhileDenied(first: FirstRequest, scenario: Scenario): Promise<void> {
  const title = `${titleOf(first)} is denied, and somebody aborts`;
  const { world, harm } = await denied(first, scenario, title);
  if (reads(world).kind !== "bookmark") return;
  world.command({ kind: "abort", id: "cccccccc" });
  await world.workFor(minutes(20));
  world.faults = () => well;
  await goOn(world);
  expect(harm, title).toEqual([]);
  expectEnd(world, /^(?:aborted|done|failed: PodEvictionFailure)/, title);
}

async function denied(first: FirstRequest, scenario: Scenario, title: string) {
  const world = aWorld();
  const harm = harmIn(world, scenario);
  failFrom(world, first, { kind: "denied", until: () => never });
  begin(world, scenario);
  await world.workFor(minutes(70));
  expect(harm, title).toEqual([]);
  expectCodes(world, codes.denied, title);
  // A pass that tries again takes the tag off until its try has failed.
  if (tryFailing(tagsOf(world)) === undefined) await world.workFor(minutes(1));
  expectTold(world, first, title);
  return { world, harm };
}

async function downFrom(first: FirstRequest, scenario: Scenario): Promise<void> {
  const title = `${titleOf(first)} is down`;
  const world = aWorld();
  const harm = harmIn(world, scenario);
  failFrom(world, first, { kind: "down", until: (began) => later(began, minutes(45)) });
  begin(world, scenario);
  await world.workFor(minutes(60));
  await goOn(world);
  expect(harm, title).toEqual([]);
  expectCodes(world, codes.down, title);
  expectEnd(world, endAfter(first, scenario.ends), title);
}

/** Lets an upgrade come to its end. Messages that were tried again may have come in another order: then somebody resumes it. */
async function goOn(world: UpgradeWorld): Promise<void> {
  await world.workFor(minutes(30));
  if (stageOf(world).startsWith("paused")) world.command({ kind: "resume", id: "bbbbbbbb" });
  await world.workFor(minutes(30));
}

function expectCodes(world: UpgradeWorld, allowed: readonly string[], trouble: string): void {
  const others = world.told("fault").filter(({ code }) => !allowed.includes(code));
  expect(others, trouble).toEqual([]);
}
