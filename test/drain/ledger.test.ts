import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PodUid, podUid } from "../../lambda/base/ids.ts";
import {
  between,
  type Duration,
  type Instant,
  milliseconds,
  minutes,
  seconds,
} from "../../lambda/base/time.ts";
import type { Eviction, RetryAfter } from "../../lambda/drain/eviction.ts";
import { type Ledger, ledgerWithLimit, underWay } from "../../lambda/drain/ledger.ts";
import { noteAnswer, noteRequest } from "../../lambda/drain/ledger-notes.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import { ahead, aPod, noon, somePods } from "../support/builders.ts";

// With this UID the pod waits no longer than it has to.
const plain = aPod({ uid: podUid("") });
// Pods with UIDs as the API server gives them.
const strangers = [
  "a0a60bd6-6ad2-4b64-9b3a-8b2e2b5b8f6e",
  "5d1f9c1e-0d7b-4f0e-9c55-3a7f1b1d2c3b",
  "e4c1f7a2-93b8-4c6d-8e0f-6b5a4d3c2b1a",
].map((uid) => aPod({ uid: podUid(uid) }));
const evict = { verb: "evict", budgetVersion: "7" } as const;

const asked = (ledger: Ledger, pod: Pod = plain, now: Instant = noon): Ledger =>
  noteRequest(ledger, { ...evict, pod, now });

/** Requests a pod again and again, and notes one answer each time. */
const answered = (answers: readonly Eviction[], pod: Pod = plain, room = 20): Ledger =>
  answers.reduce(
    (ledger, answer) => noteAnswer(asked(ledger, pod), { pod, answer, now: noon, mostAtOnce: 20 }),
    ledgerWithLimit(room),
  );

const message = "not now";
const blocked = (retryAfter: RetryAfter = "unsaid"): Eviction => ({
  kind: "blocked",
  message,
  retryAfter,
});
const throttled = (retryAfter: RetryAfter = "unsaid"): Eviction => ({
  kind: "throttled",
  message,
  retryAfter,
});
const accepted: Eviction = { kind: "accepted" };
const conflict: Eviction = { kind: "conflict", message };
const unclear: Eviction = { kind: "unclear", message, retryAfter: "unsaid" };
const overlapping: Eviction = { kind: "overlapping-budgets", message };
const denied: Eviction = { kind: "denied", message };
const terminating: Eviction = { kind: "namespace-terminating", message };

const attemptOf = ({ attempts }: Ledger, pod: Pod = plain) => attempts.get(pod.uid);
const restOf = (ledger: Ledger, pod: Pod = plain): Duration =>
  between(noon, attemptOf(ledger, pod)?.notBefore ?? noon);

describe("a new ledger", () => {
  it("has room, contains nothing and is not paused", () => {
    const ledger = ledgerWithLimit(20);
    expect(ledger.limit).toBe(20);
    expect(ledger.attempts.size + ledger.terminatingNamespaces.size).toBe(0);
    expect(ledger.pausedUntil).toBe(0);
    expect(underWay(ledger)).toBe(0);
  });
});

describe("a request in the ledger", () => {
  it("may be one of several that are under way", () => {
    const [first = plain, second = plain] = somePods(["web-1", "web-2"]);
    const both = asked(asked(ledgerWithLimit(20), first), second);
    expect(underWay(both)).toBe(2);
    const answer = { pod: first, answer: accepted, now: noon, mostAtOnce: 20 };
    expect(underWay(noteAnswer(both, answer))).toBe(1);
  });
});

describe("an answer", () => {
  it("to a request that nobody made changes nothing", () => {
    const ledger = ledgerWithLimit(10);
    const answer = { pod: plain, answer: throttled(), now: noon, mostAtOnce: 20 };
    expect(noteAnswer(ledger, answer)).toBe(ledger);
  });

  it.each<[string, Eviction, Duration]>([
    ["accepted leads to a look at a pod that shows nothing", accepted, seconds(5)],
    ["gone leads to a look at a pod that is still there", { kind: "gone" }, seconds(5)],
    ["without-effect waits until people act", { kind: "without-effect", message }, seconds(10)],
    ["conflict leads to a new look at the pod", conflict, seconds(1)],
    ["blocked waits for the budget", blocked(), seconds(2)],
    ["blocked waits as long as the server says", blocked(seconds(10)), seconds(10)],
    ["unclear leads to a new look at the pod", unclear, seconds(2)],
    [
      "unclear waits as long as the server says",
      { ...unclear, retryAfter: seconds(1) },
      seconds(1),
    ],
    [
      "unclear waits as long as the server says, even a long time",
      { ...unclear, retryAfter: seconds(17) },
      seconds(17),
    ],
    ["invalid waits for a new version of the function", { kind: "invalid", message }, minutes(5)],
    ["namespace-terminating waits for the namespace to go", terminating, seconds(5)],
    ["overlapping-budgets waits until people act", overlapping, seconds(10)],
    ["denied waits until people act", denied, seconds(10)],
    ["throttled makes the pod itself wait no time", throttled(seconds(9)), seconds(0)],
  ])("of kind %s", (_, answer, rest) => {
    expect(restOf(answered([answer]))).toBe(rest);
  });
});

