import { describe, expect, it } from "vitest";
import { minutes, seconds } from "../../lambda/base/time.ts";
import { beginning } from "../../lambda/forecast/forecast-input.ts";
import { slow } from "../../lambda/forecast/pace.ts";
import { simulate } from "../../lambda/forecast/simulate.ts";
import { aBudget } from "../support/builders.ts";
import { aForecastInput, aResident, aRoom } from "./a-forecast-input.ts";

describe("the pods of a node that end one by one", () => {
  const endingOneByOne = (count: number) => {
    const pods = Array.from({ length: count }, (_, at) =>
      aResident({ name: `web-${at}`, grace: seconds(at + 1) }),
    );
    const rooms = [aRoom("other", count)];
    return simulate([beginning(aForecastInput(pods, { rooms }), slow, "never")]);
  };

  it("are simulated to the second, if they are as many as a node has", () => {
    const [end] = endingOneByOne(250);

    expect(end?.spent).toHaveLength(1 + 250);
  });

  it("are looked at a few hundred times, though somebody has given each of thousands another grace", () => {
    const [end] = endingOneByOne(2000);

    expect(end?.spent.length).toBeLessThan(300);
    expect(end?.snapshot).toMatchObject({ now: end?.snapshot.deadline, pods: [] });
    expect(end?.spent.reduce((sum, { time }) => sum + time, 0)).toBe(minutes(15));
  });

  it("are looked at less often the more budgets somebody has in their namespace, each of which is asked about each pod", () => {
    const pods = Array.from({ length: 400 }, (_, at) =>
      aResident({ name: `web-${at}`, labels: { app: `web-${at}` }, grace: seconds(at + 1) }),
    );
    const rooms = [aRoom("other", 400)];
    const budgets = pods.map(({ pod }) =>
      aBudget({
        name: pod.name,
        selector: {
          kind: "labels",
          requirements: [{ key: "app", operator: "In", values: [pod.name] }],
        },
      }),
    );
    const looksWith = (count: number): number => {
      const input = aForecastInput(pods, { rooms, budgets: budgets.slice(0, count) });
      return simulate([beginning(input, slow, "never")])[0]?.spent.length ?? 0;
    };

    expect(looksWith(0)).toBeGreaterThan(400);
    expect(looksWith(400)).toBeLessThan(200);
  });
});
