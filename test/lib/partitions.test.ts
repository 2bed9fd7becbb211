import { describe, expect, it } from "vitest";
import type { ClusterConfig } from "../../lib/cluster-file/cluster-config-schema.ts";
import { partitionOf } from "../../lib/partition-of.ts";
import { everythingOn } from "./everything-on.ts";
import { sample, synthesised } from "./synthesised.ts";

const services = ["arc-zonal-shift", "autoscaling", "ec2", "eks"] as const;
const others = ["elasticloadbalancing", "sqs", "ssm", "xray"] as const;

/** The template of a cluster with everything on in a Region, as text. */
function templateIn(region: string): string {
  const arns = `arn:${partitionOf(region)}:`;
  const moved = (_: string, value: unknown) =>
    typeof value === "string"
      ? value.replaceAll("arn:aws:", arns).replaceAll(sample.cluster.region, region)
      : value;
  const everything: Partial<ClusterConfig> = {
    ...sample,
    ...everythingOn,
    privateEndpoints: [...services, ...others],
  };
  return JSON.stringify(
    synthesised(JSON.parse(JSON.stringify(everything, moved)) as typeof everything).toJSON(),
  );
}

const found = (text: string, pattern: RegExp): readonly string[] =>
  [...new Set([...text.matchAll(pattern)].map(([whole, one = whole]) => one))].sort();

const ordinary = [...services, ...others].map((one) => `com.amazonaws.REGION.${one}`);

// By CDK's table of the endpoints whose names differ in China.
const chinese = [
  ...["autoscaling", "ec2", "eks", "sqs", "xray"].map((one) => `cn.com.amazonaws.REGION.${one}`),
  ...["arc-zonal-shift", "elasticloadbalancing", "ssm"].map((one) => `com.amazonaws.REGION.${one}`),
];

describe.each([
  ["eu-west-1", "aws", ordinary],
  ["us-gov-west-1", "aws-us-gov", ordinary],
  ["cn-north-1", "aws-cn", chinese],
  ["cn-northwest-1", "aws-cn", chinese],
] as const)("a deployment in %s with everything on", (region, partition, endpoints) => {
  const text = templateIn(region);

  it("has no ARN of another partition, and names no Region but its own", () => {
    expect(found(text, /arn:([\w-]+):/g)).toEqual([partition]);
    expect(found(text, /\b(?:cn|eu|us|us-gov)-(?:north|northwest|west)-\d\b/g)).toEqual([region]);
  });

  it("trusts the services by names that are the same in every partition", () => {
    expect(found(text, /"Service":"([^"]+)"/g)).toEqual(
      ["autoscaling", "events", "lambda", "sns"].map((one) => `${one}.amazonaws.com`),
    );
    expect(found(text, /"Principal":"([^"]+\.amazonaws\.com[^"]*)"/g)).toEqual([
      "logs.amazonaws.com",
    ]);
  });

  it("lets instances have their roles from EC2 by either name that it has", () => {
    expect(found(text, /"iam:PassedToService":(\[[^\]]+\])/g)).toEqual([
      '["ec2.amazonaws.com","ec2.amazonaws.com.cn"]',
    ]);
  });

  it("makes the endpoints that the Region has, and has no address of its own", () => {
    expect(found(text, /"((?:cn\.)?com\.amazonaws\.[^"]+)"/g)).toEqual(
      endpoints.map((one) => one.replace("REGION", region)).sort(),
    );
    expect(found(text, /https:\/\/[\w.-]*amazon[\w.-]*/g)).toEqual([]);
  });
});
