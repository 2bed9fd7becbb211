import { afterAll, beforeAll, describe, it, vi } from "vitest";
import { handlerTaint } from "../termination-handler/handler-site.ts";
import { type ScenarioName, scenarios } from "../termination-handler/scenarios.ts";
import { type DrainSites, mostAtOnce, startSites } from "./drain-sites.ts";
import { RealHandlerSite } from "./handler-site.ts";

vi.setConfig({ maxConcurrency: mostAtOnce });

const { key, value, effect } = handlerTaint;
const settings = { DRAIN_TAINT: `${key}=${value}:${effect}` };
const names = Object.keys(scenarios) as ScenarioName[];

describe("what Node Termination Handler's end-to-end tests show is shown on a real control plane:", () => {
  let sites: DrainSites<ScenarioName>;

  beforeAll(async () => {
    sites = await startSites(scenarios, { settings });
  });
  afterAll(async () => sites.stop());

  it.concurrent.each(names)("%s", async (name) => {
    const { run, ...given } = scenarios[name];
    await run(await RealHandlerSite.open(sites.site(name), given));
  });
});
