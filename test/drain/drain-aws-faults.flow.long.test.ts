import { describe, expect, it } from "vitest";
import { minutes, seconds } from "../../lambda/base/time.ts";
import type { InjectedFault } from "../../sandbox/aws/faults.ts";
import { completionsIn, endingsIn, evictedIn, took } from "../world/evidence.ts";
import { type FunctionRequest, type Moment, well } from "../world/fault-plan.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { critical, deploy, namesOn } from "../world/workloads.ts";

/** A world in which one pod takes two passes and a further heartbeat to end. */
function aWorld(heartbeat = seconds(90)): VirtualWorld {
  const world = new VirtualWorld({ nodes: 3, heartbeat });
  deploy(world, { name: "web", on: { 1: 2, 2: 1 } });
  deploy(world, { name: "coredns", spec: critical, on: { 1: 1, 2: 1 } });
  const annotations = { "hollow/term-seconds": "60" };
  const spec = { terminationGracePeriodSeconds: 100 };
  deploy(world, { name: "slow", annotations, spec, on: { 1: 1 } });
  return world;
}

async function drain(world: VirtualWorld): Promise<VirtualWorld> {
  await world.drain();
  return world;
}

interface Trouble {
  readonly name: string;
  /** The SDK tries four times; after more troubles the pass fails, and the queue delivers again. */
  readonly times: readonly number[];
  readonly fault: InjectedFault;
  readonly moment: Moment;
}

/** Drains, but from a certain request on, requests of its kind fail this many times. */
function drainWith({ fault, moment }: Trouble, first: FunctionRequest, times: number) {
  const world = aWorld();
  let left = times;
  world.faults = ({ number, what }) => {
    if (number < first.number || what !== first.what || left === 0) return well;
    left -= 1;
    return { kind: "aws-fault", fault, moment };
  };
  return drain(world);
}

const failure = { status: 500, code: "InternalFailure", message: "try again" };

const troubles: readonly Trouble[] = [
  { name: "a lost connection", fault: "reset", moment: "before", times: [1, 6] },
  { name: "answers that are lost", fault: "reset", moment: "after", times: [1] },
  { name: "throttling", fault: "throttle", moment: "before", times: [1, 6] },
  { name: "silence", fault: "hang", moment: "before", times: [2] },
  { name: "internal failures", fault: failure, moment: "before", times: [3] },
];

describe.each(troubles)("AWS with $name", (trouble) => {
  it.each(trouble.times)(
    "%i times does not stop a drain from ending and completing its hook once",
    async (times) => {
      const undisturbed = await drain(aWorld());
      for (const request of undisturbed.requests.filter(({ to }) => to === "aws")) {
        const world = await drainWith(trouble, request, times);
        const { what } = request;
        const [done] = world.told("notice-done");
        expect(done?.outcome.kind, what).toBe("drained");
        expect(endingsIn(world), what).toEqual(["CONTINUE by call"]);
        expect(completionsIn(world), what).toBe(1);
        expect(namesOn(world, 1), what).toEqual([]);
        expect(new Set(evictedIn(world)).size, what).toBe(evictedIn(world).length);
        // A message whose visibility cannot be changed comes back when its visibility timeout ends.
        expect(took(world) - took(undisturbed), what).toBeLessThanOrEqual(minutes(2));
      }
    },
  );
});

describe("AWS that denies the function something", () => {
  it.each([
    "autoscaling:DescribeAutoScalingInstances",
    "autoscaling:RecordLifecycleActionHeartbeat",
    "autoscaling:CompleteLifecycleAction",
    "ec2:DescribeInstances",
    "eks:DescribeCluster",
  ])("as %s is reported until it is allowed, and no notice is lost", async (denied) => {
    const world = aWorld(minutes(30));
    world.aws.authorize = ({ action }) => (action === denied ? "denied" : "allowed");
    world.in(seconds(80), () => {
      world.aws.authorize = () => "allowed";
    });
    await drain(world);
    expect(new Set(world.told("fault").map(({ code }) => code))).toEqual(new Set(["aws.denied"]));
    expect(world.told("notice-done").map(({ outcome }) => outcome.kind)).toEqual(["drained"]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });
});
