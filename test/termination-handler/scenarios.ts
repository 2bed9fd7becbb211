import { expect } from "vitest";
import { later, minutes, seconds } from "../../lambda/base/time.ts";
import {
  interruption,
  legacyMaintenance,
  maintenance,
  recommendation,
  stateChange,
} from "./event-bridge.ts";
import type { HandlerPlan, HandlerSite, Look } from "./handler-site.ts";

/** A scenario of Node Termination Handler's end-to-end tests: the settings that it needs, and what happens. */
interface Scenario extends HandlerPlan {
  run(at: HandlerSite): Promise<void>;
}

const untouched: Look = { cordoned: false, tainted: false, pod: "runs" };
const cordoned: Look = { cordoned: true, tainted: true, pod: "runs" };
const drained: Look = { cordoned: true, tainted: true, pod: "waits" };

const kindsOf = (at: HandlerSite): readonly string[] =>
  at.told("notice-done").map(({ outcome }) => outcome.kind);

/** Auto Scaling terminates the instance in the end: its hook is completed once, and no other pod is evicted. */
async function terminated(at: HandlerSite): Promise<void> {
  const evicted = at.evictions();
  at.terminate();
  await at.worked();
  expect(at.endings()).toEqual(["CONTINUE by call"]);
  expect(at.evictions()).toBe(evicted);
}

/** The node is drained for an event, and later the instance is terminated. */
const drainedBy =
  (event: (at: HandlerSite) => object) =>
  async (at: HandlerSite): Promise<void> => {
    at.deliver(event(at));
    await at.worked();
    await at.looks(drained);
    expect(at.evictions()).toBe(1);
    expect(at.endings()).toEqual([]);
    await terminated(at);
  };

/** AWS plans work that begins in half an hour. The pod is back as soon as AWS says that it is over, or called off. */
const backAfter =
  (type: string) =>
  async (at: HandlerSite): Promise<void> => {
    const starts = later(at.now(), minutes(30));
    at.deliver(maintenance(at, { type, status: "upcoming", starts }));
    await at.looks(drained);
    at.deliver(maintenance(at, { type, status: "closed", starts }));
    await at.worked();
    await at.looks(untouched);
    expect(at.endings()).toEqual([]);
  };

const usual: HandlerPlan = { tags: {}, endsIn: 1 };
// The handler's rebalance-recommendation-drain-test shows the same for a recommendation in the instance's metadata.
const draining: HandlerPlan = { ...usual, tags: { "event-rebalance": "drain" } };

/**
 * The scenarios of Node Termination Handler's end-to-end tests in which it reads a queue, or could, by their names.
 * @see https://github.com/aws/aws-node-termination-handler/tree/62a8761d812b331620a0f006b55f70bcadb0462e/test/e2e
 */
export const scenarios = {
  "asg-launch-lifecycle-sqs": {
    ...usual,
    async run(at) {
      at.launch();
      await at.join();
      await at.worked();
      expect(kindsOf(at)).toEqual(["joined"]);
      expect(at.endings()).toEqual(["CONTINUE by call"]);
    },
  },

  "asg-lifecycle-sqs": {
    ...usual,
    async run(at) {
      at.terminate();
      await at.worked();
      await at.looks(drained);
      expect(at.endings()).toEqual(["CONTINUE by call"]);
      expect(at.evictions()).toBe(1);
    },
  },

  "asg-lifecycle-sqs-heartbeat": {
    ...usual,
    endsIn: 45,
    async run(at) {
      at.hurryHook(seconds(30));
      at.terminate();
      await at.worked();
      await at.looks(drained);
      expect(at.endings()).toEqual(["CONTINUE by call"]);
      const heartbeats = at.told("heartbeat").length;
      expect(heartbeats).toBeGreaterThanOrEqual(3);
      expect(heartbeats).toBeLessThanOrEqual(6);
    },
  },

  "cordon-only": {
    ...usual,
    tags: { "drain-mode": "cordon-only", "drain-timeout-seconds": "30" },
    async run(at) {
      at.terminate();
      await at.worked();
      await at.looks(cordoned);
      expect(at.evictions()).toBe(0);
      expect(at.endings()).toEqual(["CONTINUE by call"]);
    },
  },

  // The handler tells as many reasons: each of its steps is one.
  "emit-events": {
    ...usual,
    async run(at) {
      at.terminate();
      await at.worked();
      expect(at.events()).toEqual(["DrainStarted", "Drained"]);
      expect(at.told("node-marked")).toHaveLength(1);
      expect(at.told("pod-evicted")).toHaveLength(1);
      expect(kindsOf(at)).toEqual(["drained"]);
    },
  },

  "ec2-state-change-sqs": { ...usual, run: drainedBy((at) => stateChange(at, "stopping")) },

  "spot-interruption-sqs": { ...usual, run: drainedBy(interruption) },

  "spot-interruption-dry-run": {
    ...usual,
    tags: { "drain-mode": "dry-run" },
    async run(at) {
      at.deliver(interruption(at));
      await at.worked();
      at.terminate();
      await at.worked();
      expect(kindsOf(at)).toEqual(["dry-run", "dry-run"]);
      await at.looks(untouched);
      expect(at.endings()).toEqual(["CONTINUE by call"]);
    },
  },

  "rebalance-recommendation": {
    ...usual,
    async run(at) {
      at.deliver(recommendation(at));
      await at.worked();
      await at.looks({ cordoned: true, tainted: false, pod: "runs" });
      expect(kindsOf(at)).toEqual(["cordoned"]);
      at.terminate();
      await at.looks(drained);
      await at.worked();
      expect(at.endings()).toEqual(["CONTINUE by call"]);
    },
  },

  "rebalance-recommendation-sqs": { ...draining, run: drainedBy(recommendation) },

  "rebalance-recommendation-sqs-node-not-found": {
    ...draining,
    async run(at) {
      at.loseNode();
      at.deliver(recommendation(at));
      await at.worked();
      expect(kindsOf(at)).toEqual(["no-node"]);
      expect(at.evictions()).toBe(0);
    },
  },

  "scheduled-change-event-sqs": { ...usual, run: drainedBy(legacyMaintenance) },

  "maintenance-event-cancellation": {
    ...usual,
    run: backAfter("AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED"),
  },

  "maintenance-event-reboot": {
    ...usual,
    run: backAfter("AWS_EC2_SYSTEM_REBOOT_MAINTENANCE_SCHEDULED"),
  },
} as const satisfies Readonly<Record<string, Scenario>>;
