import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { CloudWatchLogsClient } from "@aws-sdk/client-cloudwatch-logs";
import { EC2Client } from "@aws-sdk/client-ec2";
import { EKSClient } from "@aws-sdk/client-eks";
import { ElasticLoadBalancingClient } from "@aws-sdk/client-elastic-load-balancing";
import { ElasticLoadBalancingV2Client } from "@aws-sdk/client-elastic-load-balancing-v2";
import { IAMClient } from "@aws-sdk/client-iam";
import { SQSClient } from "@aws-sdk/client-sqs";
import { SSMClient } from "@aws-sdk/client-ssm";
import { onTestFinished, vi } from "vitest";
import { hours, instant } from "../../lambda/base/time.ts";
import type { Credentials } from "../../sandbox/aws/access-keys.ts";
import { Aws } from "../../sandbox/aws/aws.ts";
import { type AwsServerOptions, startAwsServer } from "../../sandbox/servers/aws-server.ts";
import { VirtualTimeline } from "../../sandbox/timeline.ts";
import { awsEnvironment } from "../cli/connect/aws-environment.ts";

/** The moment at which every test begins. */
export const start = instant(Date.parse("2026-03-23T10:00:00Z"));

/** The account of the tests. */
export const account = { partition: "aws", region: "eu-west-1", id: "123456789012" };

/** The SDK's clients; only the URL points them at a server. */
export function clientsOf(endpoint: string, credentials: Credentials, region = account.region) {
  const settings = { endpoint, region, credentials, maxAttempts: 1 };
  return {
    autoScaling: new AutoScalingClient(settings),
    ec2: new EC2Client(settings),
    eks: new EKSClient(settings),
    elb: new ElasticLoadBalancingV2Client(settings),
    classicElb: new ElasticLoadBalancingClient(settings),
    iam: new IAMClient(settings),
    logs: new CloudWatchLogsClient(settings),
    sqs: new SQSClient(settings),
    ssm: new SSMClient(settings),
    retrying: { autoScaling: new AutoScalingClient({ ...settings, maxAttempts: 3 }) },
  };
}

/** Serves an account in virtual time for one test, with one user that may do everything. */
export async function aServedAccount(options: AwsServerOptions = {}) {
  const timeline = new VirtualTimeline(start);
  const aws = new Aws(timeline, account);
  const server = await startAwsServer(aws, options);
  onTestFinished(() => server.close());
  const role = aws.iam.createRole({ name: "drainer", path: "/" });
  const key = aws.keys.assume({ role, sessionName: "test", duration: hours(1000) });
  return { timeline, aws, server, key, role, ...clientsOf(server.url, key) };
}

/** Lets the SDK find a server and credentials by the environment, for one test. */
export function stubAwsEnvironment(url: string, key: Credentials): void {
  for (const [name, value] of Object.entries(awsEnvironment(url, account.region, key)))
    vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

/** Waits until an action has been called so often, however slow this computer is. */
export async function untilCalled(aws: Aws, action: string, times = 1): Promise<void> {
  while (aws.calls.of(action).length < times) await new Promise((next) => setImmediate(next));
}
