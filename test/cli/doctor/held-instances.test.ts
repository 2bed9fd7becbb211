import { describe, expect, it } from "vitest";
import { refusedAgain } from "../../../cli/doctor/held-instances.ts";
import type { Dated } from "../../../journal/entry.ts";
import { actionToken, instanceId } from "../../../lambda/base/ids.ts";
import { later, seconds } from "../../../lambda/base/time.ts";
import { noon } from "../../support/builders.ts";

const instance = instanceId("i-07e9ea9eb19a67337");
const token = actionToken("token");
let second = 0;

const entry = <T extends object>(its: T) => {
  second += 1;
  return { ...its, instance, token, at: later(noon, seconds(second)) };
};
const started = (): Dated => entry({ kind: "pass-started", notice: "terminating", receives: 1 });
const refused = (pod: string, why = "denied"): Dated =>
  entry({ kind: "pod-refused", pod, verb: "evict", past: "", why, message: `no to ${pod}` });
const done = (): Dated =>
  entry({
    kind: "notice-done",
    notice: "terminating",
    outcome: { kind: "drained", attached: [], stuck: [] },
  });

const named = (...entries: readonly Dated[]) =>
  refusedAgain(entries).map(({ last, passes }) => [last.pod, passes]);

describe("the pods whose evictions are refused in pass after pass", () => {
  it("are those that two passes or more were refused, with the last answer", () => {
    const passes = [started(), refused("a"), refused("a"), started(), refused("a"), refused("b")];

    expect(named(...passes)).toEqual([["a", 2]]);
    expect(refusedAgain(passes)[0]?.last.message).toBe("no to a");
  });

  it("stay so while the present pass has not asked for them", () => {
    expect(named(started(), refused("a"), started(), refused("a"), started())).toEqual([["a", 2]]);
  });

  it("are none that somebody has moved since: the last two passes were refused nothing", () => {
    const refusing = [started(), refused("a"), started(), refused("a")];

    expect(named(...refusing, started(), started())).toEqual([]);
  });

  it.each(["blocked", "throttled", "unclear", "conflict", "namespace-terminating"])(
    "are none whose refusal passes by itself: %s",
    (why) => {
      expect(named(started(), refused("a", why), started(), refused("a", why))).toEqual([]);
    },
  );

  it("are none of a drain that is done", () => {
    expect(named(started(), refused("a"), started(), refused("a"), done())).toEqual([]);
  });
});
