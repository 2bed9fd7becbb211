import { execFileSync } from "node:child_process";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import { esbuildOptions } from "../../bundle/esbuild-options.ts";
import { projectRoot } from "../../bundle/project-root.ts";

const instance = `<instanceId>i-1</instanceId><imageId>ami-1</imageId><platform>windows</platform>
  <instanceState><code>80</code><name>stopped</name></instanceState><vpcId>vpc-1</vpcId>
  <privateDnsName>ip-10-0-0-1.ec2.internal</privateDnsName><launchTime>2026-01-02T03:04:05.000Z</launchTime>
  <iamInstanceProfile><arn>arn:aws:iam::1:instance-profile/p</arn><id>p</id></iamInstanceProfile>
  <hibernationOptions><configured>true</configured></hibernationOptions>
  <tagSet><item><key>a</key><value>b</value></item><item><key>c</key><value/></item></tagSet>`;
const group = `<AutoScalingGroupName>workers</AutoScalingGroupName><MinSize>1</MinSize>
  <Instances><member><InstanceId>i-1</InstanceId><LifecycleState>Terminating:Wait</LifecycleState></member></Instances>
  <Tags><member><Key>a</Key><Value>b</Value></member></Tags>
  <InstanceLifecyclePolicy><RetentionTriggers><TerminateHookAbandon>retain</TerminateHookAbandon></RetentionTriggers></InstanceLifecyclePolicy>`;
const awsError = (code: string) =>
  `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>no: ${code}</Message></Error></ErrorResponse>`;
const result = (of: string, body: string) =>
  `<${of}Response><${of}Result>${body}</${of}Result></${of}Response>`;

interface Call {
  readonly from: string;
  readonly operation: string;
  readonly input?: object;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

const answers: readonly Call[] = [
  {
    ...{ from: "EC2", operation: "DescribeInstances" },
    body: `<DescribeInstancesResponse><reservationSet><item><instancesSet><item>${instance}</item></instancesSet></item></reservationSet></DescribeInstancesResponse>`,
  },
  {
    ...{ from: "AutoScaling", operation: "DescribeAutoScalingGroups" },
    body: result(
      "DescribeAutoScalingGroups",
      `<AutoScalingGroups><member>${group}</member></AutoScalingGroups>`,
    ),
  },
  {
    ...{ from: "AutoScaling", operation: "DescribeAutoScalingInstances" },
    body: result(
      "DescribeAutoScalingInstances",
      "<AutoScalingInstances><member><InstanceId>i-1</InstanceId><AutoScalingGroupName>g</AutoScalingGroupName><InstanceType>m5</InstanceType><LifecycleState>InService</LifecycleState></member></AutoScalingInstances>",
    ),
  },
  {
    ...{ from: "AutoScaling", operation: "DescribeLifecycleHooks" },
    input: { AutoScalingGroupName: "g" },
    body: result(
      "DescribeLifecycleHooks",
      "<LifecycleHooks><member><LifecycleHookName>h</LifecycleHookName><HeartbeatTimeout>60</HeartbeatTimeout><RoleARN>r</RoleARN></member></LifecycleHooks>",
    ),
  },
  {
    ...{ from: "EKS", operation: "DescribeCluster" },
    input: { name: "demo" },
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      cluster: {
        version: "1.33",
        endpoint: "https://a",
        status: "ACTIVE",
        certificateAuthority: { data: "x" },
        accessConfig: { authenticationMode: "API" },
      },
    }),
  },
];

const spec = (version: string) =>
  `<LaunchTemplateSpecification><LaunchTemplateId>lt-1</LaunchTemplateId><Version>${version}</Version></LaunchTemplateSpecification>`;
const member = `<InstanceId>i-1</InstanceId><AvailabilityZone>a</AvailabilityZone><LifecycleState>InService</LifecycleState>
  <HealthStatus>Unhealthy</HealthStatus><ProtectedFromScaleIn>true</ProtectedFromScaleIn>
  <LaunchTemplate><LaunchTemplateId>lt-1</LaunchTemplateId><LaunchTemplateName>n</LaunchTemplateName><Version>3</Version></LaunchTemplate>`;
const fleet = `<AutoScalingGroupName>workers</AutoScalingGroupName><MinSize>1</MinSize><MaxSize>3</MaxSize>
  <DesiredCapacity>2</DesiredCapacity><AvailabilityZones><member>a</member><member>b</member></AvailabilityZones>
  <LaunchConfigurationName>old</LaunchConfigurationName><LaunchTemplate><LaunchTemplateId>lt-1</LaunchTemplateId></LaunchTemplate>
  <MixedInstancesPolicy><LaunchTemplate>${spec("$Latest")}<Overrides>
    <member><InstanceType>m7g.large</InstanceType>${spec("4")}</member>
    <member><InstanceRequirements><VCpuCount><Min>2</Min><Max>8</Max></VCpuCount><MemoryMiB><Min>1024</Min></MemoryMiB></InstanceRequirements></member>
  </Overrides></LaunchTemplate><InstancesDistribution><SpotInstancePools>2</SpotInstancePools><SpotMaxPrice>0.1</SpotMaxPrice></InstancesDistribution></MixedInstancesPolicy>
  <SuspendedProcesses><member><ProcessName>Launch</ProcessName><SuspensionReason>why</SuspensionReason></member></SuspendedProcesses>
  <WarmPoolConfiguration><PoolState>Stopped</PoolState></WarmPoolConfiguration>
  <Instances><member>${member}</member></Instances><Tags><member><Key>a</Key><Value>b</Value></member></Tags>`;

