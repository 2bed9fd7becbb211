import { describe, expect, it } from "vitest";
import { instanceId } from "../../lambda/base/ids.ts";
import { instant, later, minutes, seconds } from "../../lambda/base/time.ts";
import type { Step } from "../../lambda/drain/snapshot.ts";
import {
  lookEvery,
  stateIn,
  type Target,
  type TargetHealth,
  type TargetState,
} from "../../lambda/drain/target.ts";
import {
  heldByTargets,
  leftAloneFrom,
  type TargetClock,
  type Targets,
} from "../../lambda/drain/target-wait.ts";
import { aPod } from "../support/builders.ts";

const marked = instant(1_000_000);
const at = (count: number): TargetClock => ({
  now: later(marked, seconds(count)),
  marked,
  deadline: later(marked, minutes(15)),
  heldUntil: later(marked, minutes(60)),
  timeout: seconds(300),
});

const target = (state: TargetState, delay = 60): Target => ({
  instance: instanceId("i-1"),
  balancer: { kind: "target group", name: "web", id: "arn:web", vpc: "vpc-1" },
  port: 30080,
  state,
  delay: seconds(delay),
});

describe("a target that is not healthy", () => {
  const states = (healthy: number, unhealthy: number): readonly { state: TargetHealth }[] => [
    ...Array.from({ length: healthy }, () => ({ state: "serving" as const })),
    ...Array.from({ length: unhealthy }, () => ({ state: "unhealthy" as const })),
    { state: "draining" },
    { state: "out" },
  ];

  it.each([
    ["open", "none is healthy", { healthy: 0, count: 1, percent: 0 }],
    ["idle", "another is healthy", { healthy: 1, count: 1, percent: 0 }],
    ["open", "fewer are healthy than its group needs", { healthy: 2, count: 3, percent: 0 }],
    [
      "open",
      "a smaller part is healthy than its group needs",
      { healthy: 2, count: 1, percent: 51 },
    ],
    ["idle", "that part is healthy", { healthy: 2, count: 1, percent: 50 }],
    ["idle", "it is behind a classic load balancer", { healthy: 0, count: 0, percent: 0 }],
  ] as const)("is %s where %s", (state, _, { healthy, ...least }) => {
    expect(stateIn(states(healthy, 2), least)("unhealthy")).toBe(state);
  });

  it("holds evictions back while it gets requests all the same", () => {
    expect(heldByTargets(evict(30), read(target("open")), at(1))).toMatchObject({ requests: [] });
    expect(heldByTargets(evict(30), read(target("idle")), at(1))).toEqual(evict(30));
  });
});

const read = (...targets: readonly Target[]): Targets => ({ kind: "read", targets });
const finish: Step = { kind: "finish", outcome: "drained" };
const evict = (grace: number): Step => ({
  kind: "ask",
  requests: [
    { verb: "evict", pod: aPod({ grace: seconds(grace) }), grace: "own", budgetVersion: "" },
  ],
  recheck: later(marked, minutes(15)),
});
const none = (until: number): Step => ({
  kind: "ask",
  requests: [],
  recheck: later(marked, seconds(until)),
});

