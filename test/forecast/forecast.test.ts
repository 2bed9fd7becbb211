import { describe, expect, it } from "vitest";
import { hours, minutes, seconds } from "../../lambda/base/time.ts";
import { hookLengths } from "../../lambda/drain/drain-bounds.ts";
import type { Fate } from "../../lambda/forecast/fate.ts";
import type { Forecast } from "../../lambda/forecast/forecast.ts";
import type { ForecastPod } from "../../lambda/forecast/forecast-pod.ts";
import {
  aBudget,
  aCriticalPod,
  aDaemonPod,
  ahead,
  aNode,
  anExhaustedBudget,
  endingBy,
  ownedBy,
  someSettings,
} from "../support/builders.ts";
import { aForecastInput, aResident, aRoom, forecastOf } from "./a-forecast-input.ts";

const fatesIn = ({ pods }: Forecast): Readonly<Record<string, Fate["kind"]>> =>
  Object.fromEntries(pods.map(({ forecastPod, fate }) => [forecastPod.pod.name, fate.kind]));

const partsOf = ({ longest }: Forecast) =>
  Object.fromEntries(longest.parts.map(({ on, time }) => [on, time / 1000]));

const web = (name: string) => aResident({ name });
const never = { settings: someSettings({ force: "never" }) };
const twice = [aBudget(), aBudget({ name: "second" })];
const unmeetable = anExhaustedBudget({
  rule: { kind: "maxUnavailable", amount: 0 },
  meetable: "if-raised",
});
const safe = { annotations: { "karpenter.sh/do-not-disrupt": "true" } };