/** What upgrades read besides; all of a mixed instances policy, because they write it again. */
const answersToUpgrades: readonly Call[] = [
  {
    ...{ from: "AutoScaling", operation: "DescribeAutoScalingGroups" },
    body: result(
      "DescribeAutoScalingGroups",
      `<AutoScalingGroups><member>${fleet}<VPCZoneIdentifier>v</VPCZoneIdentifier></member></AutoScalingGroups>`,
    ),
  },
  {
    ...{ from: "AutoScaling", operation: "DescribeWarmPool" },
    input: { AutoScalingGroupName: "workers" },
    body: result(
      "DescribeWarmPool",
      `<Instances><member>${member}<WeightedCapacity>2</WeightedCapacity></member></Instances><NextToken>t</NextToken>`,
    ),
  },
  {
    ...{ from: "AutoScaling", operation: "DescribeScalingActivities" },
    body: result(
      "DescribeScalingActivities",
      "<Activities><member><StartTime>2026-01-02T03:04:05Z</StartTime><StatusCode>Failed</StatusCode><StatusMessage>no</StatusMessage><Description>d</Description><Cause>c</Cause></member></Activities><NextToken>t</NextToken>",
    ),
  },
  {
    ...{ from: "AutoScaling", operation: "DescribeInstanceRefreshes" },
    input: { AutoScalingGroupName: "workers" },
    body: result(
      "DescribeInstanceRefreshes",
      "<InstanceRefreshes><member><Status>InProgress</Status><PercentageComplete>7</PercentageComplete></member></InstanceRefreshes>",
    ),
  },
  {
    ...{ from: "EC2", operation: "DescribeLaunchTemplateVersions" },
    body: "<DescribeLaunchTemplateVersionsResponse><launchTemplateVersionSet><item><launchTemplateId>lt-1</launchTemplateId><versionNumber>3</versionNumber><createdBy>me</createdBy><launchTemplateData><imageId>ami-1</imageId><userData>x</userData></launchTemplateData></item></launchTemplateVersionSet></DescribeLaunchTemplateVersionsResponse>",
  },
  {
    ...{ from: "EC2", operation: "DescribeImages" },
    body: "<DescribeImagesResponse><imagesSet><item><imageId>ami-1</imageId><imageState>available</imageState><architecture>arm64</architecture><kernelId>k</kernelId></item></imagesSet></DescribeImagesResponse>",
  },
  {
    ...{ from: "EC2", operation: "CreateLaunchTemplateVersion" },
    input: {
      ...{ LaunchTemplateId: "lt-1", SourceVersion: "1", ClientToken: "t" },
      ...{ VersionDescription: "d", LaunchTemplateData: { ImageId: "ami-2" } },
    },
    body: "<CreateLaunchTemplateVersionResponse><launchTemplateVersion><launchTemplateId>lt-1</launchTemplateId><versionNumber>2</versionNumber><createdBy>me</createdBy></launchTemplateVersion></CreateLaunchTemplateVersionResponse>",
  },
  {
    ...{ from: "SSM", operation: "GetParameter", input: { Name: "p" } },
    headers: { "content-type": "application/x-amz-json-1.1" },
    body: JSON.stringify({ Parameter: { Value: "ami-2", Selector: ":1" } }),
  },
];

const errors: readonly Call[] = [
  ...["ResourceContention", "ValidationError", "Throttling"].map((code) => ({
    ...{ from: "AutoScaling", operation: "DescribeAutoScalingGroups", status: 400 },
    body: awsError(code),
  })),
  ...["ResourceNotFoundException", "ThrottlingException", "AccessDeniedException"].map((name) => ({
    ...{ from: "EKS", operation: "DescribeCluster", input: { name: "demo" }, status: 400 },
    headers: { "content-type": "application/json", "x-amzn-errortype": name },
    body: JSON.stringify({ message: `no: ${name}` }),
  })),
  {
    ...{ from: "SSM", operation: "GetParameter", input: { Name: "p" }, status: 400 },
    headers: { "content-type": "application/x-amz-json-1.1" },
    body: JSON.stringify({ __type: "ParameterNotFound" }),
  },
];

const calls = [...answers, ...errors];

