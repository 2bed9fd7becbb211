import { describe, expect, it } from "vitest";
import { minutes, seconds } from "../../lambda/base/time.ts";
import { beginning } from "../../lambda/forecast/forecast-input.ts";
import { slow } from "../../lambda/forecast/pace.ts";
import { simulate } from "../../lambda/forecast/simulate.ts";
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
});
