import { describe, expect, it } from "vitest";
import {
  between,
  hours,
  type Instant,
  later,
  minutes,
  never,
  seconds,
  timestamp,
} from "../../lambda/base/time.ts";
import { nodeNow } from "../world/change.ts";
import { blockEvents, enterBlock, reservation, tellOfBlock } from "../world/ec2-events.ts";
import { deletionsIn, evictionsIn, outcomesIn, writesIn, writtenIn } from "../world/evidence.ts";
import { awsFailing, failing, well } from "../world/fault-plan.ts";
import { refusal } from "../world/refusal.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn } from "../world/workloads.ts";
import { instanceOf, nodeOf } from "../world/world-options.ts";

const drained = { kind: "drained", attached: [], stuck: [] };
const untrue = (reason: string) => ({ kind: "ignored", why: "untrue", reason });
const passedOn = (...on: readonly number[]) => ({
  kind: "passed-on",
  instances: on.map((index) => instanceOf(index)),
});

function aWorld(options: ConstructorParameters<typeof VirtualWorld>[0] = {}): VirtualWorld {
  const world = new VirtualWorld({ nodes: 4, ...options });
  deploy(world, { name: "train", on: { 1: 2, 2: 2, 3: 1 } });
  return world;
}

const sentIn = (world: VirtualWorld) =>
  world.requests.filter(({ what }) => what.startsWith("sqs SendMessage"));

const isCordoned = (world: VirtualWorld, index: number): boolean =>
  nodeNow(world, index).spec.unschedulable ?? false;

const firstAt = ([first]: readonly { readonly at: Instant }[]): Instant => first?.at ?? never;

