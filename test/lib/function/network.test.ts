import { App, Stack, Validations } from "aws-cdk-lib";
import { Annotations, Match, Template } from "aws-cdk-lib/assertions";
import { Peer, SecurityGroup, Vpc } from "aws-cdk-lib/aws-ec2";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, it } from "vitest";
import { readClusterConfig } from "../../../lib/cluster-file/read-cluster-config.ts";
import { NodeLifecycle } from "../../../lib/node-lifecycle.ts";
import type { NodeLifecycleProps } from "../../../lib/node-lifecycle-props.ts";
import { peerOf } from "../../../lib/node-lifecycle-stack.ts";
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

const functions = {
  "Fn::GetAtt": [expect.stringMatching(/NetworkSecurityGroup/) as string, "GroupId"],
};

describe("the endpoints", () => {
  it("are there for what has been asked for", () => {
    const { template } = ownStack(() => ({ privateEndpoints: ["autoscaling", "eks"] }));
    template.resourceCountIs("AWS::EC2::VPCEndpoint", 2);
    template.hasResourceProperties("AWS::EC2::VPCEndpoint", {
      VpcEndpointType: "Interface",
      PrivateDnsEnabled: true,
      SubnetIds: ["subnet-0123456789abcdef0"],
      SecurityGroupIds: [
        { "Fn::GetAtt": [Match.stringLikeRegexp("EndpointsSecurityGroup"), "GroupId"] },
      ],
    });
  });

  it("let in the functions and the cluster's security group, on port 443", () => {
    const { template } = ownStack(() => ({ privateEndpoints: ["ec2"] }));
    const { ingress } = securityGroup(template, /EndpointsSecurityGroup/);
    expect(ingress.map(from)).toEqual(expect.arrayContaining([functions, "sg-0123456789abcdef0"]));
    expect(ingress).toHaveLength(2);
    expect(ingress.every(({ FromPort }) => FromPort === 443)).toBe(true);
  });

  it("also let in the others that a cluster's file names", () => {
    const template = synthesised({
      privateEndpoints: ["ec2"],
      privateEndpointsAdmit: ["10.0.0.0/16", "sg-0a1b2c3d", "fd00::/8"],
    });
    const { ingress } = securityGroup(template, /EndpointsSecurityGroup/);
    expect(ingress.map(from)).toEqual(
      expect.arrayContaining(["10.0.0.0/16", "sg-0a1b2c3d", "fd00::/8"]),
    );
    expect(ingress).toHaveLength(5);
  });

  it("let in the whole VPC where its addresses are known, unless others are named", () => {
    const made = (admit: object) => {
      const app = new App();
      Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
      const stack = new Stack(app, "Own", { env: { region: "eu-west-1" } });
      const vpc = Vpc.fromVpcAttributes(stack, "Vpc", {
        vpcId: "vpc-0123456789abcdef0",
        vpcCidrBlock: "10.1.0.0/16",
        availabilityZones: ["eu-west-1a"],
        privateSubnetIds: ["subnet-0123456789abcdef0"],
        privateSubnetRouteTableIds: ["rtb-0123456789abcdef0"],
      });
      const group = SecurityGroup.fromSecurityGroupId(stack, "Cluster", "sg-0a1b2c3d");
      new NodeLifecycle(stack, "Lifecycle", {
        cluster: { clusterName: "own", vpc, clusterSecurityGroup: group },
        authenticationMode: "API",
        groups: ["workers"],
        privateEndpoints: ["ec2"],
        ...admit,
      });
      expect(() => app.synth()).not.toThrow();
      const { ingress } = securityGroup(Template.fromStack(stack), /EndpointsSecurityGroup/);
      return ingress.map(from);
    };
    expect(made({})).toContain("10.1.0.0/16");
    expect(made({ privateEndpointsAdmit: [] })).not.toContain("10.1.0.0/16");
    expect(made({ privateEndpointsAdmit: [Peer.ipv4("10.2.0.0/16")] })).toContain("10.2.0.0/16");
  });
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

describe("the functions", () => {
  const egressOf = (dnsServers: string[]) =>
    securityGroup(synthesised({ dnsServers }), /NetworkSecurityGroup/).egress.map(
      (rule) => `${String(from(rule))} ${rule.IpProtocol} ${rule.FromPort}`,
    );
  const https = ["0.0.0.0/0 tcp 443", "::/0 tcp 443"];

  it("get out by HTTPS alone, for Amazon's DNS needs no rule", () => {
    expect(egressOf([])).toEqual(https);
  });

  it("get no farther by HTTPS than the addresses that a cluster's file names", () => {
    const template = synthesised({ httpsTo: ["10.0.0.0/16", "sg-0a1b2c3d"] });
    const { egress } = securityGroup(template, /NetworkSecurityGroup/);
    expect(egress).toEqual([
      expect.objectContaining({ CidrIp: "10.0.0.0/16", FromPort: 443, ToPort: 443 }),
      expect.objectContaining({ DestinationSecurityGroupId: "sg-0a1b2c3d", FromPort: 443 }),
    ]);
  });

  it("ask the DNS servers of a VPC that has its own, and no others", () => {
    expect(egressOf(["10.0.0.2", "fd00::2"])).toEqual([
      ...https,
      "10.0.0.2/32 udp 53",
      "10.0.0.2/32 tcp 53",
      "fd00::2/128 udp 53",
      "fd00::2/128 tcp 53",
    ]);
  });

  it("are let in by the cluster's security group on port 443", () => {
    synthesised().hasResourceProperties("AWS::EC2::SecurityGroupIngress", {
      GroupId: "sg-0123456789abcdef0",
      SourceSecurityGroupId: {
        "Fn::GetAtt": [Match.stringLikeRegexp("NetworkSecurityGroup"), "GroupId"],
      },
      IpProtocol: "tcp",
      FromPort: 443,
      ToPort: 443,
    });
  });
});

describe("a range of addresses", () => {
  it.each([
    ["10.0.0.0/16", "10.0.0.0/16"],
    ["10.0.0.2", "10.0.0.2/32"],
    ["fd00::/8", "fd00::/8"],
    ["fd00::2", "fd00::2/128"],
    ["sg-0a1b2c3d", "sg-0a1b2c3d"],
  ])("%s is the peer %s", (text, id) => {
    expect(peerOf(text).uniqueId).toBe(id);
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
