import { expect } from "vitest";
import { seconds } from "../../lambda/domain/time.ts";
import type { HandlerPlan, HandlerSite, Look } from "./handler-site.ts";

/** A scenario of Node Termination Handler's end-to-end tests: the settings that it needs, and what happens. */
interface Scenario extends HandlerPlan {
  run(at: HandlerSite): Promise<void>;
}

const cordoned: Look = { cordoned: true, tainted: true, pod: "runs" };
const drained: Look = { cordoned: true, tainted: true, pod: "waits" };

const kindsOf = (at: HandlerSite): readonly string[] =>
  at.told("notice-done").map(({ outcome }) => outcome.kind);

const usual: HandlerPlan = { tags: {}, endsIn: 1 };

/**
 * The scenarios of Node Termination Handler's end-to-end tests in which it reads a queue, or could, by their names.
 * @see https://github.com/aws/aws-node-termination-handler/tree/62a8761d812b331620a0f006b55f70bcadb0462e/test/e2e
 */
export const scenarios = {
  "asg-lifecycle-sqs": {
    ...usual,
    async run(at) {
      at.terminate();
      await at.worked();
      await at.looks(drained);
      expect(at.endings()).toEqual(["CONTINUE by call"]);
      expect(await at.evictions()).toBe(1);
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
      expect(await at.evictions()).toBe(0);
      expect(at.endings()).toEqual(["CONTINUE by call"]);
    },
  },

  // What the handler tells as Kubernetes Events, the journal tells.
  "emit-events": {
    ...usual,
    async run(at) {
      at.terminate();
      await at.worked();
      expect(at.told("node-marked")).toHaveLength(1);
      expect(at.told("pod-evicted")).toHaveLength(1);
      expect(kindsOf(at)).toEqual(["drained"]);
    },
  },
} as const satisfies Readonly<Record<string, Scenario>>;

/** The name of a scenario. */
export type ScenarioName = keyof typeof scenarios;
