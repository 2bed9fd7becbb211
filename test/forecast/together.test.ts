import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nodeName } from "../../lambda/base/ids.ts";
import { seconds } from "../../lambda/base/time.ts";
import { type Budget, governs } from "../../lambda/drain/budget.ts";
import { Places } from "../../lambda/drain/placement.ts";
import type { NodeRoom } from "../../lambda/drain/reschedulable-pod.ts";
import { type Forecast, forecastsOf } from "../../lambda/forecast/forecast.ts";
import type { ForecastInput } from "../../lambda/forecast/forecast-input.ts";
import type { ForecastPod } from "../../lambda/forecast/forecast-pod.ts";
import { aBudget, aNode, anExhaustedBudget, ownedBy, someSettings } from "../support/builders.ts";
import { aForecastInput, aResident, aRoom, forecastOf } from "./a-forecast-input.ts";

interface Leaving {
  readonly budgets: readonly Budget[];
  readonly rooms?: readonly NodeRoom[];
  readonly settings?: ForecastInput["settings"];
}

/** Nodes that leave together, with these pods. */
function leaving(
  nodes: Readonly<Record<string, readonly ForecastPod[]>>,
  { budgets, rooms = [aRoom("other", 100)], settings = someSettings() }: Leaving,
): readonly ForecastInput[] {
  const names = Object.keys(nodes).map(nodeName);
  const all = Object.values(nodes).flat();
  const placements = new Places(rooms).of(all, new Set(names));
  return Object.entries(nodes).map(([name, own]) => ({
    ...aForecastInput(own, { budgets, settings, node: aNode({ name: nodeName(name) }) }),
    placements,
  }));
}

const fatesIn = (forecasts: readonly Forecast[]): readonly string[] =>
  forecasts.flatMap(({ pods }) => pods.map(({ fate }) => fate.kind));

const broker = (name: string) =>
  aResident({ name, controller: ownedBy("StatefulSet"), grace: seconds(30) });
const brokers = {
  "node-a": [broker("kafka-0")],
  "node-b": [broker("kafka-1")],
  "node-c": [broker("kafka-2")],
};

describe("nodes that leave together", () => {
  it("spend a budget once: of three brokers one goes at once, and the others as the last one is back", () => {
    const inputs = leaving(brokers, { budgets: [aBudget()] });

    const forecasts = forecastsOf(inputs);

    expect(inputs.map((input) => fatesIn([forecastOf(input)]))).toEqual([
      ["goes"],
      ["goes"],
      ["goes"],
    ]);
    expect(fatesIn(forecasts)).toEqual(["goes", "waits", "waits"]);
    const times = forecasts.map(({ longest }) => longest.time);
    expect(times).toEqual([35, 35 + 50, 35 + 100].map(seconds));
    expect(forecasts.at(-1)?.longest.parts).toContainEqual({
      on: "budget demo/web-pdb",
      time: seconds(100),
      rounds: 1,
    });
  });

  it("leave pods behind where what goes first finds no place, though each alone would be empty", () => {
    const inputs = leaving(brokers, { budgets: [aBudget()], rooms: [aRoom("small", 0)] });

    expect(inputs.map((input) => fatesIn([forecastOf(input)]))).toEqual([
      ["goes"],
      ["goes"],
      ["goes"],
    ]);
    expect(fatesIn(forecastsOf(inputs))).toEqual(["goes", "never", "never"]);
  });

  it("share a budget of which each has read its own namespaces' part", () => {
    const [first, second] = leaving(brokers, { budgets: [] });
    const inputs = [first, second].flatMap((input) => input ?? []);
    const half = inputs.map((input, index) =>
      index === 0 ? { ...input, budgets: [aBudget()] } : input,
    );

    expect(fatesIn(forecastsOf(half))).toEqual(["goes", "waits"]);
  });

  it("have force spend a budget too: what one deletes is missing to the others", () => {
    const web = (name: string) => aResident({ name });
    const pods = { "node-a": [web("web-1")], "node-b": [web("web-2")] };

    const [first, second] = forecastsOf(leaving(pods, { budgets: [anExhaustedBudget()] }));

    expect(first?.pods).toMatchObject([{ fate: { kind: "never" }, force: { kind: "deletes" } }]);
    expect(second?.pods).toMatchObject([{ fate: { kind: "never" }, force: { kind: "deletes" } }]);
  });

  it("take what becomes free while the drain of another rests between its passes", () => {
    const [first, resting, awake] = leaving(brokers, { budgets: [aBudget()] });
    const inputs = [first, resting && { ...resting, pass: seconds(20) }, awake];

    const [, late, early] = forecastsOf(inputs.flatMap((input) => input ?? []));

    expect(early?.longest.time).toBeLessThan(late?.longest.time ?? 0);
  });

  it("go on while another drain rests between its passes", () => {
    const short = { pass: seconds(20) };
    const inputs = leaving(brokers, { budgets: [aBudget()] }).map((input) => ({
      ...input,
      ...short,
    }));

    const forecasts = forecastsOf(inputs);

    expect(fatesIn(forecasts)).toEqual(["goes", "waits", "waits"]);
    for (const { longest, timeout } of forecasts) {
      expect(longest.parts.reduce((sum, { time }) => sum + time, 0)).toBe(longest.time);
      expect(longest.time).toBeLessThan(timeout);
    }
  });
});

