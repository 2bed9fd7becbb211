import { describe, expect, it } from "vitest";
import type { PodUid } from "../../lambda/base/ids.ts";
import { type Duration, milliseconds, minutes, seconds } from "../../lambda/base/time.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import type { Snapshot } from "../../lambda/drain/snapshot.ts";
import { waitsAsNewcomer } from "../../lambda/drain/tiers.ts";
import { ago, ahead, aPod, aSnapshot, endingBy, noon } from "../support/builders.ts";

const unseen = { seenSinceMark: new Set<PodUid>() };
const waits = (pod: Partial<Pod>, scene: Partial<Snapshot> = unseen): boolean => {
  const pods = [aPod({ created: ago(seconds(1)), ...pod })];
  const snapshot = aSnapshot({ pods, ...scene });
  return pods.some((one) => waitsAsNewcomer(one, snapshot));
};

describe("a pod that the mark keeps away", () => {
  it("waits for no look if it tolerates the mark, ends already or belongs to the node itself", () => {
    const tolerations = [{ key: "", operator: "Exists", value: "", effect: "" }];
    expect(waits({ tolerations })).toBe(false);
    expect(waits({ termination: endingBy(noon) })).toBe(false);
    expect(waits({ phase: "Succeeded" })).toBe(false);
    expect(waits({ mirror: true })).toBe(false);
  });

  it("waits for a look three seconds at most once its grace no longer fits before the deadline", () => {
    const late = { ...unseen, deadline: ahead(seconds(20)) };
    expect(waits({ created: ago(seconds(2.9)) }, late)).toBe(true);
    expect(waits({ created: ago(seconds(3)) }, late)).toBe(false);
    expect(waits({ created: ago(minutes(3)), grace: seconds(10) }, late)).toBe(true);
  });
});

describe("a pod that comes to a node without a mark", () => {
  const unmarked = { ...unseen, mark: "missing", begun: ago(minutes(10)) } as const;
  const grace = seconds(30);

  it("waits for half of the time left at its creation if that is less", () => {
    const pod = { grace: minutes(5), created: ago(seconds(40)) };
    expect(waits(pod, { ...unmarked, deadline: ahead(seconds(41)) })).toBe(true);
    expect(waits(pod, { ...unmarked, deadline: ahead(seconds(40)) })).toBe(false);
  });

  it("waits no longer than its grace fits before the deadline", () => {
    const pod = { grace, created: ago(seconds(10)) };
    const left = (time: Duration) => ({ ...unmarked, deadline: ahead(time) });
    expect(waits(pod, left(milliseconds(grace)))).toBe(true);
    expect(waits(pod, left(milliseconds(grace - 1)))).toBe(false);
  });
});

describe("a pod that comes past the scheduler to a node with its mark", () => {
  const created = ago(minutes(1));
  const rests = (pod: Partial<Pod>, scene: Partial<Snapshot>) =>
    waits(pod, { seenSinceMark: new Set([aPod().uid]), ...scene });

  it("waits for half of the time that the mark had been settled when it came", () => {
    const deadline = ahead(minutes(60));
    expect(rests({ created }, { marked: ago(seconds(186)), deadline })).toBe(true);
    expect(rests({ created }, { marked: ago(seconds(185)), deadline })).toBe(false);
  });

  it("waits for a tenth of the drain's time at most, for somebody may have opened the node for a moment", () => {
    const scene = { marked: ago(seconds(505)), deadline: ahead(seconds(101)) };
    expect(rests({ created }, scene)).toBe(true);
    expect(rests({ created }, { ...scene, deadline: ahead(seconds(100)) })).toBe(false);
  });

  it("waits no longer than its grace fits before the deadline", () => {
    const pod = { grace: seconds(30), created: ago(seconds(10)) };
    const left = (time: Duration) => ({ marked: ago(minutes(4)), deadline: ahead(time) });
    expect(rests(pod, left(milliseconds(pod.grace)))).toBe(true);
    expect(rests(pod, left(milliseconds(pod.grace - 1)))).toBe(false);
  });

  it("does not wait where it came before the mark had settled or the drain began, tolerates the mark, or has no replacement", () => {
    expect(rests({ created }, { marked: ago(minutes(4)), begun: created })).toBe(false);
    const controller = { kind: "none" } as const;
    expect(rests({ created, controller }, { marked: ago(minutes(4)) })).toBe(false);
    expect(rests({ created: ago(seconds(1)) }, { marked: ago(seconds(6)) })).toBe(false);
    const tolerations = [{ key: "", operator: "Exists", value: "", effect: "" }];
    expect(rests({ created, tolerations }, { marked: ago(minutes(4)) })).toBe(false);
  });
});