describe("a Capacity Block that ends", () => {
  it.each(blockEvents.slice(0, 2))(
    "has the nodes of its instances drained, and no others: %s",
    async (type) => {
      const world = aWorld();
      const begun = world.timeline.now();
      enterBlock(world, { on: [1, 2] });
      tellOfBlock(world, type);
      await world.work();
      expect(outcomesIn(world)).toEqual([passedOn(1, 2), drained, drained]);
      expect([namesOn(world, 1), namesOn(world, 2)]).toEqual([[], []]);
      expect(isCordoned(world, 3)).toBe(false);
      const deadline = timestamp(later(begun, minutes(10)));
      const mark = { reason: "block-expiring", deadline };
      expect(world.told("node-marked")).toMatchObject([mark, mark]);
    },
  );

  it("has every node marked before the first pod is asked to go", async () => {
    const world = aWorld({ nodes: 12, batchSize: 1 });
    const on = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    enterBlock(world, { on });
    tellOfBlock(world);
    await world.work();
    const asked = firstAt(evictionsIn(world));
    const marked = world.told("node-marked");
    expect(marked).toHaveLength(10);
    expect(marked.every(({ at }) => at < asked)).toBe(true);
    expect(evictionsIn(world)).toHaveLength(5);
  });

  it.each([0, 4])(
    "breaks no budget in the first half of the time that is left, %i minutes after its event",
    async (late) => {
      const world = aWorld();
      world.cluster.addBudget({ name: "train", maxUnavailable: 0 });
      const begun = world.timeline.now();
      enterBlock(world);
      tellOfBlock(world);
      world.pass(minutes(late));
      await world.work();
      const broken = between(begun, firstAt(deletionsIn(world)));
      expect(broken).toBeGreaterThanOrEqual(minutes(late + (10 - late) / 2));
      expect(broken).toBeLessThan(minutes(10));
      expect(namesOn(world, 1)).toEqual([]);
    },
  );

  it("lets a budget hold a pod with a grace of hours for half of the time, and cuts that grace", async () => {
    const world = new VirtualWorld();
    const spec = { terminationGracePeriodSeconds: 7200 };
    deploy(world, { name: "train", spec, on: { 1: 1 } });
    world.cluster.addBudget({ name: "train", maxUnavailable: 0 });
    const begun = world.timeline.now();
    enterBlock(world);
    tellOfBlock(world);
    await world.work();
    const broken = between(begun, firstAt(deletionsIn(world)));
    expect(broken).toBeGreaterThanOrEqual(minutes(5));
    expect(broken).toBeLessThan(minutes(5) + seconds(1));
    expect(deletionsIn(world)).toMatchObject([{ body: { gracePeriodSeconds: 299 } }]);
  });

  it("cuts a grace that does not fit from the beginning, so that its pod is gone when EC2 ends the instance", async () => {
    const world = new VirtualWorld();
    const spec = { terminationGracePeriodSeconds: 7200 };
    const annotations = { "hollow/term-seconds": "never" };
    deploy(world, { name: "train", spec, annotations, on: { 1: 1 } });
    enterBlock(world);
    tellOfBlock(world);
    await world.work();
    const [asked] = writesIn(world).filter(({ what }) => what.includes("eviction"));
    expect(asked).toMatchObject({ body: { deleteOptions: { gracePeriodSeconds: 569 } } });
    expect(world.told("grace-cut")).toMatchObject([{ ownSeconds: 7200 }]);
    expect(namesOn(world, 1)).toEqual([]);
  });

  it.each(blockEvents.slice(2))(
    "has its instances drained in time if all that came is the event of its begin: %s",
    async (type) => {
      const world = aWorld();
      const begun = world.timeline.now();
      enterBlock(world, { endsIn: hours(30 * 24) });
      tellOfBlock(world, type);
      await world.work(hours(31 * 24));
      expect(outcomesIn(world)).toEqual([passedOn(1), drained]);
      expect(between(begun, firstAt(world.told("node-marked")))).toBeLessThan(
        hours(30 * 24) - minutes(39),
      );
      expect(between(begun, firstAt(evictionsIn(world)))).toBeGreaterThanOrEqual(
        hours(30 * 24) - minutes(40),
      );
    },
  );

  it("is waited for, whatever an event says of its end, and an hour sooner where it is one of UltraServers", async () => {
    const markedAt = async (instanceType: string) => {
      const world = aWorld();
      const begun = world.timeline.now();
      enterBlock(world, { instanceType, endsIn: hours(5) });
      tellOfBlock(world);
      await world.work(hours(6));
      return between(begun, firstAt(world.told("node-marked")));
    };
    expect(await markedAt("p5.48xlarge")).toBeGreaterThanOrEqual(hours(5) - minutes(40));
    const early = await markedAt("p6e-gb200.36xlarge");
    expect(early).toBeGreaterThanOrEqual(hours(5) - minutes(70));
    expect(early).toBeLessThan(hours(5) - minutes(69));
  });

  it("has a node opened again if it is extended in the middle of the drain", async () => {
    const world = aWorld();
    world.cluster.addBudget({ name: "train", maxUnavailable: 0 });
    enterBlock(world);
    tellOfBlock(world);
    await world.work(minutes(3));
    expect(isCordoned(world, 1)).toBe(true);
    enterBlock(world, { endsIn: hours(24) });
    await world.work(minutes(3));
    expect(isCordoned(world, 1)).toBe(false);
    expect(namesOn(world, 1)).toHaveLength(2);
    await world.work(hours(24));
    expect(namesOn(world, 1)).toEqual([]);
  });

  it("counts for a drain under a hook too, which would have more time", async () => {
    const world = aWorld();
    world.cluster.addBudget({ name: "train", maxUnavailable: 0 });
    const begun = world.timeline.now();
    enterBlock(world);
    world.terminate(1);
    tellOfBlock(world);
    await world.work();
    expect(between(begun, firstAt(deletionsIn(world)))).toBeLessThan(minutes(10));
    expect(namesOn(world, 1)).toEqual([]);
  });

  it("changes nothing in a dry run, and says what it would evict", async () => {
    const world = aWorld({ settings: { DRAIN_MODE: "dry-run" } });
    enterBlock(world);
    tellOfBlock(world);
    await world.work();
    expect(writtenIn(world).filter((what) => !/dryRun|eviction/.test(what))).toEqual([]);
    expect(outcomesIn(world)).toMatchObject([passedOn(1), { kind: "dry-run" }]);
  });

  it("never forces a pod where that is switched off", async () => {
    const world = aWorld({ settings: { DRAIN_FORCE: "never" } });
    world.cluster.addBudget({ name: "train", maxUnavailable: 0 });
    enterBlock(world);
    tellOfBlock(world);
    await world.work();
    expect(deletionsIn(world)).toEqual([]);
    expect(outcomesIn(world)).toMatchObject([passedOn(1), { kind: "expired" }]);
  });

  it.each([/^ec2 DescribeCapacityReservations/, /^ec2 DescribeInstances/, /^sqs SendMessage/])(
    "has its instances drained though AWS fails for two minutes: %s",
    async (call) => {
      const world = aWorld();
      const until = later(world.timeline.now(), minutes(2));
      const fault = { code: "InternalError", message: "no", status: 500 };
      const refusing = awsFailing(call, fault);
      world.faults = (request) => (request.at < until ? refusing(request) : well);
      enterBlock(world, { on: [1, 2] });
      tellOfBlock(world);
      await world.work();
      expect([namesOn(world, 1), namesOn(world, 2)]).toEqual([[], []]);
      expect(outcomesIn(world).filter(({ kind }) => kind === "drained").length).toBeGreaterThan(1);
    },
  );

  it("is drained once by notices that come twice", async () => {
    const world = aWorld();
    enterBlock(world, { on: [1, 2] });
    for (const type of blockEvents) tellOfBlock(world, type);
    await world.work();
    expect(evictionsIn(world)).toHaveLength(4);
    expect(world.told("node-marked")).toHaveLength(2);
  });

  it("is over, and no pod forgotten, whatever the request at which the function dies", async () => {
    const begin = () => {
      const world = new VirtualWorld();
      deploy(world, { name: "train", on: { 1: 1 } });
      enterBlock(world);
      tellOfBlock(world);
      return world;
    };
    const undisturbed = begin();
    await undisturbed.work();
    const count = undisturbed.requests.length;
    expect(count).toBeGreaterThan(10);
    for (let dies = 1; dies <= count; dies += 1) {
      const world = begin();
      world.faults = ({ number }) => (number === dies ? { kind: "death", moment: "before" } : well);
      await world.work();
      const what = undisturbed.requests[dies - 1]?.what;
      expect(namesOn(world, 1), what).toEqual([]);
      expect(world.aws.sqs.findQueue("notices").contents(), what).toEqual([]);
    }
  });

  it("has the other nodes drained though one may not be written", async () => {
    const world = aWorld();
    enterBlock(world, { on: [1, 2] });
    const fault = refusal(403, "no");
    world.faults = failing(new RegExp(`^patch nodes ${nodeOf(1)}`), fault);
    tellOfBlock(world);
    await world.work();
    expect(namesOn(world, 2)).toEqual([]);
    expect(outcomesIn(world)).toHaveLength(3);
  });
});

