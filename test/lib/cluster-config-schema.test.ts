import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { clusterConfigJsonSchema, readClusterConfig } from "../../lib/cluster-config-schema.ts";
import { clusterFile } from "../../lib/cluster-file.ts";
import { sample } from "./synthesised.ts";

const complete = JSON.parse(readFileSync("clusters/sample.json", "utf8")) as {
  cluster: Record<string, unknown>;
};

const complaint = (value: unknown): string => {
  try {
    readClusterConfig(JSON.stringify(value), "clusters/x.json");
  } catch (error) {
    if (error instanceof Error && error.name === "Refusal") return error.message;
    throw error;
  }
  throw new Error("it was accepted");
};

const inCluster = (change: object) => ({
  ...complete,
  cluster: { ...complete.cluster, ...change },
});

describe("a cluster's file", () => {
  it("needs to say no more than where the cluster is and which groups it has", () => {
    expect(sample).toMatchObject({
      hooks: { terminateName: "Terminate-LC-Hook", launching: "held" },
      events: { spotInterruption: "on" },
      queue: { visibilitySeconds: 130, receives: 1000 },
      function: { memoryMegabytes: 512, concurrency: 10, logRetentionDays: 30 },
      privateEndpoints: [],
      tags: {},
    });
  });

  it("is refused with every place that does not fit, and what would", () => {
    const wrong = { ...inCluster({ vpcId: "my-vpc", region: undefined }), groups: [] };
    expect(complaint(wrong)).toBe(
      [
        "clusters/x.json does not fit:",
        "  cluster.region: expected the name of a region, such as eu-west-1, got nothing",
        '  cluster.vpcId: expected the id of a VPC, such as vpc-0123456789abcdef0, got "my-vpc"',
        '  groups: expected a list of Auto Scaling group names, such as ["workers"], got []',
      ].join("\n"),
    );
  });

  it.each([
    [{ ...complete, drains: {} }, 'the file: there is no "drains"'],
    [{ ...complete, drain: { timeout: 60 } }, 'drain: there is no "timeout"'],
    [
      { ...complete, drain: { timeoutSeconds: 10 } },
      "drain.timeoutSeconds: expected a whole number from 30 to 172800, got 10",
    ],
    [
      { ...complete, events: { stateChange: true } },
      'events.stateChange: expected "on" or "off", got true',
    ],
    [
      inCluster({ authenticationMode: "RBAC" }),
      'cluster.authenticationMode: expected "API" or "API_AND_CONFIG_MAP" or "CONFIG_MAP", got "RBAC"',
    ],
    [
      { ...complete, function: { logRetentionDays: 31 } },
      "function.logRetentionDays: expected days as CloudWatch Logs has them",
    ],
  ])("is refused with what would do: %#", (value, expected) => {
    expect(complaint(value)).toContain(expected);
  });

  it("that is no JSON is refused", () => {
    expect(() => readClusterConfig("{", "clusters/x.json")).toThrow(
      /^clusters\/x\.json is not JSON: /,
    );
  });

  it("that is not there is refused with those that are", () => {
    expect(() => clusterFile("nowhere")).toThrow(
      "there is no clusters/nowhere.json; -c cluster=sample will do",
    );
  });

  it("is known to editors by a schema that is the same", () => {
    const written: unknown = JSON.parse(readFileSync("clusters/cluster.schema.json", "utf8"));
    expect(written).toEqual(JSON.parse(JSON.stringify(clusterConfigJsonSchema())));
  });
});
