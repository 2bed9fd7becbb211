import { describe, expect, it } from "vitest";
import type { PodUid } from "../../lambda/base/ids.ts";
import {
  type Duration,
  hours,
  type Instant,
  later,
  milliseconds,
  minutes,
  never,
  seconds,
  spoken,
} from "../../lambda/base/time.ts";
import type { DrainSettings } from "../../lambda/drain/drain-policy.ts";
import type { Eviction } from "../../lambda/drain/eviction.ts";
import type { Ledger } from "../../lambda/drain/ledger.ts";
import { type Pod, podTitle } from "../../lambda/drain/pod.ts";
import { podRequests } from "../../lambda/drain/pod-requests.ts";
import type { PodRequest, Snapshot } from "../../lambda/drain/snapshot.ts";
import {
  aBudget,
  aCriticalPod,
  aDaemonPod,
  ago,
  ahead,
  aLedger,
  aNode,
  anExhaustedBudget,
  aPod,
  aSnapshot,
  endingBy,
  noon,
  somePods,
  someSettings,
} from "../support/builders.ts";

/** A request in words, such as `evict demo/web-1`, with its grace unless that is the pod's own. */
const told = ({ verb, pod, grace }: PodRequest): string =>
  `${verb} ${podTitle(pod)}${grace === "own" ? "" : ` in ${spoken(grace)}`}`;

const asked = (change: Partial<Snapshot>): readonly string[] =>
  podRequests(aSnapshot(change)).requests.map(told);
const look = (change: Partial<Snapshot>): Instant => podRequests(aSnapshot(change)).recheck;

const set = (settings: Partial<DrainSettings>) => ({ settings: someSettings(settings) });
const doNotDisrupt = { annotations: { "karpenter.sh/do-not-disrupt": "true" } };
const elsewhere = { labels: { app: "elsewhere" } };

const accepted: Eviction = { kind: "accepted" };
const denied: Eviction = { kind: "denied", message: "" };
const blocked: Eviction = { kind: "blocked", message: "", retryAfter: "unsaid" };

describe("critical pods", () => {
  const dns = aCriticalPod();

  it.each<[string, Pod]>([
    ["a DaemonSet's pod", aDaemonPod()],
    ["one that has ended", aPod({ phase: "Failed" })],
    ["one that is stuck", aPod({ termination: endingBy(ago(minutes(2))) })],
  ])("do not wait for an ordinary pod that holds nothing: %s", (_, pod) => {
    expect(asked({ pods: [dns, pod] })).toEqual(["evict kube-system/coredns-1"]);
  });

  describe("when ordinary pods have had their share of the time", () => {
    const marked = noon;
    const deadline = ahead(minutes(40));
    const pods = [dns, aPod(doNotDisrupt)];
    const at = (now: Instant, change: Partial<DrainSettings> = {}) =>
      podRequests(aSnapshot({ marked, deadline, now, pods, listed: now, ...set(change) }));
    const turn = later(marked, minutes(30));

    it("are looked at again at that very moment", () => {
      expect(at(later(turn, seconds(-9))).recheck).toBe(turn);
    });

    it("wait as long as the deployment's settings say", () => {
      expect(at(marked, { tierPercent: 0 }).requests).toHaveLength(1);
      expect(at(later(deadline, minutes(-1)), { tierPercent: 100 }).requests).toEqual([]);
    });
  });

  it("are evicted with all others where there are no tiers", () => {
    expect(asked({ pods: [dns, aPod()], ...set({ tiers: "none" }) })).toEqual([
      "evict kube-system/coredns-1",
      "evict demo/web-1",
    ]);
  });
});

it("a pod waits for one that is made elsewhere only under a budget, which nothing else holds up", () => {
  const pod = aPod();
  const room = new Map([[pod.uid, { state: "awaited", words: "" } as const]]);
  expect(asked({ pods: [pod], room, budgets: [aBudget()] })).toEqual([]);
  expect(asked({ pods: [pod], room })).toEqual(["evict demo/web-1"]);
});

