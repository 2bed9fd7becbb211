import { describe, expect, it } from "vitest";
import type { PodUid } from "../../lambda/base/ids.ts";
import {
  type Duration,
  hours,
  type Instant,
  later,
  milliseconds,
  minutes,
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
} from "../builders.ts";

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

describe("the requests of a drain", () => {
  it("evict every evictable pod, and no other", () => {
    const pods = [
      aPod(),
      aPod({ name: "bare", controller: { kind: "none" } }),
      aDaemonPod(),
      aPod({ name: "mirror", mirror: true }),
      aPod({ name: "done", phase: "Succeeded" }),
      aPod({ name: "leaving", termination: endingBy(ahead(seconds(9))) }),
      aPod({ name: "stuck", termination: endingBy(ago(minutes(2))) }),
      aPod({ name: "skipped", annotations: { "eks-node-lifecycle/drain": "skip" } }),
      aPod({ name: "protected", ...doNotDisrupt }),
    ];
    expect(asked({ pods })).toEqual(["evict demo/web-1", "evict demo/bare"]);
  });
});

describe("critical pods", () => {
  const dns = aCriticalPod();

  it("are evicted once no ordinary pod holds the node", () => {
    expect(asked({ pods: [dns, aPod()] })).toEqual(["evict demo/web-1"]);
    expect(asked({ pods: [dns] })).toEqual(["evict kube-system/coredns-1"]);
  });

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

    it("no longer wait, although those are still there", () => {
      expect(at(later(turn, milliseconds(-1))).requests).toEqual([]);
      expect(at(turn).requests).toMatchObject([{ verb: "evict", pod: { name: "coredns-1" } }]);
    });

    it("are looked at again at that very moment", () => {
      expect(at(later(turn, seconds(-9))).recheck).toBe(turn);
    });

    it("wait as long as the deployment's settings say", () => {
      expect(at(marked, { tierPercent: 0 }).requests).toHaveLength(1);
      expect(at(later(deadline, minutes(-1)), { tierPercent: 100 }).requests).toEqual([]);
    });

    it("are held by their budgets, as before", () => {
      const labels = { app: "web" };
      const budgets = [anExhaustedBudget({ namespace: dns.namespace })];
      const held = [aCriticalPod({ labels }), aPod(doNotDisrupt)];
      const snapshot = aSnapshot({ marked, deadline, now: turn, pods: held, budgets });
      expect(podRequests(snapshot).requests).toEqual([]);
    });
  });

  it("are evicted with all others where there are no tiers", () => {
    expect(asked({ pods: [dns, aPod()], ...set({ tiers: "none" }) })).toEqual([
      "evict kube-system/coredns-1",
      "evict demo/web-1",
    ]);
  });
});

describe("pods that are held up", () => {
  const held = aPod({ name: "held" });
  const free = aPod({ name: "free", ...elsewhere });

  it("by a budget hold up no others", () => {
    expect(asked({ pods: [held, free], budgets: [anExhaustedBudget()] })).toEqual([
      "evict demo/free",
    ]);
  });

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

  it("by a budget are evicted as far as it allows, and no further", () => {
    const pods = somePods(["web-1", "web-2", "web-3"]);
    const budgets = [aBudget({ disruptionsAllowed: 2 })];
    expect(asked({ pods, budgets })).toEqual(["evict demo/web-1", "evict demo/web-2"]);
  });

  it("do not use up the allowance of their budget", () => {
    const protectedPod = aPod({ name: "protected", ...doNotDisrupt });
    expect(asked({ pods: [protectedPod, aPod()], budgets: [aBudget()] })).toEqual([
      "evict demo/web-1",
    ]);
  });
});

it("evicts a pod that has come to a node without a mark when its pause is over", () => {
  const pods = [aPod({ grace: seconds(30), created: ago(seconds(10)) })];
  const since = (age: number): Partial<Snapshot> => ({
    ...{ pods, mark: "missing", vouched: new Set<PodUid>(), begun: ago(seconds(10 + age)) },
  });
  expect(asked(since(24))).toEqual([]);
  expect(look(since(24))).toBe(ahead(seconds(2)));
  expect(asked(since(20))).toEqual(["evict demo/web-1"]);
});

