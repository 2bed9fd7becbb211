import { describe, expect, it } from "vitest";
import { AutoScalingGroups } from "../../lambda/aws/auto-scaling-groups.ts";
import { Fault } from "../../lambda/base/fault.ts";
import { actionToken, instanceId } from "../../lambda/base/ids.ts";
import { later, minutes, never, seconds } from "../../lambda/base/time.ts";
import { Heartbeats } from "../../lambda/notice/heartbeats.flow.ts";
import {
  type HookKeeper,
  heartbeatsFor,
  type Keeper,
  quietRest,
  release,
} from "../../lambda/notice/keeper.flow.ts";
import type { PassEntry } from "../../lambda/notice/pass-entry.ts";
import { aServedAccount } from "../support/aws-account.ts";
import { anAction } from "../support/builders.ts";
import { QuickClock } from "../support/quick-clock.ts";

const id = instanceId("i-0000000000000001a");
const zone = "eu-west-1a";
const none: Keeper = { kind: "none" };
const drained = { kind: "drained" } as const;
const done = (outcome: { readonly kind: string }) => ({ kind: "done", outcome });

/** A terminating instance that a hook holds, and what keeps it. */
async function aKeeper(change: Partial<HookKeeper> = {}) {
  const { aws, autoScaling } = await aServedAccount();
  const { group, hook } = anAction();
  const sizes = { min: 0, max: 1, desired: 1, launches: "never" } as const;
  aws.autoScaling.createGroup({ name: group, zones: [zone], ...sizes });
  const transition = "autoscaling:EC2_INSTANCE_TERMINATING";
  aws.autoScaling.putHook(group, { name: hook, transition, defaultResult: "CONTINUE" });
  aws.ec2.run({ id, zone, privateIp: "10.0.0.7" });
  aws.autoScaling.attach({ id, zone, group });
  aws.autoScaling.terminate(id);
  const [held] = aws.autoScaling.actions();
  const action = anAction({ instance: id, token: actionToken(held?.token ?? "") });
  const entries: PassEntry[] = [];
  const clock = new QuickClock();
  const ports = {
    clock,
    groups: new AutoScalingGroups(autoScaling),
    journal: { record: (entry: PassEntry) => entries.push(entry) },
  };
  const keeper: HookKeeper = {
    kind: "hook",
    action,
    transition: "terminating",
    heartbeats: new Heartbeats(action, minutes(20), ports),
    onTimeout: "CONTINUE",
    atDeadline: "go on",
    ...change,
  };
  const deny = () => {
    aws.authorize = ({ action: call }) =>
      call === "autoscaling:CompleteLifecycleAction" ? "denied" : "allowed";
  };
  return { action, aws, clock, deny, entries, keeper, ports };
}

describe("the heartbeats of a hook", () => {
  it("are sent each time half of its timeout has passed, and told", async () => {
    const { action, clock, entries, keeper } = await aKeeper();
    const { due, work } = heartbeatsFor(keeper);
    const first = later(clock.now(), minutes(10));
    expect(due()).toBe(first);
    expect(await work()).toBe("kept");
    expect(entries).toEqual([]);
    await clock.sleep(first);
    expect(await work()).toBe("kept");
    expect(entries).toEqual([{ kind: "heartbeat", hook: action.hook, instance: id }]);
    expect(due()).toBe(later(first, minutes(10)));
  });

  it("end with its action", async () => {
    const { clock, entries, keeper, ports } = await aKeeper();
    await ports.groups.complete(keeper.action, "CONTINUE");
    await clock.sleep(keeper.heartbeats.due());
    expect(await heartbeatsFor(keeper).work()).toBe("no-active-action");
    expect(entries).toEqual([]);
  });

  it("are none where there is no hook", async () => {
    const { due, work } = heartbeatsFor(none);
    expect([due(), await work()]).toEqual([never, "kept"]);
  });
});