describe("three hundred pods of somebody else", () => {
  const many = 300;

  /** So many pods, and how often a field of theirs is read. */
  function counted(field: "labels" | "priorityClass", change: Partial<Pod>) {
    const reads = { count: 0 };
    const pods = Array.from({ length: many }, (_, at) => {
      const one = aPod({ name: `theirs-${at}`, ...change });
      const value = one[field];
      return Object.defineProperty(one, field, {
        enumerable: true,
        get: () => {
          reads.count += 1;
          return value;
        },
      });
    });
    return { pods, reads };
  }

  it("are looked at a few times each where all are critical", () => {
    const { pods, reads } = counted("priorityClass", {
      phase: "Failed",
      priorityClass: "system-node-critical",
    });

    expect(asked({ pods: [...pods, aPod()] })).toEqual(["evict demo/web-1"]);
    expect(reads.count).toBeLessThan(20 * many);
  });

  it("are not compared with each of as many budgets where they have ended", () => {
    const { pods, reads } = counted("labels", { phase: "Failed" });
    const budgets = Array.from({ length: many }, (_, at) => {
      const requirements = [{ key: `own-${at}`, operator: "Exists", values: [] }];
      return anExhaustedBudget({ name: `b-${at}`, selector: { kind: "labels", requirements } });
    });
    const running = budgets.map((_, at) =>
      aPod({ name: `held-${at}`, labels: { [`own-${at}`]: "" } }),
    );

    expect(asked({ pods: [...running, ...pods], budgets })).toEqual([]);
    expect(reads.count).toBeLessThan(20 * many);
  });
});

describe("pods that are held up", () => {
  const held = aPod({ name: "held" });
  const free = aPod({ name: "free", ...elsewhere });

  it("by one budget come after those that no budget holds, and before those with two", () => {
    const twice = aPod({ name: "twice", labels: { app: "web", tier: "front" } });
    const second = aBudget({
      name: "front",
      selector: {
        kind: "labels",
        requirements: [{ key: "tier", operator: "Exists", values: [] }],
      },
    });
    const pods = [twice, held, free];
    expect(asked({ pods, budgets: [aBudget(), second] })).toEqual([
      "evict demo/free",
      "evict demo/held",
      "evict demo/twice",
    ]);
  });

  it("in a namespace whose budgets are not known come last, two at a time, and wait for an answer", () => {
    const unread = new Map([["demo", "too many"]]);
    const other = aPod({ name: "free", namespace: "shop" });
    const pods = [...somePods(["web-1", "web-2", "web-3"]), other];
    expect(asked({ pods, unread })).toEqual([
      "evict shop/free",
      "evict demo/web-1",
      "evict demo/web-2",
    ]);
    const ledger = aLedger([
      aPod({ name: "web-2" }),
      { answer: { kind: "pending" }, notBefore: never },
    ]);
    expect(asked({ pods, unread, ledger })).toEqual(["evict shop/free", "evict demo/web-1"]);
  });

  it("in a namespace whose budgets are not known are asked to go before they are deleted, out of time too", () => {
    const unread = new Map([["demo", "too many"]]);
    const pods = somePods(["web-1", "web-2", "web-3"]);
    const late = { pods, unread, deadline: ahead(seconds(20)), begun: ago(hours(1)) };
    expect(asked(late).map((one) => one.split(" ").slice(0, 2).join(" "))).toEqual([
      "evict demo/web-1",
      "evict demo/web-2",
    ]);
  });

  it("by a budget are evicted as far as it allows, and no further", () => {
    const pods = somePods(["web-1", "web-2", "web-3"]);
    const budgets = [aBudget({ disruptionsAllowed: 2 })];
    expect(asked({ pods, budgets })).toEqual(["evict demo/web-1", "evict demo/web-2"]);
  });
});

it("evicts a pod that has come to a node without a mark when its pause is over", () => {
  const pods = [aPod({ grace: seconds(30), created: ago(seconds(10)) })];
  const since = (age: number): Partial<Snapshot> => ({
    pods,
    mark: "missing",
    seenSinceMark: new Set<PodUid>(),
    begun: ago(seconds(10 + age)),
  });
  expect(asked(since(24))).toEqual([]);
  expect(look(since(24))).toBe(ahead(seconds(2)));
  expect(asked(since(20))).toEqual(["evict demo/web-1"]);
});

