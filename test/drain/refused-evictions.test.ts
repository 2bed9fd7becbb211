import { describe, expect, it } from "vitest";
import { milliseconds, minutes } from "../../lambda/base/time.ts";
import type { PodAttempt } from "../../lambda/drain/ledger.ts";
import { refusedEvictions } from "../../lambda/drain/refused-evictions.ts";
import type { Snapshot } from "../../lambda/drain/snapshot.ts";
import { aDaemonPod, ago, ahead, aLedger, aPod, aSnapshot, endingBy } from "../support/builders.ts";

const pod = aPod();
const denied: Partial<PodAttempt> = { answer: { kind: "denied", message: "it moves by itself" } };

/** A drain from ten minutes ago until in ten minutes, so that its first half ends now. */
const lines = (attempt: Partial<PodAttempt>, change: Partial<Snapshot> = {}) =>
  refusedEvictions(
    aSnapshot({
      begun: ago(minutes(10)),
      marked: ago(minutes(10)),
      deadline: ahead(minutes(10)),
      pods: [pod],
      ledger: aLedger([pod, attempt]),
      ...change,
    }),
  );
const line = "demo/web-1: its eviction is refused still (denied): it moves by itself";

describe("an eviction that is refused for no budget", () => {
  it("is told of from the middle of the drain on", () => {
    expect(lines(denied)).toEqual([line]);
    expect(lines(denied, { deadline: ahead(milliseconds(minutes(10) + 2)) })).toEqual([]);
  });

  it("may be a deletion, or invalid", () => {
    const answer = { kind: "invalid", message: "no grace" } as const;
    expect(lines({ verb: "delete", answer })).toEqual([
      "demo/web-1: its deletion is refused still (invalid): no grace",
    ]);
  });

  it.each<[string, Partial<PodAttempt>, Partial<Snapshot>]>([
    ["no answer came", {}, {}],
    ["a budget refuses it", { answer: { kind: "blocked", message: "", retryAfter: "unsaid" } }, {}],
    ["nothing was asked", denied, { ledger: aLedger() }],
    ["the pod terminates", denied, { pods: [aPod({ termination: endingBy(ahead(minutes(1))) })] }],
    ["the pod holds nothing", denied, { pods: [aDaemonPod({ uid: pod.uid })] }],
  ])("is not told of where %s", (_, attempt, change) => {
    expect(lines(attempt, change)).toEqual([]);
  });
});