describe("a step that evicts", () => {
  it("waits while one of the targets gets requests, for a tenth of the drain's time at most", () => {
    const targets = read(target("draining"), target("serving"));
    expect(heldByTargets(evict(30), targets, at(1))).toEqual(none(90));
    expect(heldByTargets(evict(30), targets, at(90))).toEqual(evict(30));
  });

  it("waits no longer than the setting says", () => {
    const clock = { ...at(1), timeout: seconds(7) };
    expect(heldByTargets(evict(30), read(target("serving")), clock)).toEqual(none(7));
  });

  it("waits for the first answer, but not for long", () => {
    const targets = { kind: "unread", until: later(marked, seconds(10)), targets: [] } as const;
    expect(heldByTargets(evict(30), targets, at(1))).toEqual(none(10));
    expect(heldByTargets(evict(30), targets, at(10))).toEqual(evict(30));
  });

  it("waits for those that have answered while others have not", () => {
    const until = later(marked, seconds(10));
    const known = (targets: readonly Target[]) => ({ kind: "unread", until, targets }) as const;
    expect(heldByTargets(evict(30), known([target("serving")]), at(11))).toEqual(none(90));
    expect(heldByTargets(evict(30), known([target("draining")]), at(1))).toEqual(none(10));
    expect(heldByTargets(finish, known([target("draining")]), at(11))).toEqual(none(90 + 60));
    expect(heldByTargets(finish, known([target("out")]), at(11))).toEqual(finish);
  });

  it("does not wait for a pod whose grace no longer fits before the deadline", () => {
    const [overdue, punctual] = [evict(900), evict(898)];
    const held = (step: Step) => heldByTargets(step, read(target("serving")), at(1));
    expect(held(overdue)).toMatchObject({ requests: [{ verb: "evict" }] });
    expect(held(punctual)).toMatchObject({ requests: [] });
  });

  it("waits for a pod whose grace is longer than the drain, which cuts it all the same", () => {
    const held = (grace: number) => heldByTargets(evict(grace), read(target("serving")), at(89));
    expect(held(901)).toEqual(none(90));
    expect(held(604_800)).toEqual(none(90));
    expect(held(900)).toMatchObject({ requests: [{ verb: "evict" }] });
  });
});

describe("the last step", () => {
  it("waits for the first answer, but no longer than the instance stays", () => {
    const targets = { kind: "unread", until: later(marked, seconds(10)), targets: [] } as const;
    expect(heldByTargets(finish, targets, at(1))).toEqual(none(10));
    const clock = { ...at(1), heldUntil: later(marked, seconds(4)) };
    expect(heldByTargets(finish, targets, clock)).toEqual(none(4));
  });

  it.each(["serving", "idle", "draining"] as const)("waits while the target is %s", (state) => {
    expect(heldByTargets(finish, read(target(state)), at(89))).toEqual(none(90 + 60));
    expect(heldByTargets(finish, read(target(state)), at(150))).toEqual(finish);
  });

  it("goes on when every target is out, and where there are none", () => {
    expect(heldByTargets(finish, read(target("out"), target("out")), at(0))).toEqual(finish);
    expect(heldByTargets(finish, read(), at(0))).toEqual(finish);
    expect(heldByTargets(finish, { kind: "none" }, at(0))).toEqual(finish);
  });

  it("waits as long as the slowest group lets requests end, five minutes at most", () => {
    const slow = read(target("draining", 20), target("draining", 100), target("out", 3000));
    expect(heldByTargets(finish, slow, at(0))).toEqual(none(190));
    expect(heldByTargets(finish, read(target("serving", 3600)), at(0))).toEqual(none(300));
  });

  it("waits on after the deadline of the pods, but no longer than the instance is held", () => {
    const late = { ...at(100), deadline: later(marked, seconds(30)) };
    expect(heldByTargets(finish, read(target("draining", 200)), late)).toEqual(none(230));
    const brief = { ...late, heldUntil: later(marked, seconds(120)) };
    expect(heldByTargets(finish, read(target("draining", 200)), brief)).toEqual(none(120));
  });
});

it("a step that only lists or reads never waits", () => {
  for (const kind of ["list", "read volumes"] as const)
    expect(heldByTargets({ kind }, read(target("serving")), at(0))).toEqual({ kind });
});

it("a target is left alone ten seconds after the mark, and sooner where there is little time", () => {
  expect(leftAloneFrom(at(0))).toBe(later(marked, seconds(10)));
  const spot = { ...at(0), deadline: later(marked, minutes(2)) };
  expect(leftAloneFrom(spot)).toBe(later(marked, seconds(6)));
});

it("a process looks once a second at most, every five seconds at most and every thirty at least", () => {
  expect([0, 5, 12, 400].map(lookEvery)).toEqual([5, 5, 12, 30].map(seconds));
});