describe("an untrue event about a Capacity Block", () => {
  it.each(["cancelled", "expired", "scheduled"] as const)(
    "drains nothing while EC2 says that the block is %s",
    async (state) => {
      const world = aWorld();
      enterBlock(world, { state });
      tellOfBlock(world);
      await world.work();
      expect(outcomesIn(world)).toEqual([
        untrue(`EC2 knows no active Capacity Block ${reservation}`),
      ]);
      expect(writtenIn(world)).toEqual([]);
    },
  );

  it("drains nothing for a block that EC2 does not know, or a reservation that is none", async () => {
    const world = aWorld();
    tellOfBlock(world);
    await world.work();
    world.aws.ec2.reserve({
      id: reservation,
      type: "default",
      state: "active",
      instanceType: "m5.large",
      endsIn: minutes(40),
    });
    tellOfBlock(world);
    await world.work();
    const none = untrue(`EC2 knows no active Capacity Block ${reservation}`);
    expect(outcomesIn(world)).toEqual([none, none]);
  });

  it("costs no message more than a true one, however many come at once", async () => {
    const world = aWorld();
    enterBlock(world, { on: [1, 2], endsIn: hours(2) });
    for (let forged = 0; forged < 10; forged += 1) tellOfBlock(world, "Capacity Block Delivered");
    await world.work(hours(2));
    expect(sentIn(world)).toHaveLength(2);
    const kinds = outcomesIn(world).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "passed-on")).toHaveLength(10);
    expect(kinds.filter((kind) => kind === "drained")).toHaveLength(2);
  });

  it("is asked about once a minute at most by each process, however many messages wait for its end", async () => {
    const world = aWorld();
    enterBlock(world, { on: [1, 2], endsIn: hours(2) });
    for (let forged = 0; forged < 50; forged += 1) tellOfBlock(world, "Capacity Block Delivered");
    await world.work(minutes(5));
    const asked = world.requests.filter(({ what }) => /DescribeCapacityReservations/.test(what));
    expect(asked.length).toBeGreaterThan(0);
    // Five processes have a batch of ten each.
    expect(asked.length).toBeLessThanOrEqual(5 * 6);
    expect(outcomesIn(world)).toEqual([]);
  });

  it("keeps no instance from its drain that has come since, if a true one comes a minute later", async () => {
    const world = aWorld();
    enterBlock(world, { on: [1] });
    tellOfBlock(world);
    await world.work();
    world.pass(minutes(1));
    enterBlock(world, { on: [1, 2], endsIn: minutes(37) });
    tellOfBlock(world);
    await world.work();
    expect(sentIn(world)).toHaveLength(3);
    expect(namesOn(world, 2)).toEqual([]);
  });

  it("takes no true one with it where AWS refuses what it sends", async () => {
    const world = aWorld();
    enterBlock(world, { on: [1, 2] });
    const fault = { code: "InternalError", message: "no", status: 500 };
    world.faults = awsFailing(/^sqs SendMessage/, fault, 8);
    tellOfBlock(world, "Capacity Block Delivered");
    tellOfBlock(world);
    await world.work();
    expect(sentIn(world).length).toBeGreaterThan(8);
    expect([namesOn(world, 1), namesOn(world, 2)]).toEqual([[], []]);
  });

  it("drains no instance that is not in the block, though it says so", async () => {
    const world = aWorld();
    enterBlock(world);
    tellOfBlock(world, undefined, { "instance-id": instanceOf(3) });
    await world.work();
    expect(outcomesIn(world)).toEqual([
      untrue(`instance ${instanceOf(3)} does not run in Capacity Block ${reservation}`),
    ]);
    expect(writtenIn(world)).toEqual([]);
  });

  it("takes no true mark back by the name of another block, so that pods stay away until EC2 ends the instance", async () => {
    const world = aWorld();
    const other = "cr-0fedcba9876543210";
    enterBlock(world);
    world.aws.ec2.reserve({
      id: other,
      type: "capacity-block",
      state: "active",
      instanceType: "p5.48xlarge",
      endsIn: minutes(45),
    });
    const forged = { "capacity-reservation-id": other, "instance-id": instanceOf(1) };
    tellOfBlock(world, undefined, forged);
    tellOfBlock(world);
    await world.work(minutes(9));
    expect(outcomesIn(world)).toContainEqual(drained);
    expect(outcomesIn(world)).toContainEqual(
      untrue(`instance ${instanceOf(1)} does not run in Capacity Block ${other}`),
    );
    expect(isCordoned(world, 1)).toBe(true);
  });

  it("drains no instance of a group that is not managed", async () => {
    const world = aWorld({ settings: { MANAGED_GROUPS: '["others"]' } });
    enterBlock(world);
    tellOfBlock(world);
    await world.work();
    expect(outcomesIn(world)).toMatchObject([{ kind: "ignored", why: "not managed" }]);
    expect(writtenIn(world)).toEqual([]);
  });

  it("is over at once where no instance runs in the block", async () => {
    const world = aWorld();
    enterBlock(world, { on: [] });
    tellOfBlock(world);
    await world.work();
    expect(outcomesIn(world)).toMatchObject([
      { reason: `no instance runs in Capacity Block ${reservation}` },
    ]);
  });

  it("drains nothing while EC2 says nothing of the block", async () => {
    const world = aWorld();
    enterBlock(world);
    world.faults = awsFailing(/^ec2 DescribeCapacityReservations/, {
      code: "UnauthorizedOperation",
      message: "no",
      status: 403,
    });
    tellOfBlock(world);
    await world.work(seconds(3600));
    expect(writtenIn(world)).toEqual([]);
    expect(world.told("fault")).not.toEqual([]);
  });
});
