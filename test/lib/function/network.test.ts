import type { Stack } from "aws-cdk-lib";
import { Annotations, Match, Template } from "aws-cdk-lib/assertions";
import { Peer, SecurityGroup, Vpc } from "aws-cdk-lib/aws-ec2";
import { describe, expect, it } from "vitest";
import { readClusterConfig } from "../../../lib/cluster-file/read-cluster-config.ts";
import type { NodeLifecycleProps } from "../../../lib/node-lifecycle-props.ts";
import { ownLifecycle, ownStack } from "../own-stack.ts";
import { resourcesOf, sample, synthesised } from "../synthesised.ts";

interface Rule {
  readonly CidrIp?: unknown;
  readonly CidrIpv6?: unknown;
  readonly SourceSecurityGroupId?: unknown;
  readonly FromPort?: number;
  readonly IpProtocol?: string;
}

/** A security group of the stack, with the rules that it has. */
function securityGroup(template: Template, id: RegExp) {
  const resources = Object.entries(resourcesOf(template));
  const [name, own] =
    resources.find(([name, { Type }]) => Type === "AWS::EC2::SecurityGroup" && id.test(name)) ?? [];
  const { SecurityGroupIngress: ingress = [], SecurityGroupEgress: egress = [] } =
    own?.Properties ?? {};
  const apart = resources
    .filter(
      ([, { Type, Properties }]) =>
        Type === "AWS::EC2::SecurityGroupIngress" &&
        JSON.stringify(Properties.GroupId).includes(`"${name}"`),
    )
    .map(([, { Properties }]) => Properties);
  return { ingress: [ingress as Rule[], apart as Rule[]].flat(), egress: egress as Rule[] };
}

const from = (rule: Rule): unknown => rule.CidrIp ?? rule.CidrIpv6 ?? rule.SourceSecurityGroupId;

describe("the endpoints", () => {
  it("let in the whole VPC where its addresses are known, unless others are named", () => {
    const made = (admit: object) => {
      const { stack } = ownLifecycle((scope, { cluster }) => {
        const vpc = Vpc.fromVpcAttributes(scope, "Known", {
          vpcId: "vpc-0123456789abcdef0",
          vpcCidrBlock: "10.1.0.0/16",
          availabilityZones: ["eu-west-1a"],
          privateSubnetIds: ["subnet-0123456789abcdef0"],
        });
        return { cluster: { ...cluster, vpc }, privateEndpoints: ["ec2"], ...admit };
      });
      const { ingress } = securityGroup(Template.fromStack(stack), /EndpointsSecurityGroup/);
      return ingress.map(from);
    };
    expect(made({})).toContain("10.1.0.0/16");
    expect(made({ privateEndpointsAdmit: [] })).not.toContain("10.1.0.0/16");
    expect(made({ privateEndpointsAdmit: [Peer.ipv4("10.2.0.0/16")] })).toContain("10.2.0.0/16");
  });
});

it("an endpoint serves the whole VPC by private DNS, and goes with the stack", () => {
  const template = synthesised({ privateEndpoints: ["ec2", "sqs"] });
  const endpoints = Object.values(resourcesOf(template)).filter(
    ({ Type }) => Type === "AWS::EC2::VPCEndpoint",
  );
  expect(endpoints).toHaveLength(2);
  for (const { Properties, ...policies } of endpoints) {
    expect(Properties).toMatchObject({ PrivateDnsEnabled: true, VpcEndpointType: "Interface" });
    expect(policies).toEqual({ Type: "AWS::EC2::VPCEndpoint" });
  }
});

describe("the policy of each endpoint", () => {
  it("lets in the principals of this account, and nobody with credentials of another", () => {
    const { template } = ownStack(() => ({ privateEndpoints: ["ec2", "sqs"] }));
    const all = template.findResources("AWS::EC2::VPCEndpoint");
    const policies = Object.values(all).map(({ Properties }) => Properties.PolicyDocument);
    const expected = {
      Statement: [
        {
          Effect: "Allow",
          Principal: { AWS: "*" },
          Action: "*",
          Resource: "*",
          Condition: { StringEquals: { "aws:PrincipalAccount": "123456789012" } },
        },
      ],
      Version: "2012-10-17",
    };
    expect(policies).toEqual([expected, expected]);
  });
});