describe("what becomes of a pod", () => {
  it("goes when nothing holds it", () => {
    const { pods, quickest, longest } = forecastOf(aForecastInput([web("web-1")]));

    expect(pods).toMatchObject([{ fate: { kind: "goes" }, placement: { kind: "place" } }]);
    expect(quickest.time).toBe(seconds(6));
    expect(longest.time).toBe(seconds(35));
  });

  it("stays when the drain leaves it alone", () => {
    const { pods } = forecastOf(aForecastInput([aResident(aDaemonPod())]));

    expect(pods).toMatchObject([{ fate: { kind: "stays", as: "daemonset" } }]);
  });

  it.each([
    [
      "its budget can never be met",
      { forecastPods: [web("web-1")], budgets: [unmeetable] },
      "budget demo/web-pdb, which can never be met (maxUnavailable 0): raise it",
    ],
    [
      "two budgets select it",
      { forecastPods: [web("web-1")], budgets: twice },
      "2 budgets select it (demo/web-pdb, demo/second), and the API evicts no such pod: leave one",
    ],
    [
      "its budget is spent",
      { forecastPods: [web("web-1")], budgets: [anExhaustedBudget()] },
      "budget demo/web-pdb (maxUnavailable 1): 3 healthy of 3 desired, 0 disruptions allowed",
    ],
    [
      "it is protected",
      { forecastPods: [aResident(safe)], budgets: [] },
      "protected by its annotation karpenter.sh/do-not-disrupt: true",
    ],
  ])("never goes where %s, until force deletes it with its grace", (_, scene, words) => {
    const { forecastPods, budgets } = scene;
    const { pods, longest } = forecastOf(aForecastInput(forecastPods, { budgets }));

    expect(pods).toMatchObject([{ fate: { kind: "never", for: { words } } }]);
    const { force } = pods[0] ?? {};
    expect(force).toEqual({ kind: "deletes", after: 870_001, grace: seconds(29) });
    expect(longest.time).toBe(minutes(15));
  });

  it.each([
    ["the usual grace fits", seconds(30), { kind: "fits" }],
    ["half of the drain fits", seconds(450), { kind: "fits" }],
    ["ten minutes fit into twenty", minutes(10), { kind: "with-timeout", timeout: minutes(20) }],
    ["an hour fits into two", hours(1), { kind: "with-timeout", timeout: hours(2) }],
    ["a day fits into no drain", hours(24), { kind: "never", budgets: hours(23.5) }],
    ["a week fits into no drain", hours(168), { kind: "never", budgets: hours(23.5) }],
  ])("that its budget never lets go keeps it for half of the drain: %s", (_, grace, fit) => {
    const held = [aResident({ grace })];
    const { pods } = forecastOf(aForecastInput(held, { budgets: [unmeetable] }));
    const half = grace > seconds(450) ? 450_000 : 900_001 - grace;

    expect(pods).toMatchObject([{ fit, force: { kind: "deletes", after: half } }]);
  });

  it.each([
    ["ten minutes fit", minutes(10), { kind: "fits" }],
    ["an hour fits into a little more", hours(1), { kind: "with-timeout", timeout: seconds(4000) }],
    ["a week fits into no drain", hours(168), { kind: "never" }],
  ])("that nothing holds is evicted at once, and its grace: %s", (_, grace, fit) => {
    const { pods } = forecastOf(aForecastInput([aResident({ grace })]));

    expect(pods).toMatchObject([{ fit, force: { kind: "nothing" } }]);
  });

  it("gets all of its grace with the timeout that is advised, and its budget as much", () => {
    const settings = someSettings({ timeout: hours(2) });
    const held = [aResident({ grace: hours(1) })];
    const { pods } = forecastOf(aForecastInput(held, { settings, budgets: [unmeetable] }));

    expect(pods).toMatchObject([
      { fit: { kind: "fits" }, force: { after: hours(1) + 1, grace: hours(1) - 1000 } },
    ]);
  });

  it("never goes where the deployment only cordons, and force does not help", () => {
    const settings = someSettings({ mode: "cordon-only" });

    const { pods } = forecastOf(aForecastInput([web("web-1")], { settings }));

    expect(pods).toMatchObject([
      { fate: { kind: "never", for: { kind: "only-cordoned" } }, force: { kind: "nothing" } },
    ]);
  });

  it("goes with its DaemonSet's others where the deployment evicts such pods", () => {
    const taint = { key: "draining", value: "", effect: "NoSchedule", timeAdded: "" };
    const settings = someSettings({ daemonSets: "evict", taints: [taint] });

    const { pods } = forecastOf(aForecastInput([aResident(aDaemonPod())], { settings }));

    expect(pods).toMatchObject([{ fate: { kind: "goes" } }]);
  });

  it("never goes by itself where its namespace ends, until force deletes it after half a minute", () => {
    const one = web("web-1");
    const refusal = { kind: "namespace-terminating", message: "it ends" } as const;

    const { pods } = forecastOf(
      aForecastInput([one], { refusals: new Map([[one.pod.uid, refusal]]) }),
    );

    expect(pods).toMatchObject([
      {
        fate: { kind: "never", for: { kind: "refused" } },
        force: { kind: "deletes", after: 35_000 },
      },
    ]);
  });

  it("is told of a dry run as if it were none", () => {
    const settings = someSettings({ mode: "dry-run" });

    expect(fatesIn(forecastOf(aForecastInput([web("web-1")], { settings })))).toEqual({
      "web-1": "goes",
    });
  });

  it("waits for its own end where it is protected but may end by itself", () => {
    const job = aResident(safe, { life: "until it ends" });

    const { pods } = forecastOf(aForecastInput([job]));

    expect(pods).toMatchObject([{ fate: { kind: "waits", for: [{ kind: "own-end" }] } }]);
  });

  it("waits for a protection that ends in time", () => {
    const annotations = { "karpenter.sh/do-not-disrupt": "1h5m" };

    const { pods, quickest } = forecastOf(aForecastInput([aResident({ annotations })]));

    expect(pods).toMatchObject([{ fate: { kind: "waits", for: [{ kind: "protection" }] } }]);
    expect(quickest.time).toBe(seconds(301));
  });

  it("is stuck where nobody takes its finalizers away", () => {
    const finalizers = ["example.com/hold", "batch.kubernetes.io/job-tracking"];

    const { pods } = forecastOf(aForecastInput([aResident({ finalizers })]));

    const words = "it ends, but stays for its finalizers example.com/hold";
    expect(pods).toMatchObject([{ fate: { kind: "stuck", for: { words } } }]);
  });

  it("is stuck on a node whose kubelet is silent, and the drain does not wait for it", () => {
    const node = aNode({ readiness: "unreachable" });

    const forecast = forecastOf(aForecastInput([web("web-1")], { node }));

    expect(fatesIn(forecast)).toEqual({ "web-1": "stuck" });
    expect(forecast.longest.time).toBeLessThan(minutes(1));
  });

  it("goes when it is ending already", () => {
    const ending = { termination: endingBy(ahead(seconds(70))) };

    const forecast = forecastOf(aForecastInput([aResident(ending)]));

    expect(fatesIn(forecast)).toEqual({ "web-1": "goes" });
    expect(forecast.longest.time).toBeGreaterThanOrEqual(seconds(70));
  });

  it("gets no more grace than fits before the deadline", () => {
    const { pods } = forecastOf(aForecastInput([aResident({ grace: minutes(60) })]));

    expect(pods).toMatchObject([{ fate: { kind: "goes" }, grace: seconds(895) }]);
  });

  it("leaves before the critical pods do", () => {
    const critical = aResident(aCriticalPod({ grace: seconds(10) }));

    const forecast = forecastOf(aForecastInput([web("web-1"), critical], never));

    expect(fatesIn(forecast)).toEqual({ "web-1": "goes", "coredns-1": "goes" });
    expect(forecast.longest.time).toBe(seconds(45));
  });
});

