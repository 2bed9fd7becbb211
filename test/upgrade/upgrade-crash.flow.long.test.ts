import { describe, expect, it } from "vitest";
import { type Duration, later, minutes, seconds } from "../../lambda/base/time.ts";
import type { UpgradeOptions } from "../../lambda/upgrade/options.ts";
import { type FunctionRequest, type Moment, well } from "../world/fault-plan.ts";
import { UpgradeWorld } from "../world/upgrade-world.ts";
import { deploy } from "../world/workloads.ts";
import { nodeOf } from "../world/world-options.ts";

function aWorld(): UpgradeWorld {
  const joining = { boot: seconds(10), readies: seconds(5) };
  const world = new UpgradeWorld({ size: 2, zones: ["eu-west-1a"], joining });
  deploy(world, { name: "web", on: { 1: 1, 2: 1 } });
  return world;
}

interface Death extends FunctionRequest {
  readonly moment: Moment;
}

const isWrite = ({ what }: FunctionRequest): boolean => !/^(get|list|watch)|Describe/.test(what);

/**
 * A death at every request and after every write. Those at one moment between the same two writes leave the same world
 * behind, for reading changes nothing: the first of them stands for all.
 */
function deathsAt(requests: readonly FunctionRequest[]): readonly Death[] {
  const deaths = new Map<string, Death>();
  let writes = 0;
  const dies = (moment: Moment, request: FunctionRequest) => {
    const world = `${request.at} ${writes}`;
    const death = { ...request, what: `${moment} ${request.what}`, moment };
    if (!deaths.has(world)) deaths.set(world, death);
  };
  for (const request of requests) {
    dies("before", request);
    if (!isWrite(request)) continue;
    writes += 1;
    dies("after", request);
  }
  return [...deaths.values()];
}

/** What must hold however an upgrade was interrupted. */
function expectEnd(world: UpgradeWorld, { outcome, aside }: Scenario, death: string): void {
  world.pass(minutes(5));
  const { min, max } = world.before;
  const desired = world.before.desired + aside.length;
  expect(world.ended, death).toMatch(outcome);
  expect(world.sizes, death).toEqual({ min, max, desired });
  const left = Object.keys(world.ownTags).filter((key) => !key.startsWith("upgrade-ended"));
  expect(left, death).toEqual([]);
  const cordoned = world.traces.filter((one) => one.endsWith("is cordoned"));
  expect(cordoned, death).toEqual(aside.map((node) => `${node} is cordoned`));
  // Each of them also says by two annotations why it is cordoned.
  expect(world.traces, death).toHaveLength(3 * aside.length);
  expect(world.instances, death).toHaveLength(desired);
  expect(world.aws.sqs.findQueue("notices").contents(), death).toEqual([]);
  expect(world.aws.sqs.findQueue("dead-letters").contents(), death).toEqual([]);
}

interface Scenario {
  readonly options: Partial<UpgradeOptions>;
  readonly outcome: RegExp;
  readonly versions: readonly string[];
  /** The nodes that are set aside at the end. */
  readonly aside: readonly string[];
  /** Deaths before that are left out: a message that nobody has read yet cannot be aborted. */
  readonly from: Duration;
  /** What happens besides. */
  readonly besides: (world: UpgradeWorld) => void;
}

const nothing = () => undefined;

const scenarios: readonly Scenario[] = [
  {
    options: { surge: 1, canary: "first" },
    outcome: /^done$/,
    aside: [],
    versions: ["2"],
    besides: nothing,
    from: seconds(0),
  },
  {
    options: { strategy: "MINIMAL", canary: "first", order: "emptiest" },
    outcome: /^done$/,
    aside: [],
    versions: ["2"],
    besides: nothing,
    from: seconds(0),
  },
  {
    options: { surge: 1, soak: minutes(2) },
    outcome: /^done$/,
    aside: [],
    versions: ["2"],
    besides: nothing,
    from: seconds(0),
  },
  {
    options: { keepOld: minutes(2) },
    outcome: /^done$/,
    aside: [],
    versions: ["2"],
    besides: nothing,
    from: seconds(0),
  },
  {
    options: { keepOld: minutes(30) },
    outcome: /^rolled-back$/,
    aside: [],
    versions: ["1"],
    besides: (world) =>
      world.in(minutes(10), () => world.command({ kind: "rollback", id: "aaaaaaaa" })),
    from: minutes(9),
  },
  {
    options: { surge: 1, drainTimeout: minutes(1), undrainable: "set-aside" },
    outcome: /^set-aside: 1 nodes are set aside/,
    versions: ["1", "2"],
    from: seconds(0),
    besides: (world) => {
      deploy(world, { name: "db", on: { 1: 1 } });
      world.cluster.addBudget({ name: "db", maxUnavailable: 0 });
    },
    aside: [nodeOf(1)],
  },
  {
    options: { surge: 1, drainTimeout: minutes(1) },
    outcome: /^failed: PodEvictionFailure/,
    aside: [],
    versions: ["1", "2"],
    from: seconds(0),
    besides: ({ cluster }) => void cluster.addBudget({ name: "web", minAvailable: 2 }),
  },
  {
    options: { surge: 1 },
    outcome: /^aborted$/,
    aside: [],
    versions: ["1"],
    from: seconds(1),
    besides: (world) =>
      world.in(seconds(20), () => world.command({ kind: "abort", id: "aaaaaaaa" })),
  },
];

async function run(
  { options, besides }: Scenario,
  death: Death | undefined,
): Promise<UpgradeWorld> {
  const world = aWorld();
  besides(world);
  if (death !== undefined)
    world.faults = ({ number }) =>
      number === death.number ? { kind: "death", moment: death.moment } : well;
  return world.upgraded({ afterDrain: seconds(5), ...options });
}

describe("a function that dies at any of its requests", () => {
  it.each(scenarios)(
    "brings an upgrade to the same end: $outcome with $options",
    {
      timeout: 600_000,
    },
    async (scenario) => {
      const { versions, from } = scenario;
      const { timeline } = aWorld();
      const counts = later(timeline.now(), from);
      const undisturbed = await run(scenario, undefined);
      expectEnd(undisturbed, scenario, "none");
      for (const death of deathsAt(undisturbed.requests.filter(({ at }) => at >= counts))) {
        const world = await run(scenario, death);
        expectEnd(world, scenario, `${death.number} ${death.what}`);
        if (versions.length === 1) expect(world.versions, death.what).toEqual(versions);
      }
    },
  );
});