describe("a pause", () => {
  const pausedUntil = (until: Instant) => ({ ...aLedger(), pausedUntil: until });

  describe("that takes more than a tenth of the time that is left", () => {
    const until = ahead(seconds(3));
    const ledger = pausedUntil(until);
    const names = ["web-1", "web-2"];
    const overdue = somePods(names);
    const deadline = ahead(seconds(29));

    it("does not stop requests for overdue pods, to the millisecond", () => {
      const pods = [aPod()];
      const tenth = ahead(seconds(30));
      const late = later(tenth, milliseconds(-1));
      const patient = { pods: [aPod({ grace: seconds(60) })], ledger };
      expect(asked({ ...patient, deadline: tenth })).toEqual([]);
      expect(asked({ ...patient, deadline: late })).toHaveLength(1);
      expect(asked({ pods, ledger, deadline })).toEqual(["evict demo/web-1 in 29 s"]);
    });

    it("lets one request through at a time", () => {
      expect(asked({ pods: overdue, ledger, deadline })).toEqual(["evict demo/web-1 in 29 s"]);
      const [first] = overdue;
      const out = { ...aLedger([first ?? aPod(), {}]), pausedUntil: until };
      expect(asked({ pods: overdue, ledger: out, deadline })).toEqual([]);
    });

    it("lets the next one through a fifth of a second after the last", () => {
      const [first, second] = overdue;
      const thereafter = (by: Duration) => {
        const answer = { kind: "throttled", message: "later", retryAfter: seconds(3) } as const;
        const attempt = { answer, asked: ago(by), notBefore: noon };
        const told = { ...aLedger([first ?? aPod(), attempt]), pausedUntil: until };
        return { pods: [second ?? aPod()], ledger: told, deadline };
      };
      expect(asked(thereafter(milliseconds(199)))).toEqual([]);
      expect(look(thereafter(milliseconds(199)))).toBe(ahead(milliseconds(1)));
      expect(asked(thereafter(milliseconds(200)))).toEqual(["evict demo/web-2 in 29 s"]);
    });
  });
});

describe("a pod whose grace no longer fits before the deadline", () => {
  const deadline = ahead(milliseconds(29_999));
  const pod = aPod();
  const overdue = (change: Partial<Snapshot>) => asked({ pods: [pod], deadline, ...change });

  it("is evicted with the time left if nothing holds it up and it has not been requested yet", () => {
    expect(overdue({})).toEqual(["evict demo/web-1 in 29 s"]);
    expect(overdue({ budgets: [aBudget()] })).toEqual(["evict demo/web-1 in 29 s"]);
  });

  it.each<[string, Partial<Snapshot>]>([
    ["its budget allows no disruption", { budgets: [anExhaustedBudget()] }],
    ["its budget's status is out of date", { budgets: [aBudget({ observed: false })] }],
    ["two budgets make the API refuse it", { budgets: [aBudget(), aBudget({ name: "other" })] }],
    ["it was refused before", { ledger: aLedger([pod, { answer: blocked }]) }],
    [
      "it was refused before and still has to rest",
      { ledger: aLedger([pod, { answer: denied, notBefore: ahead(seconds(9)) }]) },
    ],
    ["it is protected", { pods: [aPod(doNotDisrupt)] }],
  ])("is deleted with the time left if %s", (_, change) => {
    expect(overdue(change)).toEqual(["delete demo/web-1 in 29 s"]);
  });

  it("is evicted if the API does not ask its budget, whatever that allows", () => {
    const pods = [aPod({ ready: false })];
    const budgets = [anExhaustedBudget({ unhealthyPods: "always-allow" })];
    expect(overdue({ pods, budgets })).toEqual(["evict demo/web-1 in 29 s"]);
  });

  it("is evicted if it has not started, however many budgets select it", () => {
    const pods = [aPod({ phase: "Pending" })];
    const budgets = [anExhaustedBudget(), aBudget({ name: "other" })];
    expect(overdue({ pods, budgets })).toEqual(["evict demo/web-1 in 29 s"]);
  });

  it("is looked at a second after its eviction was accepted, where nothing shows it", () => {
    const asks = (by: Duration) => {
      const attempt = { asked: ago(by), answer: accepted, notBefore: ahead(seconds(4)) };
      return overdue({ ledger: aLedger([pod, attempt]) });
    };
    expect(asks(milliseconds(999))).toEqual([]);
    expect(asks(seconds(1))).toEqual(["evict demo/web-1 in 29 s"]);
  });

  it("is deleted at once where its eviction had no effect", () => {
    const answer: Eviction = { kind: "without-effect", message: "" };
    const ledger = aLedger([pod, { answer, notBefore: ahead(seconds(40)) }]);
    expect(overdue({ ledger })).toEqual(["delete demo/web-1 in 29 s"]);
  });

  it("is deleted with a second's grace on an unreachable node", () => {
    const silent = { node: aNode({ readiness: "unreachable" }), budgets: [anExhaustedBudget()] };
    expect(overdue(silent)).toEqual(["delete demo/web-1 in 1 s"]);
  });
});

