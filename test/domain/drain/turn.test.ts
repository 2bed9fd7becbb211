import { describe, expect, it } from "vitest";
import type { Snapshot } from "../../../lambda/domain/drain/snapshot.ts";
import { waitsForLook } from "../../../lambda/domain/drain/turn.ts";
import type { PodUid } from "../../../lambda/domain/ids.ts";
import type { Pod } from "../../../lambda/domain/pod/pod.ts";
import { minutes, seconds } from "../../../lambda/domain/time.ts";
import { ago, ahead, aPod, aSnapshot, endingBy, noon } from "../../builders.ts";

const unseen = { vouched: new Set<PodUid>() };
const waits = (pod: Partial<Pod>, scene: Partial<Snapshot> = unseen): boolean => {
  const pods = [aPod({ created: ago(seconds(1)), ...pod })];
  const snapshot = aSnapshot({ pods, ...scene });
  return pods.some((one) => waitsForLook(one, snapshot));
};

describe("a pod that the mark keeps away", () => {
  it("waits for a look at the node, unless it was there when the node was last found marked", () => {
    expect(waits({})).toBe(true);
    expect(waits({}, {})).toBe(false);
  });

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
