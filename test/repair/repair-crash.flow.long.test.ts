import { describe, expect, it } from "vitest";
import { hours, instant, later, minutes } from "../../lambda/base/time.ts";
import { type FunctionRequest, type Moment, well } from "../world/fault-plan.ts";
import { RepairWorld } from "../world/repair-world.ts";
import { deploy } from "../world/workloads.ts";
import { instanceOf } from "../world/world-options.ts";

interface Scenario {
  readonly action: "reboot" | "replace";
  /** Whether the node is well after a reboot. */
  readonly heals: "yes" | "no";
  /** What must have begun, each once, whoever died meanwhile. */
  readonly declared: number;
}

const scenarios: readonly Scenario[] = [
  { action: "replace", heals: "no", declared: 1 },
  { action: "reboot", heals: "yes", declared: 0 },
  { action: "reboot", heals: "no", declared: 1 },
];

interface Death extends Pick<FunctionRequest, "number" | "what"> {
  readonly moment: Moment;
}

async function run({ action, heals }: Scenario, death?: Death): Promise<RepairWorld> {
  const wanted = [{ condition: "KernelReady", reason: "*", minutes: 10, action }];
  const world = new RepairWorld({
    size: 4,
    settings: { REPAIR_OVERRIDES: JSON.stringify(wanted) },
  });
  deploy(world, { name: "web", on: { 3: 2 } });
  world.in(minutes(1), () => world.kernel(3, "False", "ForkFailedOutOfPIDs"));
  if (heals === "yes")
    world.aws.ec2.onReboot(() => world.in(minutes(2), () => world.kernel(3, "True")));
  if (death !== undefined)
    world.faults = ({ number }) =>
      number === death.number ? { kind: "death", moment: death.moment } : well;
  await world.goOn(hours(1));
  return world;
}

/** What must hold however a repair was interrupted. */
function expectEnd(world: RepairWorld, { declared, heals }: Scenario, death: string): void {
  expect(new Set(world.declared), death).toEqual(new Set(declared === 0 ? [] : [instanceOf(3)]));
  expect(world.inService.includes(3), death).toBe(heals === "yes");
  expect(world.instances, death).toHaveLength(4);
  expect(world.nodes, death).toHaveLength(4);
  expect(world.traces, death).toEqual([]);
  expectSeldomTold(world, death);
  const records = Object.keys(world.ownTags).filter((key) => key.startsWith("repaired/"));
  expect(records, death).toEqual([`repaired/${instanceOf(3)}`]);
  if (heals === "no") expect(Object.values(world.ownTags).join(), death).toMatch(/ by i-/);
  expect(world.aws.sqs.findQueue("dead-letters").contents(), death).toEqual([]);
}

/** A machine that was told to reboot, or may have been, is not told again within ten minutes; and twice at most. */
function expectSeldomTold({ requests }: RepairWorld, death: string): void {
  const told = requests.filter(({ what }) => what.endsWith("RebootInstances")).map(({ at }) => at);
  expect(told.length, death).toBeLessThanOrEqual(2);
  const [first = instant(0), second = later(first, minutes(10))] = told;
  expect(second - first, death).toBeGreaterThanOrEqual(minutes(10));
}

/** Every request of the passes that find somebody due. */
function deathsIn(world: RepairWorld): readonly Death[] {
  const first = world.told("repair-ill").find(({ verdict }) => / now$/.test(verdict))?.at ?? 0;
  const last = world.told("repair-done").at(-1)?.at ?? 0;
  return world.requests
    .filter(({ at, what }) => at >= first && at <= last && !what.startsWith("create events"))
    .flatMap((request) => [
      { ...request, moment: "before" as const },
      { ...request, moment: "after" as const },
    ]);
}

describe("a function that dies at any request of a repair", () => {
  it.each(scenarios)(
    "comes to the same end: $action, which heals: $heals",
    { timeout: 600_000 },
    async (scenario) => {
      const undisturbed = await run(scenario);
      expectEnd(undisturbed, scenario, "none");
      const deaths = deathsIn(undisturbed);
      expect(deaths.length).toBeGreaterThan(20);
      for (const death of deaths)
        expectEnd(
          await run(scenario, death),
          scenario,
          `${death.number} ${death.moment} ${death.what}`,
        );
    },
  );
});
