import {
  type Duration,
  hours,
  later,
  minutes,
  seconds,
  timestamp,
} from "../../lambda/base/time.ts";
import { leaseAnnotation } from "../../lambda/drain/eviction-lease.ts";
import { announce, days } from "../interruption/planned-work.ts";
import { aRoomWorld } from "../making-room/a-room-world.ts";
import { changeNode } from "./change.ts";
import { changeState, interrupt, recommend } from "./ec2-events.ts";
import { LaunchWorld } from "./launch-world.ts";
import { RepairWorld } from "./repair-world.ts";
import { atTerminal, command } from "./terminal.ts";
import { UpgradeWorld } from "./upgrade-world.ts";
import { VirtualWorld } from "./virtual-world.ts";
import { critical, deploy } from "./workloads.ts";
import { instanceOf, type WorldOptions } from "./world-options.ts";

/** How a flow is begun, by a function with some clock; it returns the world at the end. */
type Run = (clock: Pick<WorldOptions, "clockAhead">, phase: Duration) => Promise<VirtualWorld>;

const ends = (lasts: number | "never", grace = 30) => ({
  annotations: { "hollow/term-seconds": String(lasts) },
  spec: { terminationGracePeriodSeconds: grace },
});

/** Pods of several kinds on the first node, which go one by one. */
function populate(world: VirtualWorld, lasts = 28): void {
  deploy(world, { name: "web", ...ends(lasts), on: { 1: 3, 2: 1 } });
  world.cluster.addBudget({ name: "web", maxUnavailable: 1 });
  const dns = ends(3);
  deploy(world, { name: "dns", ...dns, spec: { ...dns.spec, ...critical }, on: { 1: 1 } });
}

const drains =
  (
    begin: (world: VirtualWorld) => Promise<void> | void,
    options: WorldOptions = {},
    more: (world: VirtualWorld) => void = (world) => populate(world),
  ): Run =>
  async (clock, phase) => {
    const world = new VirtualWorld({ ...options, ...clock });
    more(world);
    world.pass(phase);
    await begin(world);
    return world;
  };

const blocked = (world: VirtualWorld): void => {
  deploy(world, { name: "web", ...ends("never", 40), on: { 1: 2 } });
  world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
};

const protectedFor = (duration: string) => (world: VirtualWorld) =>
  deploy(world, {
    name: "web",
    annotations: { "karpenter.sh/do-not-disrupt": duration },
    on: { 1: 2 },
  });

const leftoverLease = (world: VirtualWorld): void => {
  populate(world);
  const until = timestamp(later(world.timeline.now(), seconds(90)));
  changeNode(world, 1, ({ metadata, ...node }) => {
    const lease = { [leaseAnnotation]: `somebody ${until}` };
    return {
      ...node,
      metadata: { ...metadata, annotations: { ...metadata.annotations, ...lease } },
    };
  });
};

const launching =
  (joins: "in time" | "never"): Run =>
  async (clock, phase) => {
    const settings = { LAUNCH_TIMEOUT_SECONDS: "300" };
    const world = new LaunchWorld({ ...clock, mapRoles: "", settings });
    world.pass(phase);
    world.launch();
    if (joins === "in time") world.in(seconds(70), () => world.join());
    await world.work();
    return world;
  };

const work = (world: VirtualWorld): Promise<void> => world.work();

/** Every flow of the product. */
export const flows: Readonly<Record<string, Run>> = {
  "a hook": drains((world) => world.drain()),
  "a hook, past a budget at the deadline": drains(
    (world) => world.drain(),
    { settings: { DRAIN_TIMEOUT_SECONDS: "120" } },
    blocked,
  ),
  "a hook, in several passes": drains((world) => world.drain(), {}, blocked),
  "a hook, with protected pods": drains((world) => world.drain(), {}, protectedFor("2m")),
  "a hook, behind another's lease": drains((world) => world.drain(), {}, leftoverLease),
  Spot: drains((world) => {
    interrupt(world);
    return work(world);
  }),
  "Spot, past a budget": drains(
    (world) => {
      interrupt(world);
      return work(world);
    },
    {},
    blocked,
  ),
  "Spot, late": drains(async (world) => {
    interrupt(world);
    world.withhold(minutes(6));
    await world.work();
  }),
  "a recommendation": drains(
    (world) => {
      recommend(world);
      return world.work(minutes(30));
    },
    { settings: { EVENT_REBALANCE: "drain" } },
  ),
  "a stop": drains(
    (world) => {
      changeState(world, "shutting-down");
      return work(world);
    },
    {},
    (world) => populate(world, 7),
  ),
  "planned work": drains((world) => {
    announce(world);
    return world.work(days(3));
  }),
  "the end of an instance without a hook": drains(
    (world) => {
      world.aws.ec2.setState(instanceOf(1), "shutting-down");
      world.aws.ec2.setState(instanceOf(1), "terminated");
      const { register } = world.aws.autoScaling;
      const instance = register.findInstance(instanceOf(1));
      register.putInstance({ ...instance, state: "Terminated" });
      changeState(world, "terminated");
      return work(world);
    },
    { cloudController: "never", settings: { EVENT_REMOVE_NODE: "stopped" } },
  ),
  "a launch": launching("in time"),
  "a launch that does not join": launching("never"),
  "a terminal": drains(command, { work: atTerminal() }),
  "a terminal, past a budget": drains(
    command,
    { work: atTerminal({ force: "at-deadline", timeout: seconds(120) }) },
    blocked,
  ),
  "a terminal, behind another's lease": drains(command, { work: atTerminal() }, leftoverLease),
  room: async (clock, phase) => {
    const { world } = aRoomWorld({ ...clock });
    world.pass(phase);
    await world.drain();
    return world;
  },
  "a repair": async (clock, phase) => {
    const world = new RepairWorld({ size: 4, ...clock });
    world.pass(phase);
    world.silence(3);
    await world.goOn(hours(1));
    return world;
  },
  "an upgrade": async (clock, phase) => {
    const world = new UpgradeWorld({ size: 2, ...clock });
    deploy(world, { name: "web", ...ends(28), on: { 1: 1, 2: 1 } });
    world.pass(phase);
    return world.upgraded();
  },
};