describe("a pod whose budget nobody can count", () => {
  const uncounted = "jobs.batch does not implement the scale subresource";
  const budget = aBudget({ disruptionsAllowed: 0, meetable: "if-counted", uncounted });

  it("never goes, though the numbers of the budget leave pods to spare, and force frees none of the others", () => {
    const long = { grace: minutes(8) };
    const pods = [web("web-1"), aResident({ name: "web-2", ...long })];
    const { pods: told } = forecastOf(aForecastInput(pods, { budgets: [budget] }));

    expect(told).toMatchObject([
      { fate: { kind: "never", for: { kind: "unmeetable-budget" } }, force: { kind: "deletes" } },
      { fate: { kind: "never" }, force: { kind: "deletes" } },
    ]);
    expect(told[0]?.fate).toHaveProperty("for.words", expect.stringContaining(uncounted));
  });

  it("ends by itself where a Job has made it, so it is waited for", () => {
    const job = aResident({ controller: ownedBy("Job", "batch/v1") }, { life: "until it ends" });
    const { pods, longest } = forecastOf(aForecastInput([job], { budgets: [budget] }));

    expect(pods).toMatchObject([
      { fate: { kind: "waits", for: [{ kind: "own-end" }] }, force: { kind: "deletes" } },
    ]);
    expect(pods[0]?.fate).toHaveProperty("for.0.words", expect.stringContaining("ends by itself"));
    expect(longest.time).toBe(minutes(15));
  });
});

describe("a pod that an operator may move once its node is closed", () => {
  const rule = {
    rule: { kind: "minAvailable", amount: 1 },
    meetable: "if-scaled",
    disruptionsAllowed: 0,
  } as const;
  const operated = "Cluster demo/pg";
  const primary = aResident({}, { operated });

  it("may be too late, though its budget never lets it go, and force takes it at last", () => {
    const { pods, quickest, longest } = forecastOf(
      aForecastInput([primary], { budgets: [aBudget(rule)] }),
    );

    const words =
      "budget demo/web-pdb (minAvailable 1), until the operator of Cluster demo/pg moves it, as it may once the node is closed";
    expect(pods).toMatchObject([
      { fate: { kind: "late", for: { kind: "operator", words } }, force: { kind: "deletes" } },
    ]);
    expect(quickest.time).toBeLessThan(minutes(1));
    expect(longest.parts.map(({ on }) => on)).toContain("budget demo/web-pdb");
  });

  it.each([
    ["several budgets select it", [aBudget(rule), aBudget({ name: "second" })]],
    [
      "nobody can count its budget",
      [aBudget({ ...rule, meetable: "if-counted", uncounted: "no scale" })],
    ],
    ["its budget is spent", [anExhaustedBudget()]],
  ])("never goes where %s", (_, budgets) => {
    const { pods } = forecastOf(aForecastInput([primary], { budgets }));

    expect(pods).toMatchObject([{ fate: { kind: "never" } }]);
  });
});

describe("pods for which room is made first", () => {
  const words = "room is made first: Deployment demo/web 2 → 3 pods";
  const round = (index: number, more: Partial<ForecastPod> = {}) =>
    aResident({ name: `web-${index}` }, { room: { words, round: index }, ...more });

  it("are let go one after the other, each once its replacement is ready", () => {
    const budgets = [unmeetable];

    const { pods, longest } = forecastOf(aForecastInput([round(0), round(1)], { budgets }));

    const waits = { kind: "waits", for: [{ kind: "room", budgets: ["demo/web-pdb"], words }] };
    expect(pods).toMatchObject([
      { fate: waits, force: { kind: "nothing" } },
      { fate: waits, force: { kind: "nothing" } },
    ]);
    // The mark, two times three seconds of patience and 20 until a pod is ready, and the grace.
    expect(longest.time).toBe(seconds(5 + 2 * 23 + 30));
  });

  it("may be too late where it takes long to become ready", () => {
    const settings = someSettings({ timeout: seconds(60) });
    const slow = round(0, { readyAfter: "unknown" });

    const { pods } = forecastOf(aForecastInput([slow], { budgets: [unmeetable], settings }));

    expect(pods).toMatchObject([{ fate: { kind: "late", for: { kind: "room" } } }]);
  });

  it("are stuck where their finalizers keep them", () => {
    const pod = round(0);
    const kept = { ...pod, pod: { ...pod.pod, finalizers: ["example.com/hold"] } };

    const { pods } = forecastOf(aForecastInput([kept], { budgets: [unmeetable] }));

    expect(pods[0]?.fate.kind).toBe("stuck");
  });
});

