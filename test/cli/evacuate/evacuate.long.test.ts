import { describe, expect, it } from "vitest";
import {
  aZone,
  cordoned,
  evacuated,
  first,
  second,
  statesIn,
  takeSubnetOut,
  webOn,
} from "./a-zone.ts";

describe("evacuate", () => {
  it("ends no instance and says what to do where a budget allows nothing", async () => {
    const site = await aZone();
    const selector = { matchLabels: { app: "web" } };
    site.cluster.addBudget({ name: "web", maxUnavailable: 0, selector });
    takeSubnetOut(site);

    const { complained } = await evacuated(3, "--deadline", "30s");

    expect(complained).toContain("not all nodes are empty: repeat the command to go on, or ");
    expect(webOn(site, first, second)).toHaveLength(3);
    expect(cordoned(site, first, second)).toEqual([first, second]);
    expect(statesIn(site)).toEqual(["InService", "InService"]);
  });
});
