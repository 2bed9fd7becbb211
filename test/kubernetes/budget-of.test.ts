import type { V1PodDisruptionBudget } from "@kubernetes/client-node";
import { describe, expect, it } from "vitest";
import { Fault } from "../../lambda/base/fault.ts";
import { instant } from "../../lambda/base/time.ts";
import { type Budget, ruleWords } from "../../lambda/drain/budget.ts";
import { budgetOf } from "../../lambda/kubernetes/budget-of.ts";
import { kubeObject, type Part } from "./kube-object.ts";

interface Parts {
  readonly metadata?: Part;
  readonly spec?: Part;
  readonly status?: Part;
}

const budget = ({ metadata, spec, status }: Parts = {}) =>
  budgetOf(
    kubeObject<V1PodDisruptionBudget>({
      metadata: {
        namespace: "demo",
        name: "web-pdb",
        resourceVersion: "42",
        generation: 3,
        ...metadata,
      },
      spec: { maxUnavailable: 1, selector: { matchLabels: { app: "web" } }, ...spec },
      status: {
        observedGeneration: 3,
        disruptionsAllowed: 1,
        currentHealthy: 4,
        desiredHealthy: 3,
        expectedPods: 4,
        ...status,
      },
    }),
  );

describe("a PodDisruptionBudget of the Kubernetes API", () => {
  it("is read with all that a drain needs", () => {
    expect(budget()).toEqual({
      namespace: "demo",
      name: "web-pdb",
      resourceVersion: "42",
      selector: {
        kind: "labels",
        requirements: [{ key: "app", operator: "In", values: ["web"] }],
      },
      rule: { kind: "maxUnavailable", amount: 1 },
      meetable: "sometimes",
      uncounted: "",
      disruptionsAllowed: 1,
      currentHealthy: 4,
      desiredHealthy: 3,
      expectedPods: 4,
      observed: true,
      unhealthyPods: "if-healthy-budget",
      disrupted: new Map(),
      spent: instant(0),
    });
  });

  it("that no controller has seen allows no disruption", () => {
    const metadata = { namespace: "demo", name: "web-pdb", resourceVersion: "1" };
    const fresh = kubeObject<V1PodDisruptionBudget>({ metadata });
    expect(budgetOf(fresh)).toMatchObject({
      selector: { kind: "nothing" },
      rule: { kind: "none" },
      meetable: "sometimes",
      observed: false,
      disruptionsAllowed: 0,
      currentHealthy: 0,
      desiredHealthy: 0,
      disrupted: new Map(),
      spent: instant(0),
    });
  });

  it.each(["namespace", "name", "resourceVersion"] as const)("without %s is a fault", (field) => {
    const read = () => budget({ metadata: { [field]: undefined } });
    expect(read).toThrow(Fault);
    const title = {
      namespace: "undefined/web-pdb",
      name: "demo/undefined",
      resourceVersion: "demo/web-pdb",
    };
    expect(read).toThrow(`cluster.refused: reading budget ${title[field]}: no name or version`);
  });

  it("names the pods that its status counts as disrupted", () => {
    const disruptedPods = { "web-1": "2026-11-20T12:00:00Z", "web-2": "2026-11-20T12:00:01Z" };
    expect(budget({ status: { disruptedPods } }).disrupted).toEqual(
      new Map(Object.entries(disruptedPods).map(([pod, at]) => [pod, Date.parse(at)])),
    );
  });

  it("whose status has no numbers allows no disruption", () => {
    const silent = {
      disruptionsAllowed: undefined,
      currentHealthy: undefined,
      desiredHealthy: undefined,
    };
    expect(budget({ status: silent })).toMatchObject({
      disruptionsAllowed: 0,
      currentHealthy: 0,
      desiredHealthy: 0,
    });
  });

  it.each([
    [3, 3, true],
    [3, 4, true],
    [3, 2, false],
    [3, undefined, false],
    [1, undefined, false],
    [undefined, undefined, true],
  ])(
    "of generation %s with the status of generation %s is observed: %s",
    (generation, seen, observed) => {
      const read = budget({ metadata: { generation }, status: { observedGeneration: seen } });
      expect(read.observed).toBe(observed);
    },
  );

  it.each([
    ["AlwaysAllow", "always-allow"],
    ["IfHealthyBudget", "if-healthy-budget"],
    [undefined, "if-healthy-budget"],
    ["SomethingNew", "if-healthy-budget"],
  ])("with unhealthyPodEvictionPolicy %s lets unready pods go: %s", (policy, unhealthyPods) => {
    expect(budget({ spec: { unhealthyPodEvictionPolicy: policy } }).unhealthyPods).toBe(
      unhealthyPods,
    );
  });
});

describe("the selector of a budget", () => {
  const selectorOf = (selector: unknown) => budget({ spec: { selector } }).selector;

  it("selects nothing if it is left out, and everything if it is empty", () => {
    expect(selectorOf(undefined)).toEqual({ kind: "nothing" });
    expect(selectorOf({})).toEqual({ kind: "labels", requirements: [] });
  });

  it("has labels and expressions, all of which must hold", () => {
    const matchExpressions = [
      { key: "tier", operator: "NotIn", values: ["back"] },
      { key: "beta", operator: "DoesNotExist" },
    ];
    expect(selectorOf({ matchLabels: { app: "web", team: "a" }, matchExpressions })).toEqual({
      kind: "labels",
      requirements: [
        { key: "app", operator: "In", values: ["web"] },
        { key: "team", operator: "In", values: ["a"] },
        { key: "tier", operator: "NotIn", values: ["back"] },
        { key: "beta", operator: "DoesNotExist", values: [] },
      ],
    });
  });
});