describe("a pod that is refused again and again", () => {
  const times = (count: number, answer: Eviction) => Array.from({ length: count }, () => answer);

  it("rests longer each time although the server names a short time, which is meant for the first refusal", () => {
    const soon: Eviction = { kind: "unclear", message, retryAfter: seconds(1) };
    const rests = [1, 2, 3, 4, 5].map((count) => restOf(answered(times(count, soon))));
    expect(rests).toEqual([1, 2, 4, 8, 10].map(seconds));
  });

  it("starts over once a request is accepted", () => {
    expect(restOf(answered([...times(5, blocked()), accepted, blocked()]))).toBe(seconds(2));
  });

  it("does not rest longer because the API server throttled requests in between", () => {
    const throttling = times(5, throttled());
    expect(restOf(answered([...throttling, blocked()]))).toBe(seconds(2));
    expect(restOf(answered([blocked(), ...throttling, blocked()]))).toBe(seconds(4));
  });

  it("rests up to a quarter longer, depending on its UID, and equally long in every pass", () => {
    const anyUid = fc.string().map(podUid);
    const rests = new Set<Duration>();
    fc.assert(
      fc.property(anyUid, (uid: PodUid) => {
        const pod = aPod({ uid });
        const rest = restOf(answered([denied], pod), pod);
        expect(rest).toBeGreaterThanOrEqual(seconds(10));
        expect(rest).toBeLessThan(milliseconds(12_500));
        expect(restOf(answered([denied], pod), pod)).toBe(rest);
        rests.add(rest);
      }),
    );
    expect(rests.size).toBeGreaterThan(30);
  });

  it("rests for a time that depends on its UID alone, so that it is the same in every process", () => {
    expect(strangers.map((pod) => restOf(answered([denied], pod), pod))).toEqual([
      12_490, 12_364, 10_124,
    ]);
  });
});

describe("throttling", () => {
  const pauseOf = (retryAfter: RetryAfter, pod: Pod = plain): Duration =>
    between(noon, answered([throttled(retryAfter)], pod).pausedUntil);

  it.each<[RetryAfter, Duration]>([
    ["unsaid", seconds(1)],
    [milliseconds(10), seconds(1)],
    [seconds(1), seconds(1)],
    [seconds(17), seconds(17)],
    [seconds(32), seconds(32)],
    [seconds(3600), seconds(32)],
  ])("with Retry-After %s pauses everything for %d ms", (retryAfter, pause) => {
    expect(pauseOf(retryAfter)).toBe(pause);
  });

  it("never shortens an earlier pause", () => {
    expect(answered([throttled(seconds(20)), throttled()]).pausedUntil).toBe(ahead(seconds(20)));
  });

  it("halves the room, down to one request at a time", () => {
    const rooms = [1, 2, 3, 4, 5, 6].map(
      (count) => answered(Array.from({ length: count }, () => throttled())).limit,
    );
    expect(rooms).toEqual([10, 5, 2, 1, 1, 1]);
  });

  it("wears off step by step: every other answer makes room for one more request, up to the most", () => {
    expect(answered([throttled(), accepted]).limit).toBe(11);
    expect(answered([blocked()], plain, 1).limit).toBe(2);
    expect(answered([accepted]).limit).toBe(20);
  });
});

describe("a namespace that is being deleted", () => {
  const refusedAt = (ledger: Ledger, pod: Pod, now: Instant) =>
    noteAnswer(asked(ledger, pod), { pod, answer: terminating, now, mostAtOnce: 20 });

  it("is remembered from the first eviction that it refused", () => {
    const [first = plain, second = plain] = somePods(["web-1", "web-2"]);
    const ledger = refusedAt(
      refusedAt(ledgerWithLimit(20), first, noon),
      second,
      ahead(minutes(1)),
    );
    expect([...ledger.terminatingNamespaces]).toEqual([["demo", noon]]);
  });

  it("is not assumed after any other answer", () => {
    for (const answer of [accepted, blocked(), throttled(), denied])
      expect(answered([answer]).terminatingNamespaces.size).toBe(0);
  });
});