describe("a terminating pod", () => {
  const deadline = ahead(seconds(20));
  const leaving = (until: Instant) => aPod({ termination: endingBy(until) });
  const asks = (until: Instant, change: Partial<Snapshot> = {}) =>
    asked({ pods: [leaving(until)], deadline, ...change });

  it("is deleted in the last second if it would outlast the deadline, although its eviction was accepted", () => {
    const until = ahead(minutes(5));
    const ledger = aLedger([leaving(until), { answer: accepted, notBefore: ahead(minutes(2)) }]);
    expect(asks(until, { ledger, now: ahead(seconds(19)) })).toEqual([]);
    const last = ahead(milliseconds(19_001));
    expect(asks(until, { ledger, now: last })).toEqual(["delete demo/web-1 in 1 s"]);
  });

  it("is deleted at once on a node whose kubelet is silent, and never where it ends in time", () => {
    const node = aNode({ readiness: "unreachable" });
    expect(asks(ahead(minutes(5)), { node })).toEqual(["delete demo/web-1 in 1 s"]);
    const inTime = asks(ahead(seconds(22)), { node, now: ahead(milliseconds(19_999)) });
    expect(inTime).toEqual([]);
  });

  it("is deleted once, not at every look", () => {
    const until = ahead(minutes(5));
    const once = { verb: "delete", answer: accepted, notBefore: ahead(minutes(2)) } as const;
    const now = ahead(milliseconds(19_001));
    expect(asks(until, { ledger: aLedger([leaving(until), once]), now })).toEqual([]);
  });
});

describe("a pod in a namespace that is being deleted", () => {
  const pod = aPod();
  const since = (by: Duration, ledger = aLedger()): Ledger => ({
    ...ledger,
    terminatingNamespaces: new Map([["demo", ago(by)]]),
  });

  it("is deleted whatever its budget says, because the namespace goes too", () => {
    const change = { pods: [pod], budgets: [anExhaustedBudget()], ledger: since(seconds(30)) };
    expect(asked(change)).toEqual(["delete demo/web-1 in 30 s"]);
  });

  it("is never deleted where the settings rule out force", () => {
    expect(asked({ pods: [pod], ledger: since(minutes(5)), ...set({ force: "never" }) })).toEqual([
      "evict demo/web-1",
    ]);
  });
});

describe("the next look", () => {
  const until = (deadline: Instant, by: Duration) => later(deadline, milliseconds(-by));

  it("is when a terminating pod is no longer waited for", () => {
    const leaving = aPod({ termination: endingBy(ahead(seconds(5))) });
    const unreachable = aNode({ readiness: "unreachable" });
    expect(look({ pods: [leaving] })).toBe(ahead(milliseconds(65_001)));
    expect(look({ pods: [leaving], node: unreachable })).toBe(ahead(milliseconds(6001)));
  });

  it("is when a pod's protection ends", () => {
    const annotations = { "karpenter.sh/do-not-disrupt": "1h5m" };
    const job = aPod({ annotations, started: ago(minutes(60)) });
    expect(look({ pods: [job] })).toBe(ahead(minutes(5)));
    expect(look({ pods: [job], ...set({ protections: [] }) })).toBe(
      until(ahead(minutes(14)), milliseconds(29_999)),
    );
  });
});