describe("pods that share a budget", () => {
  const three = ["web-1", "web-2", "web-3"].map(web);

  it("leave one by one, each as soon as the replacement of the last is ready", () => {
    const forecast = forecastOf(aForecastInput(three, { budgets: [aBudget()] }));

    expect(fatesIn(forecast)).toEqual({ "web-1": "goes", "web-2": "waits", "web-3": "waits" });
    expect(partsOf(forecast)).toMatchObject({ "budget demo/web-pdb": 40, "pods that end": 30 });
    const [part] = forecast.longest.parts.filter(({ rounds }) => rounds > 0);
    expect(part?.rounds).toBe(3);
  });

  it("of a StatefulSet wait until the last is gone too", () => {
    const kin = ["db-0", "db-1"].map((name) =>
      aResident({ name, controller: ownedBy("StatefulSet") }),
    );

    const forecast = forecastOf(aForecastInput(kin, { budgets: [aBudget()] }));

    expect(partsOf(forecast)).toMatchObject({ "budget demo/web-pdb": 50 });
  });

  it.each([
    ["find no place", { rooms: [aRoom("small", 0)] }, three],
    [
      "come from no controller",
      {},
      three.map(({ pod }) => aResident({ ...pod, controller: { kind: "none" } })),
    ],
  ])("stay where replacements %s", (_, change, forecastPods) => {
    const forecast = forecastOf(aForecastInput(forecastPods, { budgets: [aBudget()], ...change }));

    expect(fatesIn(forecast)).toEqual({ "web-1": "goes", "web-2": "never", "web-3": "never" });
  });

  it("may be too late where replacements are slow", () => {
    const slow = three.map((forecastPod) => ({ ...forecastPod, readyAfter: "unknown" as const }));
    const settings = someSettings({ timeout: seconds(60) });

    const forecast = forecastOf(aForecastInput(slow, { budgets: [aBudget()], settings }));

    expect(fatesIn(forecast)).toEqual({ "web-1": "goes", "web-2": "late", "web-3": "late" });
  });
});

describe("the time of a drain", () => {
  it("ends when the mark has settled, on an empty node", () => {
    const { longest } = forecastOf(aForecastInput([]));

    expect(longest.parts.map(({ on }) => on)).toEqual(["the mark", "the mark to settle"]);
    expect(longest.time).toBe(seconds(10));
  });

  it("counts the volumes of pods that leave, and no others", () => {
    const staying = aResident(aDaemonPod(), { attached: ["pv-2"] });
    const leaving = aResident({}, { attached: ["pv-1"] });

    expect(partsOf(forecastOf(aForecastInput([leaving, staying])))).toMatchObject({ volumes: 60 });
    expect(partsOf(forecastOf(aForecastInput([staying])))).not.toHaveProperty("volumes");
  });

  it("counts the wait until load balancers send no requests, and until they let the instance go", () => {
    const target = {
      instance: "i-1",
      port: 80,
      state: "serving",
      delay: seconds(100),
      balancer: { kind: "target group", name: "web", id: "arn", vpc: "vpc-1" },
    } as never;

    const { longest } = forecastOf(aForecastInput([web("web-1")], { targets: [target] }));

    expect(longest.time).toBe(seconds(5 + 30 + 100));
    expect(longest.parts).toContainEqual({ on: "load balancers", time: 100_000, rounds: 0 });
  });

  it("counts rests between passes, unless the drain is quick", () => {
    const slow = aResident({ grace: minutes(5) });

    const { quickest, longest } = forecastOf(aForecastInput([slow], { pass: seconds(50) }));

    expect(longest.parts.map(({ on }) => on)).toContain("rests between passes");
    expect(quickest.parts.map(({ on }) => on)).not.toContain("rests between passes");
  });

  it("is bounded by what the hook can be held", () => {
    const lengths = hookLengths(someSettings(), seconds(4));

    const { timeout } = forecastOf(aForecastInput([], { lengths }));

    expect(timeout).toBeLessThan(minutes(4));
  });
});
