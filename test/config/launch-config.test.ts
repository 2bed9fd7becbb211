import { describe, expect, it } from "vitest";
import { minutes, seconds } from "../../lambda/base/time.ts";
import { parseConfig } from "../../lambda/config/config.ts";
import type { Variables } from "../../lambda/config/variables.ts";
import { place } from "./place.ts";

const launch = (change: Variables = {}, tags: Variables = {}) =>
  parseConfig({ ...place, ...change }).launch.settingsFor(tags);

describe("the configuration of launches", () => {
  it("has a default for everything", () => {
    const { launch: policy, nodeAccess } = parseConfig(place);

    expect(policy).toMatchObject({ managed: ["workers", "gpu"], pass: seconds(50) });
    expect(nodeAccess).toBe("auto");
    expect(launch().settings).toEqual({
      timeout: minutes(15),
      gate: "on",
      startupTaints: [],
      atDeadline: "CONTINUE",
    });
  });

  it("can be changed for all groups, or for one group by its tags", () => {
    const settings = {
      LAUNCH_TIMEOUT_SECONDS: "1200",
      LAUNCH_STARTUP_TAINTS: '["node.cilium.io/agent-not-ready"]',
    };
    const tags = {
      "eks-node-lifecycle/launch-timeout-seconds": "60",
      "eks-node-lifecycle/launch-gate": "off",
      "eks-node-lifecycle/launch-result-at-deadline": "ABANDON",
    };

    const startupTaints = ["node.cilium.io/agent-not-ready"];
    expect(launch(settings).settings).toMatchObject({ timeout: minutes(20), startupTaints });
    expect(launch(settings, tags)).toEqual({
      settings: { timeout: minutes(1), gate: "off", startupTaints, atDeadline: "ABANDON" },
      refused: [],
    });
  });

  it("ignores a tag that does not fit, with a warning", () => {
    const { settings, refused } = launch({}, { "eks-node-lifecycle/launch-gate": "maybe" });

    expect(settings.gate).toBe("on");
    expect(refused).toEqual([
      'tag eks-node-lifecycle/launch-gate: expected "on" or "off", got "maybe"; ignored',
    ]);
  });
});
