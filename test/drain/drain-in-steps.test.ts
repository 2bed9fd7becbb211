import { describe, expect, it } from "vitest";
import {
  between,
  type Duration,
  earliest,
  hours,
  type Instant,
  later,
  milliseconds,
  minutes,
  never,
  seconds,
} from "../../lambda/base/time.ts";
import type { Eviction } from "../../lambda/drain/eviction.ts";
import { type Ledger, ledgerWithRoom } from "../../lambda/drain/ledger.ts";
import { noteAnswer, noteRequest } from "../../lambda/drain/ledger-notes.ts";
import { nextStep } from "../../lambda/drain/next-step.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import type { PodRequest } from "../../lambda/drain/snapshot.ts";
import { aBudget, ahead, aPod, aSnapshot, endingBy, noon } from "../builders.ts";

/** The pods of a node, and an API server that evicts them as far as their budget allows. */
class Server {
  pods: readonly Pod[];
  /** The first answers of the server, whatever the budget says. */
  readonly #words: Eviction[];
  readonly #spare: number;
  readonly #ends: Duration;
  #version = 1;

  constructor({ count, spare = Infinity, ends, answers = [] }: Course) {
    this.pods = Array.from({ length: count }, (_, index) => aPod({ name: `web-${index}` }));
    this.#words = [...answers];
    this.#spare = spare;
    this.#ends = ends;
  }

  /** The replacement of a pod is ready as soon as the pod is gone, so only terminating pods are missing. */
  get budgets() {
    const missing = this.pods.filter(({ termination }) => termination.kind !== "active").length;
    const disruptionsAllowed = this.#spare - missing;
    return [aBudget({ disruptionsAllowed, resourceVersion: String(this.#version) })];
  }

  answer({ verb, pod }: PodRequest, now: Instant): Eviction {
    const word = this.#words.shift();
    if (word !== undefined) return word;
    const allowed = this.budgets.every(({ disruptionsAllowed }) => disruptionsAllowed > 0);
    if (verb === "evict" && !allowed) return { kind: "blocked", message: "", retryAfter: "unsaid" };
    const termination = endingBy(later(now, this.#ends));
    this.pods = this.pods.map((one) => (one.uid === pod.uid ? { ...one, termination } : one));
    this.#version += 1;
    return { kind: "accepted" };
  }

  nextEnd(): Instant {
    return earliest(never, ...this.pods.map(endOf));
  }

  passTo(now: Instant): void {
    const left = this.pods.filter((pod) => endOf(pod) > now);
    if (left.length < this.pods.length) this.#version += 1;
    this.pods = left;
  }
}

const endOf = ({ termination }: Pod): Instant =>
  termination.kind === "active" ? never : termination.until;

/** The course of a drain. */
interface Course {
  readonly count: number;
  /** How many pods may be missing at once. */
  readonly spare?: number;
  /** How long a pod takes to end. */
  readonly ends: Duration;
  readonly deadline?: Instant;
  readonly answers?: readonly Eviction[];
}

/** Sends the requests of a step, all at once, and notes all answers. */
function ask(requests: readonly PodRequest[], server: Server, { ledger, now }: Exchange): Ledger {
  const noted = requests.reduce(
    (before, request) => noteRequest(before, { ...request, now }),
    ledger,
  );
  return requests.reduce(
    (before, request) =>
      noteAnswer(before, {
        pod: request.pod,
        answer: server.answer(request, now),
        now,
        mostRoom: 20,
      }),
    noted,
  );
}

interface Exchange {
  readonly ledger: Ledger;
  readonly now: Instant;
}

/** Drains a node step by step; the drain learns of every answer and every change at once. */
function drain(course: Course) {
  const { deadline = ahead(hours(2)) } = course;
  const server = new Server(course);
  const requests: string[] = [];
  let ledger: Ledger = ledgerWithRoom(20);
  let most = 0;
  for (let now = noon; ; server.passTo(now)) {
    const { pods, budgets } = server;
    const step = nextStep(aSnapshot({ now, listed: now, pods, budgets, ledger, deadline }));
    if (step.kind === "finish")
      return { outcome: step.outcome, requests, most, took: between(noon, now) };
    if (step.kind !== "ask") throw new Error(`${step.kind}, though it was just listed`);
    ledger = ask(step.requests, server, { ledger, now });
    requests.push(...step.requests.map(({ verb }) => verb));
    most = Math.max(most, step.requests.length);
    const look = step.requests.length > 0 ? later(now, milliseconds(1)) : step.recheck;
    now = earliest(look, server.nextEnd());
  }
}

describe("a drain, step by step,", () => {
  it("requests each pod once, five of a budget at a time, and is over when the last one is gone", () => {
    const { outcome, requests, most, took } = drain({ count: 100, ends: seconds(1) });
    expect([outcome, requests.length, most]).toEqual(["drained", 100, 5]);
    expect(took).toBeLessThan(milliseconds(1030));
  });

  it("requests each pod only once although a budget allows a few at a time, and loses no time", () => {
    const { outcome, requests, took } = drain({ count: 100, spare: 10, ends: seconds(5) });
    expect([outcome, requests.length]).toEqual(["drained", 100]);
    expect(took).toBeLessThan(seconds(51));
  });

  it("requests each refused pod once more, and drains the node", () => {
    const message = "no";
    const answers: readonly Eviction[] = [
      { kind: "conflict", message },
      { kind: "unclear", message, retryAfter: "unsaid" },
      { kind: "denied", message },
      { kind: "throttled", message, retryAfter: seconds(3) },
      { kind: "blocked", message, retryAfter: "unsaid" },
      { kind: "namespace-terminating", message },
    ];
    const { outcome, requests } = drain({ count: 30, ends: seconds(1), answers });
    expect([outcome, requests.length]).toEqual(["drained", 36]);
  });

  it("makes no request while a budget allows none, until force is due, and is over at the deadline", () => {
    const deadline = ahead(minutes(14));
    const { outcome, requests, took } = drain({ count: 3, spare: 0, ends: seconds(29), deadline });
    expect([outcome, requests]).toEqual(["drained", ["delete", "delete", "delete"]]);
    expect(took).toBe(minutes(14) - milliseconds(999));
  });
});
