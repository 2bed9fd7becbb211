import { afterAll, beforeAll, describe, vi } from "vitest";
import { seconds } from "../../lambda/base/time.ts";
import { marks, ownTaint } from "./drain-marks.ts";
import { nodeFacts } from "./drain-node-facts.ts";
import { openedNodes } from "./drain-opened.ts";
import { type DrainSites, mostAtOnce, startSites } from "./drain-sites.ts";

vi.setConfig({ maxConcurrency: mostAtOnce });

const plans = {
  agents: {},
  anew: {},
  crowded: {},
  open: {},
  opened: {},
  reborn: {},
  silent: {},
  vacated: {},
  volumes: {},
} as const;

const env = { MONITOR_GRACE: "25s" };
const { key, value, effect } = ownTaint;
const settings = { DRAIN_TAINT: `${key}=${value}:${effect}`, DRAIN_DAEMONSETS: "evict" };
/** With this timeout a pass ends after 20 s, and the drain continues in the next pass. */
const timeout = seconds(65);

describe("a drain, over several passes, of a real node", () => {
  let sites: DrainSites<keyof typeof plans>;

  beforeAll(async () => {
    sites = await startSites(plans, { env, settings, timeout });
  });
  afterAll(async () => sites.stop());

  nodeFacts((name) => sites.site(name));
  marks((name) => sites.site(name));
  openedNodes((name) => sites.site(name));
});
