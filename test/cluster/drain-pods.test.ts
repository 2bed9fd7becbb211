import { afterAll, beforeAll, describe, vi } from "vitest";
import { kindsOfPods } from "./drain-kinds.ts";
import { namesakes } from "./drain-namesakes.ts";
import { orderOfPods } from "./drain-order.ts";
import { type DrainSites, mostAtOnce, startSites } from "./drain-sites.ts";

vi.setConfig({ maxConcurrency: mostAtOnce });

const plans = {
  budget: { refuge: "needed" },
  closing: {},
  kin: { refuge: "needed" },
  late: {},
  left: {},
  namesake: { refuge: "needed" },
  orphan: {},
  pending: {},
  tolerant: {},
} as const;

/** Longer than the default, because a busy computer may bind a pod late. */
const settings = { DRAIN_SETTLE_SECONDS: "10" };
/**
 * The garbage collector would remove the orphan, and the namespace controller would delete the pods
 * before the drain's evictions are refused.
 */
const env = { KCM_EXTRA: "--controllers=*,-garbage-collector-controller,-namespace-controller" };

describe("a drain on a real control plane", () => {
  let sites: DrainSites<keyof typeof plans>;

  beforeAll(async () => {
    sites = await startSites(plans, { env, settings });
  });
  afterAll(async () => sites.stop());

  orderOfPods((name) => sites.site(name));
  namesakes((name) => sites.site(name));
  kindsOfPods((name) => sites.site(name));
});
