import { describe, expect, it } from "vitest";
import {
  type Duration,
  type Instant,
  later,
  milliseconds,
  minutes,
  seconds,
} from "../../lambda/base/time.ts";
import { nextStep } from "../../lambda/drain/next-step.ts";
import type { Snapshot } from "../../lambda/drain/snapshot.ts";
import {
  aBudget,
  aDaemonPod,
  ago,
  ahead,
  aLedger,
  aPod,
  aSnapshot,
  endingBy,
  noon,
  someSettings,
} from "../support/builders.ts";

const step = (change: Partial<Snapshot>) => nextStep(aSnapshot(change));
const drained = { kind: "finish", outcome: "drained" };
const expired = { kind: "finish", outcome: "expired" };

describe("an empty node", () => {
  // Marked just long enough ago for the mark to have settled.
  const settled = { marked: ago(seconds(5)), listed: noon };

  it("is drained once the mark has settled and a later list shows no pod", () => {
    expect(step(settled)).toEqual(drained);
  });
});

describe("a node with pods that hold it", () => {
  it("has them evicted, and has a time for the next look", () => {
    const pod = aPod();
    expect(step({ pods: [pod] })).toEqual({
      kind: "ask",
      requests: [{ verb: "evict", pod, grace: "own", budgetVersion: "" }],
      recheck: ahead(milliseconds(minutes(14) - 29_999)),
    });
  });
});

it("each budget is asked about each pod once in a step, for somebody may have written many", () => {
  const many = 30;
  let asked = 0;
  const selector = {
    kind: "labels",
    get requirements() {
      asked += 1;
      return [];
    },
  } as const;
  const names = Array.from({ length: many }, (_, at) => `web-${at}`);
  const budgets = names.map((name) => aBudget({ name, selector }));

  step({ pods: names.map((name) => aPod({ name })), budgets });

  expect(asked).toBe(many ** 2);
});

describe("a node at the deadline whose last pods are terminating", () => {
  const late = (now: Duration, until: Duration) => ({
    deadline: ago(now),
    pods: [aPod({ termination: endingBy(later(ago(now), until)) })],
  });
  const none = milliseconds(0);

  it("gets four more seconds if they end in time, because they are not gone at once", () => {
    const look = ahead(seconds(4));
    expect(step(late(none, none))).toEqual({ kind: "ask", requests: [], recheck: look });
    expect(step(late(milliseconds(3999), none))).toMatchObject({ kind: "ask" });
    expect(step(late(seconds(4), none))).toEqual(expired);
  });

  it("gets these four seconds even if pods that hold nothing still run there", () => {
    const { deadline, pods } = late(none, none);
    expect(step({ deadline, pods: [...pods, aDaemonPod()] })).toMatchObject({ kind: "ask" });
  });

  it("has expired if one of them ends over two seconds later, or has not been told to end", () => {
    expect(step(late(none, milliseconds(2001)))).toEqual(expired);
    const { deadline, pods } = late(none, none);
    expect(step({ deadline, pods: [...pods, aPod()] })).toEqual(expired);
  });
});

describe("a pass that begins after the deadline", () => {
  const pod = aPod();
  const late = {
    deadline: ago(seconds(1)),
    triesUntil: ahead(seconds(30)),
    settings: someSettings({ force: "never" }),
  };
  const denied = { kind: "denied", message: "" } as const;
  const refused = (notBefore: Instant) => aLedger([pod, { answer: denied, notBefore }]);

  it("waits for a pod that it may ask again in time, and for no other", () => {
    const soon = { ...late, pods: [pod], ledger: refused(ahead(seconds(29))) };
    expect(step(soon)).toMatchObject({ kind: "ask", requests: [] });
    expect(step({ ...soon, ledger: refused(ahead(seconds(30))) })).toEqual(expired);
  });
});
