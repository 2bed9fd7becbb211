import { describe, expect, it } from "vitest";
import { parseConfig } from "../../lambda/config/config.ts";
import {
  environment,
  functionTimeoutSeconds,
  hookKeys,
  launchKeys,
  settingKeys,
} from "../../lambda/contract.ts";
import { hours, minutes, seconds } from "../../lambda/domain/time.ts";
import type { ClusterConfig } from "../../lib/cluster-file/cluster-config-schema.ts";
import { resolved } from "./resolved.ts";
import { resourcesOf, sample, synthesised } from "./synthesised.ts";

const region = { AWS_REGION: sample.cluster.region };

/** The environment of the node function, as it will be once CloudFormation has filled it in. */
function environmentOf(change: Partial<ClusterConfig> = {}): Readonly<Record<string, string>> {
  const resources = resourcesOf(synthesised(change));
  const functions = Object.entries(resources).filter(
    ([id, { Type }]) => Type === "AWS::Lambda::Function" && /NodeFunction/.test(id),
  );
  expect(functions).toHaveLength(1);
  const { Environment } = functions[0]?.[1].Properties ?? {};
  const { Variables } = Environment as { Variables: Record<string, unknown> };
  return Object.fromEntries(
    Object.entries(Variables).map(([key, value]) => [key, resolved(value)]),
  );
}

describe("the environment that the stack gives the function", () => {
  it("is one that the function reads without a fault", () => {
    const config = parseConfig({ ...environmentOf(), ...region });
    expect(config).toMatchObject({
      clusterName: "sample",
      region: "eu-west-1",
      drain: { managed: ["workers"] },
    });
    expect(config.queueUrl).not.toBe(config.deadLetterQueueUrl);
  });

  it("has no key that the function does not read, and leaves defaults to it", () => {
    expect(new Set(Object.keys(environmentOf()))).toEqual(new Set(Object.values(environment)));
  });

  it("says all that a cluster's file can say of drains", () => {
    const drain = {
      timeoutSeconds: 7200,
      force: "never",
      tiers: "none",
      tierPercent: 40,
      settleSeconds: 9,
      protectedBy: ["karpenter.sh/do-not-disrupt"],
      volumeTimeoutSeconds: 60,
      concurrency: 7,
      taint: "example.com/draining=true:NoSchedule",
      daemonSets: "evict",
      mode: "cordon-only",
    } as const;
    const variables = environmentOf({ drain: { ...drain, protectedBy: [...drain.protectedBy] } });
    expect(Object.keys(variables)).toEqual(expect.arrayContaining(Object.values(settingKeys)));
    const { settings } = parseConfig({ ...variables, ...region }).drain.settingsFor({});
    expect(settings).toMatchObject({
      timeout: hours(2),
      force: "never",
      tiers: "none",
      tierPercent: 40,
      settle: seconds(9),
      protections: ["karpenter.sh/do-not-disrupt"],
      volumeTimeout: minutes(1),
      concurrency: 7,
      taints: [{ key: "example.com/draining", value: "true", effect: "NoSchedule" }],
      daemonSets: "evict",
      mode: "cordon-only",
    });
  });

  it("says all that a cluster's file can say of launches", () => {
    const variables = environmentOf({
      launch: {
        timeoutSeconds: 600,
        gate: "off",
        startupTaints: ["node.cilium.io/agent-not-ready"],
        atDeadline: "ABANDON",
        access: "access-entry",
      },
    });
    expect(Object.keys(variables)).toEqual(expect.arrayContaining(Object.values(launchKeys)));
    const config = parseConfig({ ...variables, ...region });
    expect(config.nodeAccess).toBe("access-entry");
    expect(config.launch.settingsFor({}).settings).toEqual({
      timeout: minutes(10),
      gate: "off",
      startupTaints: ["node.cilium.io/agent-not-ready"],
      atDeadline: "ABANDON",
    });
  });

  it("says how long the hooks wait for a heartbeat, where that is not the usual", () => {
    const { hooks } = sample;
    const variables = environmentOf({ hooks: { ...hooks, heartbeatSeconds: 300 } });
    expect(Object.keys(variables)).toEqual(expect.arrayContaining(Object.values(hookKeys)));
    const timeout = { [settingKeys.timeout]: "30001" };
    expect(() => parseConfig({ ...variables, ...region, ...timeout })).toThrow(/from 30 to 30000/);
  });

  it("fails the function's parser when a key is called something else", () => {
    const { [environment.queueUrl]: url, ...others } = environmentOf();
    expect(() => parseConfig({ ...others, ...region, QUEUE: url })).toThrow(/reading QUEUE_URL/);
  });

  it("comes with the time that the function counts on", () => {
    synthesised().hasResourceProperties("AWS::Lambda::Function", {
      Description: "Drains and registers nodes of cluster sample",
      Timeout: functionTimeoutSeconds,
    });
  });
});