describe("the rule of a budget", () => {
  interface Rule {
    readonly spec: Part;
    readonly expectedPods?: number;
  }
  const read = ({ spec, expectedPods = 4 }: Rule) =>
    budget({ spec: { maxUnavailable: undefined, ...spec }, status: { expectedPods } });

  it.each([
    [{ maxUnavailable: 0 }, "maxUnavailable 0"],
    [{ maxUnavailable: "10%" }, "maxUnavailable 10%"],
    [{ minAvailable: 2 }, "minAvailable 2"],
    [{ minAvailable: "50%" }, "minAvailable 50%"],
    [{}, "no rule"],
  ])("%j is shown as %s", (spec, rule) => {
    expect(ruleWords(read({ spec }).rule)).toBe(rule);
  });

  it.each<[Rule, Budget["meetable"]]>([
    [{ spec: { maxUnavailable: 0 } }, "if-raised"],
    [{ spec: { maxUnavailable: "0%" } }, "if-raised"],
    [{ spec: { minAvailable: 1 }, expectedPods: 1 }, "if-scaled"],
    [{ spec: { minAvailable: 4 } }, "if-scaled"],
    [{ spec: { minAvailable: 5 } }, "if-scaled"],
    [{ spec: { minAvailable: "100%" } }, "if-lowered"],
    [{ spec: { minAvailable: "120%" } }, "if-lowered"],
    [{ spec: { minAvailable: "100%" }, expectedPods: 101 }, "if-lowered"],
    [{ spec: { minAvailable: "99%" } }, "if-scaled"],
    [{ spec: { minAvailable: "50%" }, expectedPods: 1 }, "if-scaled"],
  ])("can never be met: %j, but %s", (rule, meetable) => {
    expect(read(rule).meetable).toBe(meetable);
  });

  it.each<Rule>([
    { spec: { maxUnavailable: 1 } },
    { spec: { maxUnavailable: "1%" } },
    { spec: { minAvailable: 0 }, expectedPods: 1 },
    { spec: { minAvailable: 3 } },
    { spec: { minAvailable: "75%" } },
    { spec: { minAvailable: 1 }, expectedPods: 0 },
    { spec: {} },
  ])("can sometimes be met: %j", (rule) => {
    expect(read(rule).meetable).toBe("sometimes");
  });

  it.each<[Rule, Budget["meetable"]]>([
    [{ spec: { maxUnavailable: 1 }, expectedPods: 0 }, "if-counted"],
    [{ spec: { maxUnavailable: 0 }, expectedPods: 0 }, "if-counted"],
    [{ spec: { minAvailable: "50%" }, expectedPods: 0 }, "if-counted"],
    [{ spec: { minAvailable: 1 }, expectedPods: 0 }, "sometimes"],
  ])("that expects no pods counts none, unless it counts all: %j, %s", (rule, meetable) => {
    expect(read(rule)).toMatchObject({ meetable, uncounted: "" });
  });

  it.each<[Part, Budget["meetable"]]>([
    [{ maxUnavailable: "30%" }, "if-counted"],
    [{ maxUnavailable: 0 }, "if-counted"],
    [{ minAvailable: "50%" }, "if-counted"],
    [{ minAvailable: 2 }, "sometimes"],
  ])(
    "is not met while its controller fails to count, whatever the numbers: %j, %s",
    (spec, meetable) => {
      const message = "jobs.batch does not implement the scale subresource";
      const failed = (reason: string, text: string) =>
        budget({
          spec: { maxUnavailable: undefined, ...spec },
          status: {
            conditions: [
              {
                type: "DisruptionAllowed",
                status: "False",
                reason,
                message: text,
                lastTransitionTime: "",
              },
            ],
          },
        });
      expect(failed("SyncFailed", message)).toMatchObject({ meetable, uncounted: message });
      expect(failed("SyncFailed", "x".repeat(30_000)).uncounted).toHaveLength(200);
      expect(failed("InsufficientPods", message)).toMatchObject({ uncounted: "" });
    },
  );

  it("counts as one that can be met while no controller has counted its pods", () => {
    const metadata = { namespace: "demo", name: "web-pdb", resourceVersion: "1" };
    const spec = { minAvailable: 1 };
    const fresh = kubeObject<V1PodDisruptionBudget>({ metadata, spec });
    expect(budgetOf(fresh).meetable).toBe("sometimes");
  });

  it.each([
    ["False", "2026-11-20T12:00:00Z", Date.UTC(2026, 10, 20, 12)],
    ["True", "2026-11-20T12:00:00Z", 0],
    ["False", undefined, 0],
  ])("shows since when it allows nothing: condition %s, set at %s", (status, at, since) => {
    const others = { type: "Other", status: "False", lastTransitionTime: "2026-11-20T11:00:00Z" };
    const allowed = { type: "DisruptionAllowed", status, lastTransitionTime: at };
    expect(budget({ status: { conditions: [others, allowed] } }).spent).toBe(since);
  });
});
