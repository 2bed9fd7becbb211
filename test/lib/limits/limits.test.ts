import { Duration } from "aws-cdk-lib";
import { describe, expect, it } from "vitest";
import { hours, instant, seconds } from "../../../lambda/base/time.ts";
import { hookSettings } from "../../../lambda/config/settings.ts";
import { hookLengths } from "../../../lambda/drain/drain-bounds.ts";
import { waitBeforeMarking, waitBeforePass } from "../../../lambda/notice/next-pass.ts";
import { receivesOfMessage } from "../../../lambda/notice/renewal.ts";
import type { ClusterConfig } from "../../../lib/cluster-file/cluster-config-schema.ts";
import { assertBackInTime, longestVisibility } from "../../../lib/limits/assert-props.ts";
import {
  assertReceives,
  assertVisibility,
  defaultReceives,
  defaultVisibility,
} from "../../../lib/limits/limits.ts";
import { sample, synthesised } from "../synthesised.ts";

const span = (count: number) => Duration.seconds(count);
const timeouts = { timeout: hours(40), volumeTimeout: seconds(0) };

describe("a visibility timeout", () => {
  it("not longer than the function's timeout is refused with one that fits", () => {
    expect(() => assertVisibility(span(120))).toThrow(
      "a queue visibility timeout of 120 seconds is not longer than the function's timeout of 120; 130 will do",
    );
    expect(() => assertVisibility(span(121))).not.toThrow();
  });
});

describe("a notice whose function crashes", () => {
  const enough = "a heartbeat timeout of 267 with a visibility timeout of 130 will do";

  it.each([
    [3600, 60, enough],
    [43_200, 1800, "a visibility timeout of 1490 will do"],
    [130, 30, enough],
    [130, 266, "a visibility timeout of 129 will do"],
  ])(
    "and is back after %i seconds, too late for a heartbeat timeout of %i, is refused",
    (visibility, heartbeat, remedy) => {
      expect(() => assertBackInTime(span(visibility), span(heartbeat))).toThrow(
        `after a crash a notice would be back in the queue ${visibility} seconds later, its visibility timeout, when a hook with a heartbeat timeout of ${heartbeat} may have run out; ${remedy}`,
      );
    },
  );

  it.each([
    [130, 267],
    [1490, 1800],
    [130, 1800],
    [129, 266],
  ])(
    "and is back after %i seconds is in time for a heartbeat timeout of %i",
    (visibility, beat) => {
      expect(() => assertBackInTime(span(visibility), span(beat))).not.toThrow();
    },
  );

  it.each([267, 300, 600, 1800, 7200])(
    "is received again before its hook runs out, with a heartbeat timeout of %i in any pass",
    (beat) => {
      const { longestRest } = hookLengths(timeouts, seconds(beat));
      const [begun, now, deadline] = [instant(0), instant(hours(20)), instant(hours(40))];
      const at = { now, deadline, longestRest, begun, nextForce: deadline };
      const rests = [1, 100, 300].flatMap((receives) => [
        waitBeforePass({ ...at, receives, progressed: true }),
        waitBeforePass({ ...at, receives, progressed: false }),
        waitBeforeMarking({ ...at, receives }),
      ]);
      const worst = Math.max(...rests) / 1000;
      const back = 50 + worst + longestVisibility(span(beat));
      expect(beat - back).toBeGreaterThanOrEqual(20);
      expect(beat - back).toBeLessThan(22);
    },
  );
});

describe("a receive count", () => {
  it("that a notice may reach without any crash, or with too few, is refused with one that will do", () => {
    expect(() => assertReceives(29)).toThrow(
      "a message may be received 29 times, and the function takes up to 20 of them before it sends a fresh one; 80 will do, and 30 at least",
    );
    expect(() => assertReceives(30)).not.toThrow();
  });

  it("leaves a crashing notice longer by default than any hook waits for a heartbeat, and a few hours at most", () => {
    const between = defaultVisibility.toSeconds();
    const { most } = hookSettings.heartbeat.form;
    expect((defaultReceives - receivesOfMessage) * between).toBeGreaterThan(most);
    expect(defaultReceives * between).toBeLessThan(3 * 3600);
  });
});

describe("a cluster's file that cannot be deployed is refused at synth", () => {
  const { hooks, queue } = sample;
  it.each<[string, Partial<ClusterConfig>]>([
    ...["drain", "launch"].map((part): [string, Partial<ClusterConfig>] => [
      `${part}.timeout: expected a whole number of seconds from 30 to 30000, which is all that a hook holds with hooks.heartbeat=300`,
      { [part]: { timeoutSeconds: 36_000 }, hooks: { ...hooks, heartbeatSeconds: 300 } },
    ]),
    ["a heartbeat timeout of 267", { hooks: { ...hooks, heartbeatSeconds: 30 } }],
    ["1490 will do", { queue: { ...queue, visibilitySeconds: 1800 } }],
    [
      'both called hook, and a group has but one hook of a name; "Launch-LC-Hook" and',
      { hooks: { ...hooks, launchName: "hook", terminateName: "hook" } },
    ],
    [
      "hooks.heartbeat: expected a whole number of seconds from 30 to 7200",
      { hooks: { ...hooks, heartbeatSeconds: 7201 } },
    ],
    ["a taint with a key of your own", { drain: { taint: "karpenter.sh/x=y:NoSchedule" } }],
    ["a taint such as", { drain: { taint: "it's:NoSchedule" } }],
    ["a JSON list of taint keys", { launch: { startupTaints: ["a=b"] } }],
    ["130 will do", { queue: { ...queue, visibilitySeconds: 60 } }],
    ["80 will do", { queue: { ...queue, receives: 20 } }],
    ["10 will do", { function: { ...sample.function, reservedConcurrency: 9 } }],
  ])("with advice: %s", (message, change) => {
    expect(() => synthesised(change)).toThrow(message);
  });
});