describe("the room for requests", () => {
  const pods = somePods(["web-1", "web-2", "web-3"]);
  const room = (count: number) => ({ ...aLedger(), room: count });

  it("is the number of requests that may be under way at once", () => {
    expect(asked({ pods, ledger: room(2) })).toEqual(["evict demo/web-1", "evict demo/web-2"]);
  });

  it("goes to overdue pods first", () => {
    const slow = aPod({ name: "slow", grace: hours(1) });
    expect(asked({ pods: [...pods, slow], ledger: room(1) })).toEqual([
      "evict demo/slow in 14 min",
    ]);
  });
});

describe("a pause", () => {
  const pods = [aPod(), aPod({ name: "slow", grace: hours(1) })];
  const pausedUntil = (until: Instant) => ({ ...aLedger(), pausedUntil: until });

  it("stops every request until it is over, even those for overdue pods", () => {
    const until = ahead(seconds(3));
    expect(asked({ pods, ledger: pausedUntil(until) })).toEqual([]);
    expect(look({ pods, ledger: pausedUntil(until) })).toBe(until);
  });

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

    it("still stops requests for pods that have time", () => {
      const brief = aPod({ name: "brief", grace: seconds(1) });
      expect(asked({ pods: [brief], ledger, deadline })).toEqual([]);
      expect(look({ pods: [brief], ledger, deadline })).toBe(until);
    });
  });

  it("delays requests that are due during it, and no others", () => {
    const pod = aPod();
    const ledger = (notBefore: Instant) => ({
      ...aLedger([pod, { answer: denied, notBefore }]),
      pausedUntil: ahead(seconds(3)),
    });
    const lookAfter = (by: Duration) => look({ pods: [pod], ledger: ledger(ahead(by)) });
    expect(lookAfter(seconds(2))).toBe(ahead(seconds(3)));
    expect(lookAfter(seconds(4))).toBe(ahead(seconds(4)));
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

  it("is not forced while its grace still just fits", () => {
    const change = { pods: [pod], budgets: [anExhaustedBudget()] };
    expect(asked({ ...change, deadline: ahead(seconds(30)) })).toEqual([]);
    expect(asked({ ...change, deadline })).toEqual(["delete demo/web-1 in 29 s"]);
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

  it("is deleted by a request that names no budget", () => {
    const change = { pods: [pod], deadline, budgets: [anExhaustedBudget()] };
    expect(podRequests(aSnapshot(change)).requests).toEqual([
      { verb: "delete", pod, grace: seconds(29), budgetVersion: "" },
    ]);
  });

  it("is evicted as far as its budget allows, and deleted beyond that", () => {
    const pods = somePods(["web-1", "web-2"]);
    expect(overdue({ pods, budgets: [aBudget()] })).toEqual([
      "evict demo/web-1 in 29 s",
      "delete demo/web-2 in 29 s",
    ]);
  });

  it("takes the allowance of its budget before the others do", () => {
    const punctual = aPod({ name: "quick", grace: seconds(5) });
    expect(overdue({ pods: [punctual, pod], budgets: [aBudget()] })).toEqual([
      "evict demo/web-1 in 29 s",
    ]);
  });

  it("waits for no tier, while other pods wait as before", () => {
    const dns = aCriticalPod();
    const quick = aCriticalPod({ name: "quick", grace: seconds(5) });
    expect(overdue({ pods: [quick, dns, aPod({ ...doNotDisrupt, grace: seconds(5) })] })).toEqual([
      "evict kube-system/coredns-1 in 29 s",
    ]);
  });

  it("is deleted if an accepted eviction has had no effect for long", () => {
    const ledger = aLedger([pod, { answer: accepted, notBefore: noon }]);
    expect(overdue({ ledger })).toEqual(["delete demo/web-1 in 29 s"]);
  });

  it("is deleted again once it has rested after a refused deletion", () => {
    const refused = (notBefore: Instant) =>
      aLedger([pod, { verb: "delete", answer: denied, notBefore }]);
    expect(overdue({ ledger: refused(ahead(milliseconds(1))) })).toEqual([]);
    expect(overdue({ ledger: refused(noon) })).toEqual(["delete demo/web-1 in 29 s"]);
  });

  it("is deleted with a second's grace on an unreachable node", () => {
    const silent = { node: aNode({ readiness: "unreachable" }), budgets: [anExhaustedBudget()] };
    expect(overdue(silent)).toEqual(["delete demo/web-1 in 1 s"]);
  });

  it("is evicted like any other, with the time left, where the settings rule out force", () => {
    const never = set({ force: "never" });
    expect(overdue({ ...never, budgets: [anExhaustedBudget()] })).toEqual([]);
    expect(overdue({ ...never, pods: [aPod(doNotDisrupt)] })).toEqual([]);
    expect(overdue({ ...never })).toEqual(["evict demo/web-1 in 29 s"]);
  });
});

describe("a terminating pod", () => {
  const deadline = ahead(seconds(20));
  const leaving = (until: Instant) => aPod({ termination: endingBy(until) });
  const asks = (until: Instant, change: Partial<Snapshot> = {}) =>
    asked({ pods: [leaving(until)], deadline, ...change });

  it("is deleted with a shorter grace if it would outlast the deadline", () => {
    expect(asks(later(deadline, milliseconds(2001)))).toEqual(["delete demo/web-1 in 20 s"]);
  });

  it("is deleted although its eviction was accepted, because that eviction has had its effect", () => {
    const until = ahead(minutes(5));
    const ledger = aLedger([leaving(until), { answer: accepted, notBefore: ahead(minutes(2)) }]);
    expect(asks(until, { ledger })).toEqual(["delete demo/web-1 in 20 s"]);
  });

  it("is deleted once, not at every look", () => {
    const until = ahead(minutes(5));
    const once = { verb: "delete", answer: accepted, notBefore: ahead(minutes(2)) } as const;
    expect(asks(until, { ledger: aLedger([leaving(until), once]) })).toEqual([]);
  });
});

describe("a pod in a namespace that is being deleted", () => {
  const pod = aPod();
  const refused: Eviction = { kind: "namespace-terminating", message: "" };
  const since = (by: Duration, ledger = aLedger()): Ledger => ({
    ...ledger,
    terminatingNamespaces: new Map([["demo", ago(by)]]),
  });

  it("is deleted with its full grace after 30 s, because the API server refuses evictions there for good", () => {
    expect(asked({ pods: [pod], ledger: since(seconds(30)) })).toEqual([
      "delete demo/web-1 in 30 s",
    ]);
  });

  it("is deleted whatever its budget says, because the namespace goes too", () => {
    const change = { pods: [pod], budgets: [anExhaustedBudget()], ledger: since(seconds(30)) };
    expect(asked(change)).toEqual(["delete demo/web-1 in 30 s"]);
  });

  it("is deleted once it has rested after its last refusal", () => {
    const rested = (notBefore: Instant) =>
      since(seconds(30), aLedger([pod, { answer: refused, notBefore }]));
    expect(asked({ pods: [pod], ledger: rested(ahead(milliseconds(1))) })).toEqual([]);
    expect(asked({ pods: [pod], ledger: rested(noon) })).toEqual(["delete demo/web-1 in 30 s"]);
    expect(look({ pods: [pod], ledger: rested(ahead(milliseconds(1))) })).toBe(
      ahead(milliseconds(1)),
    );
  });

  it("is deleted with a second's grace on an unreachable node", () => {
    const node = aNode({ readiness: "unreachable" });
    expect(asked({ pods: [pod], node, ledger: since(seconds(30)) })).toEqual([
      "delete demo/web-1 in 1 s",
    ]);
  });

  it("is never deleted where the settings rule out force", () => {
    expect(asked({ pods: [pod], ledger: since(minutes(5)), ...set({ force: "never" }) })).toEqual([
      "evict demo/web-1",
    ]);
  });
});

describe("the next look", () => {
  const pod = aPod({ grace: seconds(30) });
  const waiting = { ledger: aLedger([pod, {}]) };
  const until = (deadline: Instant, by: Duration) => later(deadline, milliseconds(-by));

  it("is at the deadline if nothing comes before it", () => {
    const deadline = ahead(minutes(14));
    expect(look({ pods: [], deadline })).toBe(deadline);
    const pods = [aPod({ grace: seconds(0) })];
    expect(look({ pods, budgets: [anExhaustedBudget()], deadline })).toBe(
      later(deadline, milliseconds(-999)),
    );
  });

  it("is when the first pod becomes overdue", () => {
    const deadline = ahead(minutes(14));
    const slow = aPod({ name: "slow", grace: minutes(2) });
    const first = until(deadline, milliseconds(minutes(2) - 1));
    expect(look({ pods: [pod, slow], ...waiting, budgets: [anExhaustedBudget()] })).toBe(first);
  });

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

  it("is when a refused pod has rested", () => {
    const ledger = aLedger([pod, { answer: denied, notBefore: ahead(seconds(4)) }]);
    expect(look({ pods: [pod], ledger })).toBe(ahead(seconds(4)));
  });
});
