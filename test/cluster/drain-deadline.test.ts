import { afterAll, beforeAll, describe, vi } from "vitest";
import type { Loopback } from "../http/loopback.ts";
import { denying, startDenying } from "./denying-webhook.ts";
import { forced } from "./drain-forced.ts";
import { manners } from "./drain-manners.ts";
import { type DrainSites, mostAtOnce, startSites } from "./drain-sites.ts";
import { unforced } from "./drain-unforced.ts";

vi.setConfig({ maxConcurrency: mostAtOnce });

const force = { tags: { "drain-timeout-seconds": "30" } };
const never = { tags: { ...force.tags, "drain-force": "never" } };
const plans = {
  dry: { tags: { "drain-mode": "dry-run" } },
  ending: force,
  finalizer: force,
  forced: force,
  guarded: force,
  twice: never,
  unmarkable: force,
} as const;

const denial = {
  pod: "web",
  namespaces: ["at-guarded"],
  node: "at-unmarkable",
  message: "the guardian wants it to stay as it is",
};

describe("a drain of half a minute on a real control plane", () => {
  let sites: DrainSites<keyof typeof plans>;
  let webhook: Loopback;

  beforeAll(async () => {
    sites = await startSites(plans);
    webhook = await startDenying(denial);
    await sites.world.controlPlane.apply(denying(webhook, denial));
  });
  afterAll(async () => {
    webhook.close();
    await sites.stop();
  });

  forced((name) => sites.site(name));
  unforced((name) => sites.site(name));
  manners((name) => sites.site(name));
});