describe("a private VPC whose launches are held", () => {
  const warnings = (props: Partial<NodeLifecycleProps>) => {
    const { stack } = ownLifecycle(() => props);
    return Annotations.fromStack(stack)
      .findWarning("*", Match.stringLikeRegexp("IAM, which has no endpoint"))
      .map(({ id }) => id);
  };

  it("is warned that IAM may be out of reach, at synth", () => {
    expect(warnings({ privateEndpoints: ["ec2"] })).toEqual(["/Own/Lifecycle"]);
    expect(warnings({})).toEqual([]);
    expect(warnings({ privateEndpoints: ["ec2"], hooks: { launching: "not held" } })).toEqual([]);
    const nodeRoles = ["arn:aws:iam::123456789012:role/node"];
    const launch = { access: "at deployment" } as const;
    expect(warnings({ privateEndpoints: ["ec2"], launch, nodeRoles })).toEqual([]);
  });
});

describe("security groups of your own", () => {
  const own = (stack: Stack) => [SecurityGroup.fromSecurityGroupId(stack, "Mine", "sg-0a1b2c3d")];
  const functionGroups = (template: Template) =>
    Object.values(resourcesOf(template))
      .filter(({ Type, Properties }) => Type === "AWS::Lambda::Function" && Properties.VpcConfig)
      .map(({ Properties }) => Properties.VpcConfig);

  it("are those of both functions, and nothing adds a rule to them", () => {
    const { template } = ownStack((stack) => ({ securityGroups: own(stack) }));
    expect(functionGroups(template)).toMatchObject([
      { SecurityGroupIds: ["sg-0a1b2c3d"] },
      { SecurityGroupIds: ["sg-0a1b2c3d"] },
    ]);
    for (const type of ["", "Ingress", "Egress"])
      template.resourceCountIs(`AWS::EC2::SecurityGroup${type}`, 0);
  });

  it("may be named in a cluster's file, and are let in by the endpoints", () => {
    const template = synthesised({
      function: { ...sample.function, securityGroupIds: ["sg-0a1b2c3d"] },
      privateEndpoints: ["ec2"],
    });
    expect(functionGroups(template)).toHaveLength(2);
    template.resourceCountIs("AWS::EC2::SecurityGroup", 1);
    const { ingress } = securityGroup(template, /EndpointsSecurityGroup/);
    expect(ingress.map(from)).toContain("sg-0a1b2c3d");
  });

  it("are five at most, and get no rules for DNS servers", () => {
    const refused = (props: object) => () =>
      ownStack((stack) => ({ securityGroups: own(stack), ...props }));
    expect(refused({ dnsServers: [Peer.ipv4("10.0.0.2/32")] })).toThrow(
      "dnsServers and httpsTo add rules",
    );
    expect(refused({ httpsTo: [Peer.ipv4("10.0.0.0/16")] })).toThrow(
      "dnsServers and httpsTo add rules",
    );
    expect(() => ownStack((stack) => ({ securityGroups: Array(6).fill(own(stack)[0]) }))).toThrow(
      "5 security groups at most, not 6",
    );
    const { cluster } = sample;
    const file = {
      cluster,
      groups: ["workers"],
      dnsServers: ["10.0.0.2"],
      httpsTo: ["10.0.0.0/16"],
      function: { securityGroupIds: ["sg-0a1b2c3d"] },
    };
    for (const key of ["dnsServers", "httpsTo"])
      expect(() => readClusterConfig(JSON.stringify(file), "file")).toThrow(
        `${key}: expected nothing where function.securityGroupIds names the groups`,
      );
  });
});
