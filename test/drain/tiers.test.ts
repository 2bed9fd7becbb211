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