it("a notice without a token rests a minute at least while nothing moves", async () => {
  const { keeper } = await aKeeper();
  const tokenless = { ...keeper, action: anAction({ token: "unsaid" }) };
  expect([none, keeper, tokenless].map(quietRest)).toEqual([{}, {}, { leastRest: minutes(1) }]);
});

describe("the release of an instance", () => {
  it("completes its hook, if it has one", async () => {
    const { action, entries, keeper, ports } = await aKeeper();
    expect(await release(none, drained, ports)).toEqual(done(drained));
    expect(entries).toEqual([]);
    expect(await release(keeper, drained, ports)).toEqual(done(drained));
    expect(entries).toEqual([{ kind: "hook-completed", action, result: "CONTINUE" }]);
  });

  it("tells what a hook that was completed already has lost, or that it stands", async () => {
    const { action, entries, keeper, ports } = await aKeeper();
    await ports.groups.complete(action, "CONTINUE");
    expect(await release(keeper, drained, ports)).toEqual(done({ kind: "released-elsewhere" }));
    expect(entries).toEqual([]);
    const end = { result: "CONTINUE", ifCompleted: "stands" } as const;
    expect(await release(keeper, drained, ports, end)).toEqual(done(drained));
    const warnings = [expect.stringContaining("it was completed already")];
    expect(entries).toEqual([{ kind: "warning", about: `hook ${action.hook}`, warnings }]);
  });
});

describe("a hook that may not be completed", () => {
  const letsGo = "hook.uncompleted";
  const isHeld = "aws.denied";

  it.each<[string, Partial<HookKeeper>, "ABANDON" | "CONTINUE", string]>([
    ["lets it go", {}, "CONTINUE", letsGo],
    ["ends it as its release would", { onTimeout: "ABANDON" }, "ABANDON", letsGo],
    ["ends it otherwise", { onTimeout: "ABANDON" }, "CONTINUE", letsGo],
    ["ends an instance that has to stay", {}, "ABANDON", isHeld],
    ["puts a launched one into service", { transition: "launching" }, "CONTINUE", letsGo],
    [
      "ends a launched one that has to stay",
      { transition: "launching", onTimeout: "ABANDON" },
      "CONTINUE",
      isHeld,
    ],
  ])("is given up in time or held, where its timeout %s", async (_, change, result, code) => {
    const { clock, deny, keeper, ports } = await aKeeper(change);
    deny();
    const from = later(clock.now(), minutes(5));
    const codeAt = () =>
      release({ ...keeper, letsGoFrom: from }, drained, ports, {
        result,
        ifCompleted: "lost",
      }).then(
        () => "",
        (cause: unknown) => (cause instanceof Fault ? cause.code : String(cause)),
      );
    await clock.sleep(later(clock.now(), seconds(299)));
    expect(await codeAt()).toBe(isHeld);
    await clock.sleep(from);
    expect(await codeAt()).toBe(code);
  });

  it("is never given up where nothing says when, or for a fault that passes", async () => {
    const { aws, clock, deny, keeper, ports } = await aKeeper();
    await clock.sleep(later(clock.now(), minutes(600)));
    deny();
    await expect(release(keeper, drained, ports)).rejects.toThrow(isHeld);
    aws.authorize = () => "allowed";
    const target = { service: "autoscaling", action: "CompleteLifecycleAction" };
    aws.faults.failNext(target, "throttle", { times: 10 });
    const late = { ...keeper, letsGoFrom: clock.now() };
    await expect(release(late, drained, ports)).rejects.toThrow("aws.unreachable");
  });

  it("is told with the instance and the hook that are left", async () => {
    const { action, clock, deny, keeper, ports } = await aKeeper();
    deny();
    await expect(release({ ...keeper, letsGoFrom: clock.now() }, drained, ports)).rejects.toThrow(
      `the work on ${id} is over, and hook ${action.hook} is left to its timeout`,
    );
  });
});
