import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { CloudWatchClient } from "@aws-sdk/client-cloudwatch";
import { CloudWatchLogsClient } from "@aws-sdk/client-cloudwatch-logs";
import { EC2Client } from "@aws-sdk/client-ec2";
import { EKSClient } from "@aws-sdk/client-eks";
import { ElasticLoadBalancingClient } from "@aws-sdk/client-elastic-load-balancing";
import { ElasticLoadBalancingV2Client } from "@aws-sdk/client-elastic-load-balancing-v2";
import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { IAMClient } from "@aws-sdk/client-iam";
import { KMSClient } from "@aws-sdk/client-kms";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SNSClient } from "@aws-sdk/client-sns";
import { SQSClient } from "@aws-sdk/client-sqs";
import { SSMClient } from "@aws-sdk/client-ssm";
import { partition } from "@aws-sdk/core/client";
import { STSClient } from "@aws-sdk/nested-clients/sts";
import { describe, expect, it } from "vitest";
import { eksToken } from "../../lambda/aws/eks-token.ts";
import { otherClient } from "../../lambda/aws/other-service.ts";
import { instant } from "../../lambda/base/time.ts";
import { partitionOf } from "../../lib/partition-of.ts";

/** A Region or two of each partition, and how the addresses of its services end. */
const regions = [
  ["eu-west-1", "aws", "amazonaws.com"],
  ["ap-southeast-2", "aws", "amazonaws.com"],
  ["us-gov-west-1", "aws-us-gov", "amazonaws.com"],
  ["us-gov-east-1", "aws-us-gov", "amazonaws.com"],
  ["cn-north-1", "aws-cn", "amazonaws.com.cn"],
  ["cn-northwest-1", "aws-cn", "amazonaws.com.cn"],
  ["us-iso-east-1", "aws-iso", "c2s.ic.gov"],
  ["us-isob-east-1", "aws-iso-b", "sc2s.sgov.gov"],
  ["eu-isoe-west-1", "aws-iso-e", "cloud.adc-e.uk"],
  ["us-isof-south-1", "aws-iso-f", "csp.hci.ic.gov"],
  ["eusc-de-east-1", "aws-eusc", "amazonaws.eu"],
] as const;

/** Every client of the functions and the commands, and what its address begins with. */
const clients = [
  ["autoscaling", AutoScalingClient],
  ["cloudformation", CloudFormationClient],
  ["monitoring", CloudWatchClient],
  ["logs", CloudWatchLogsClient],
  ["ec2", EC2Client],
  ["eks", EKSClient],
  ["elasticloadbalancing", ElasticLoadBalancingClient],
  ["elasticloadbalancing", ElasticLoadBalancingV2Client],
  ["events", EventBridgeClient],
  ["kms", KMSClient],
  ["lambda", LambdaClient],
  ["secretsmanager", SecretsManagerClient],
  ["sns", SNSClient],
  ["sqs", SQSClient],
  ["ssm", SSMClient],
  ["sts", STSClient],
] as const;

/** IAM has one address for a partition. */
const ofIam: Readonly<Record<string, string>> = {
  aws: "iam.amazonaws.com",
  "aws-us-gov": "iam.us-gov.amazonaws.com",
  "aws-cn": "iam.cn-north-1.amazonaws.com.cn",
  "aws-iso": "iam.us-iso-east-1.c2s.ic.gov",
  "aws-iso-b": "iam.us-isob-east-1.sc2s.sgov.gov",
  "aws-iso-e": "iam.eu-isoe-west-1.cloud.adc-e.uk",
  "aws-iso-f": "iam.us-isof-south-1.csp.hci.ic.gov",
  "aws-eusc": "iam.eusc-de-east-1.amazonaws.eu",
};

/** A client of the SDK, as far as its own rules of endpoints are asked. */
interface Ruled {
  readonly config: {
    readonly endpointProvider: (given: {
      readonly Region: string;
      readonly UseDualStack: boolean;
      readonly UseFIPS: boolean;
    }) => { readonly url: URL };
  };
}

const addressBy = ({ config }: Ruled, region: string): string =>
  config.endpointProvider({ Region: region, UseDualStack: false, UseFIPS: false }).url.host;

const credentials = { accessKeyId: "A", secretAccessKey: "s" };

describe.each(regions)("in %s", (region, name, suffix) => {
  it(`the partition is ${name}, as the SDK says it`, () => {
    expect(partitionOf(region)).toBe(name);
    expect(partition(region)).toMatchObject({ name, dnsSuffix: suffix });
  });

  it.each(clients)(
    "the address of %s is the partition's own, by the rules of its client",
    (service, client) => {
      expect(addressBy(new client({ region }), region)).toBe(`${service}.${region}.${suffix}`);
    },
  );

  it("the address of IAM is the one of its partition", () => {
    expect(addressBy(new IAMClient({ region }), region)).toBe(ofIam[name]);
  });

  it("a token for a cluster is for the STS that its client calls", async () => {
    const now = () => instant(0);
    const request = { clusterName: "demo", region, credentials: async () => credentials, now };
    const token = (await eksToken(request)).replace("k8s-aws-v1.", "");
    const { host } = new URL(Buffer.from(token, "base64url").toString());
    expect(host).toBe(addressBy(new STSClient({ region }), region));
  });

  it.each([
    ["EKS", EKSClient],
    ["SNS", SNSClient],
  ] as const)(
    "a service without a client of its own is where %s would be under its name",
    (id, client) => {
      const other = otherClient({ name: id.toLowerCase(), id }, region, { credentials });
      expect(addressBy(other, region)).toBe(addressBy(new client({ region }), region));
    },
  );
});
