import { EventsV1Api, type EventsV1Event } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { seconds } from "../../lambda/base/time.ts";
import { onlyOn } from "./drain-evidence.ts";
import type { DrainSite } from "./drain-site.ts";
import { type DrainSites, mostAtOnce, startSites } from "./drain-sites.ts";
import { deployment } from "./manifests.ts";
import { patience } from "./site-pods.ts";

vi.setConfig({ maxConcurrency: mostAtOnce });

const plans = {
  held: { tags: { "drain-timeout-seconds": "45" } },
} as const;
/** With this timeout a pass ends after 20 s, and the drain continues in the next pass. */
const timeout = seconds(65);

const reasonsOf = (events: readonly EventsV1Event[]) =>
  events.map(({ reason }) => reason).toSorted();

describe("the Events of a drain on a real control plane", () => {
  let sites: DrainSites<keyof typeof plans>;

  beforeAll(async () => {
    sites = await startSites(plans, { timeout });
  });
  afterAll(async () => sites.stop());

  /** The function's Events in a namespace. */
  async function eventsIn(namespace: string): Promise<readonly EventsV1Event[]> {
    const { items } = await sites.world.controlPlane
      .api(EventsV1Api)
      .listNamespacedEvent({ namespace });
    return items.filter((event) => event.reportingController === "eks-node-lifecycle");
  }

  const described = (...what: readonly string[]) =>
    sites.world.controlPlane.kubectlText("describe", ...what);

  async function runDeployment(at: DrainSite, replicas: number): Promise<void> {
    const spec = { ...onlyOn(at.name), terminationGracePeriodSeconds: 5 };
    await at.apply(deployment({ name: "web", namespace: at.name, replicas, spec }));
    await at.settled("web", replicas);
  }

  it.concurrent("tell kubectl's reader the whole story: the start, the budget, its repetition, and the end by force", async () => {
    const at = sites.site("held");
    await runDeployment(at, 2);
    await at.holdBack("web");

    const { outcome } = await at.drain();

    expect(outcome).toMatchObject({ kind: "forced" });
    await vi.waitFor(async () => {
      const story = await described("node", at.name);
      expect(story).toMatch(/DrainStarted .*eks-node-lifecycle .*2 pods have to leave by 20/);
      expect(story).toMatch(/\(x\d+ over .*budget at-held\/hold.*2 healthy of 2 desired, 0 /);
      expect(story).toMatch(/DrainedByForce .*drained by force: at-held\/web-/);
    }, patience);
    const theirs = await eventsIn(at.name);
    expect(new Set(reasonsOf(theirs))).toEqual(new Set(["EvictionBlocked", "PodForced"]));
    const blocked = theirs.find(({ reason }) => reason === "EvictionBlocked");
    expect(blocked).toMatchObject({ regarding: { kind: "ReplicaSet" }, type: "Warning" });
    expect(await described("replicaset", "--namespace", at.name)).toContain("EvictionBlocked");
  });
});