const anyNodes = fc
  .array(
    fc.array(fc.record({ app: fc.nat(2), grace: fc.constantFrom(1, 30, 600) }), { maxLength: 3 }),
    {
      minLength: 2,
      maxLength: 3,
    },
  )
  .map((nodes) =>
    Object.fromEntries(
      nodes.map((pods, node) => [
        `node-${node}`,
        pods.map(({ app, grace }, index) =>
          aResident({
            name: `pod-${node}-${index}`,
            labels: { app: `app-${app}` },
            grace: seconds(grace),
          }),
        ),
      ]),
    ),
  );
const anyBudgets = fc
  .tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 }))
  .map((allowed) =>
    allowed.map((disruptionsAllowed, app) =>
      aBudget({
        name: `budget-${app}`,
        selector: {
          kind: "labels",
          requirements: [{ key: "app", operator: "In", values: [`app-${app}`] }],
        },
        disruptionsAllowed,
        desiredHealthy: 3,
        currentHealthy: 3 + disruptionsAllowed,
      }),
    ),
  );

const rank = { stays: 0, goes: 0, waits: 1, late: 2, stuck: 2, never: 3 };

describe("any nodes that leave together", () => {
  const anyRooms = fc.constantFrom([aRoom("other", 100)], [aRoom("small", 2)], []);

  it("fare no better than each of them alone, and no budget lets more pods go at once than it allows", () => {
    fc.assert(
      fc.property(anyNodes, anyBudgets, anyRooms, (nodes, budgets, rooms) => {
        const inputs = leaving(nodes, { budgets, rooms: [...rooms] });
        const together = forecastsOf(inputs);
        for (const [index, input] of inputs.entries()) {
          const alone = forecastOf(input).pods.map(({ fate }) => rank[fate.kind]);
          const own = together[index]?.pods.map(({ fate }) => rank[fate.kind]) ?? [];
          expect(own.map((one, at) => one >= (alone[at] ?? 0))).toEqual(own.map(() => true));
        }
        const going = together.flatMap(({ pods }) =>
          pods.filter(({ fate }) => fate.kind === "goes"),
        );
        for (const budget of budgets) {
          const governed = going.filter(({ forecastPod: { pod } }) => governs(budget, pod));
          expect(governed.length).toBeLessThanOrEqual(budget.disruptionsAllowed);
        }
      }),
    );
  });

  it("are drained as each of them alone where they share nothing", () => {
    fc.assert(
      fc.property(anyNodes, anyBudgets, (nodes, budgets) => {
        const apart = leaving(nodes, { budgets: [] }).map((input, index) => {
          const namespace = `space-${index}`;
          const forecastPods = input.forecastPods.map((one) => ({
            ...one,
            pod: { ...one.pod, namespace },
          }));
          return { ...input, forecastPods, budgets: budgets.map((one) => ({ ...one, namespace })) };
        });

        expect(forecastsOf(apart)).toEqual(apart.map(forecastOf));
      }),
    );
  });
});