const program = `
import {
  AutoScalingClient,
  DescribeAutoScalingGroupsCommand,
  DescribeAutoScalingInstancesCommand,
  DescribeInstanceRefreshesCommand,
  DescribeLifecycleHooksCommand,
  DescribeScalingActivitiesCommand,
  DescribeWarmPoolCommand,
} from "@aws-sdk/client-auto-scaling";
import {
  CreateLaunchTemplateVersionCommand,
  DescribeImagesCommand, DescribeInstancesCommand, DescribeLaunchTemplateVersionsCommand, EC2Client } from "@aws-sdk/client-ec2";
import { DescribeClusterCommand, EKSClient } from "@aws-sdk/client-eks";
import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
const clients = { AutoScaling: AutoScalingClient, EC2: EC2Client, EKS: EKSClient, SSM: SSMClient };
const commands = {
  CreateLaunchTemplateVersion: CreateLaunchTemplateVersionCommand,
  DescribeAutoScalingGroups: DescribeAutoScalingGroupsCommand,
  DescribeAutoScalingInstances: DescribeAutoScalingInstancesCommand,
  DescribeCluster: DescribeClusterCommand,
  DescribeImages: DescribeImagesCommand,
  DescribeInstanceRefreshes: DescribeInstanceRefreshesCommand,
  DescribeInstances: DescribeInstancesCommand,
  DescribeLaunchTemplateVersions: DescribeLaunchTemplateVersionsCommand,
  DescribeLifecycleHooks: DescribeLifecycleHooksCommand,
  DescribeScalingActivities: DescribeScalingActivitiesCommand,
  DescribeWarmPool: DescribeWarmPoolCommand,
  GetParameter: GetParameterCommand,
};
const credentials = { accessKeyId: "a", secretAccessKey: "b" };
async function told({ from, operation, input = {}, status: statusCode = 200, headers = {}, body }) {
  let sent = "";
  const handle = async (request) => {
    sent = Buffer.from(request.body ?? "").toString();
    return { response: { statusCode, headers, body: Buffer.from(body) } };
  };
  const options = { region: "eu-west-1", credentials, maxAttempts: 1, requestHandler: { handle } };
  const client = new clients[from](options);
  const { $metadata, ...found } = await client.send(new commands[operation](input))
    .catch(({ name, message, $metadata: { httpStatusCode } }) => ({ name, message, httpStatusCode }));
  return { ...found, sent };
}
Promise.all(CALLS.map(told)).then((found) => process.stdout.write(JSON.stringify(found)));
`;

type Plugins = ReturnType<typeof esbuildOptions>["plugins"];

/** What the clients read of the answers, in a process of their own. */
async function readBy(plugins: Plugins, asked: readonly Call[] = calls): Promise<unknown[]> {
  const { outputFiles = [] } = await build({
    ...esbuildOptions(projectRoot),
    plugins,
    stdin: { contents: program, resolveDir: projectRoot },
    define: { CALLS: JSON.stringify(asked) },
    format: "cjs",
    metafile: true,
    write: false,
  });
  const input = outputFiles[0]?.text ?? "";
  const found: unknown = JSON.parse(
    execFileSync(process.execPath, ["-"], { input, encoding: "utf8" }),
  );
  return Array.isArray(found) ? found : [];
}

const unread = ["ImageId", "MinSize", "InstanceType", "RoleARN", "version"];

const without = (names: readonly string[], found: unknown): unknown =>
  JSON.parse(JSON.stringify(found, (key, value) => (names.includes(key) ? undefined : value)));

const unreadByUpgrades = [
  ...[
    "Cause",
    "CreatedBy",
    "KernelId",
    "PercentageComplete",
    "Selector",
    "UserData",
    "VPCZoneIdentifier",
  ],
  "WeightedCapacity",
];

describe("the bundled clients of AWS", () => {
  let whole: readonly unknown[];
  let bundled: readonly unknown[];

  beforeAll(async () => {
    const { plugins } = esbuildOptions(projectRoot);
    whole = await readBy(plugins.filter(({ name }) => name !== "aws-schemas"));
    bundled = await readBy(plugins);
  });

  it("read the fields that the functions use as the whole clients do, and no others", () => {
    const read = whole.slice(0, answers.length);
    for (const one of read) expect(one).not.toEqual(without(unread, one));
    expect(bundled.slice(0, answers.length)).toEqual(read.map((one) => without(unread, one)));
  });

  it("read for upgrades more, and a mixed instances policy whole", async () => {
    const { plugins } = esbuildOptions(projectRoot, "upgrades");
    const others = plugins.filter(({ name }) => name !== "aws-schemas");
    const read = await readBy(others, answersToUpgrades);

    for (const one of read) expect(one).not.toEqual(without(unreadByUpgrades, one));
    expect(await readBy(plugins, answersToUpgrades)).toEqual(
      read.map((one) => without(unreadByUpgrades, one)),
    );
  });

  it("throw errors of the same names and messages as the whole clients", () => {
    expect(bundled).toHaveLength(calls.length);
    expect(bundled.slice(answers.length)).toEqual(whole.slice(answers.length));
  });
});
