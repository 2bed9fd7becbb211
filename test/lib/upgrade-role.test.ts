import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { EC2Client } from "@aws-sdk/client-ec2";
import { beforeAll, describe, expect, it } from "vitest";
import { FullAutoScalingGroups } from "../../lambda/aws/full-auto-scaling-groups.ts";
import { Ec2LaunchTemplates } from "../../lambda/aws/upgrade/ec2-launch-templates.ts";
import { lateImages } from "../../lambda/aws/upgrade/late-images.ts";
import { type StackTemplate, templateSchema } from "../../sandbox/stack/template-schema.ts";
import { given } from "../aws/a-served-group.ts";
import { account, start } from "../support/aws-account.ts";
import { foreign, groupsFor, others, own, policiesOf, workers } from "./groups-for.ts";
import { ownStack } from "./own-stack.ts";

const image = "ami-0123456789abcdef0";
const published =
  "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/x86_64/standard/recommended/image_id";

const nodes = `arn:aws:iam::${account.id}:role/nodes`;

let templates: Readonly<Record<"given" | "made", StackTemplate>>;
beforeAll(() => {
  const usual = { upgrades: "on", launchTemplates: [own.id], nodeRoles: [nodes] } as const;
  const synthesised = (launchTemplateVersions: "given" | "made") =>
    templateSchema.parse(ownStack(() => ({ ...usual, launchTemplateVersions })).template.toJSON());
  templates = { given: synthesised("given"), made: synthesised("made") };
});

/** The adapters of the upgrade function with the rights of its role. */
async function theFunction(versions: "given" | "made" = "made") {
  const { aws, settings, instanceOf } = await groupsFor(templates[versions], "UpgradesUpgradeRole");
  aws.records.parameters.set(published, image);
  const ec2 = new EC2Client(settings);
  return {
    instanceOf,
    groups: new FullAutoScalingGroups(new AutoScalingClient(settings)),
    templates: new Ec2LaunchTemplates(ec2),
    images: lateImages(ec2, settings),
  };
}

const made = (id: string) =>
  ({ from: { template: id, version: 1 }, image, description: "new", token: "t" }) as const;

describe("the role of the upgrade function", () => {
  it("suffices for all that an upgrade does to a managed group", async () => {
    const { groups, templates, images, instanceOf } = await theFunction();
    const key = "eks-node-lifecycle/upgrade";

    const version = given(await templates.make(made(own.id)));
    await groups.tag(workers, { [key]: "id=1" });
    await groups.launchBy(workers, version);
    await groups.resize(workers, { max: 4, desired: 2 });
    expect(await groups.terminate(instanceOf(workers), "kept")).toBe("terminating");
    await groups.untag(workers, [key]);

    expect(await groups.withPool(workers)).toMatchObject({ tags: {}, sizes: { desired: 2 } });
    expect(await groups.failures(workers, start)).toEqual([]);
    expect(await groups.refresh(workers)).toBe("none");
    expect(await templates.version(version)).toMatchObject({ version: 2 });
    expect(await images.image(image)).toMatchObject({ state: "available" });
    expect(await images.imageIn(published)).toBe(image);
  });

  type Deed = (by: Awaited<ReturnType<typeof theFunction>>) => Promise<unknown>;
  it.each<[string, Deed]>([
    ["resize another group", ({ groups }) => groups.resize(others, { max: 4 })],
    [
      "end an instance of another group",
      ({ groups, instanceOf }) => groups.terminate(instanceOf(others), "kept"),
    ],
    [
      "tag another group",
      ({ groups }) => groups.tag(others, { "eks-node-lifecycle/upgrade": "a" }),
    ],
    [
      "change a setting of the drain",
      ({ groups }) => groups.tag(workers, { "eks-node-lifecycle/drain": "off" }),
    ],
    [
      "remove a setting of the drain",
      ({ groups }) => groups.untag(workers, ["eks-node-lifecycle/drain"]),
    ],
    [
      "launch by another template",
      ({ groups }) => groups.launchBy(workers, { template: foreign.id, version: 1 }),
    ],
    ["read a parameter of the account", ({ images }) => images.imageIn("/own/secret")],
  ])("does not let it %s", async (_, deed) => {
    await expect(deed(await theFunction())).rejects.toMatchObject({ code: "aws.denied" });
  });

  it("does not let it add a version to another template, or to any where people make them", async () => {
    const making = await theFunction();
    await expect(making.templates.make(made(foreign.id))).resolves.toBe("denied");
    const { templates: others, groups } = await theFunction("given");
    await expect(others.make(made(own.id))).resolves.toBe("denied");
    await groups.launchBy(workers, { template: own.id, version: 1 });
  });
});

describe("whoever has taken the role of the upgrade function", () => {
  const ec2 = (resource: string, owner = account.id) =>
    `arn:aws:ec2:${account.region}:${owner}:${resource}`;
  const launch = (id: string, ofTemplate: boolean) => ({
    "ec2:LaunchTemplate": ec2(`launch-template/${id}`),
    "ec2:IsLaunchTemplateResource": String(ofTemplate),
  });
  const asked = { "aws:ViaAWSService": "true" };
  const group = `arn:aws:autoscaling:${account.region}:${account.id}:autoScalingGroup:1:autoScalingGroupName/${workers}`;
  const update = "autoscaling:UpdateAutoScalingGroup";
  const run = "ec2:RunInstances";

  type Attempt = readonly [action: string, on: string, context: Readonly<Record<string, string>>];
  const permits = ([action, resource, context]: Attempt) => {
    const { policies, role } = policiesOf(templates.made, "UpgradesUpgradeRole");
    const by = `arn:aws:sts::${account.id}:assumed-role/${role}/thief`;
    return policies.permits(role, { by, action, resource, context });
  };

  it.each<[string, Attempt]>([
    ["an instance", [run, ec2("instance/*"), { ...launch(own.id, true), ...asked }]],
    [
      "in a subnet of the group, which others share with the account",
      [run, ec2("subnet/subnet-1", "111122223333"), { ...launch(own.id, false), ...asked }],
    ],
    [
      "by the image of the template",
      [run, ec2("image/ami-1", ""), { ...launch(own.id, true), ...asked }],
    ],
    [
      "as a Spot instance, whose request knows no template",
      [run, ec2("spot-instances-request/*"), asked],
    ],
    [
      "with the role of the nodes",
      ["iam:PassRole", nodes, { "iam:PassedToService": "ec2.amazonaws.com" }],
    ],
  ])("lets Auto Scaling try a launch: %s", (_, attempt) => {
    expect(permits(attempt)).toBe(true);
  });

  it.each<[string, Attempt]>([
    ["launch an instance by itself", [run, ec2("instance/*"), launch(own.id, true)]],
    [
      "launch by another template",
      [run, ec2("instance/*"), { ...launch(foreign.id, true), ...asked }],
    ],
    ["launch without a template", [run, ec2("instance/*"), asked]],
    ["ask for Spot instances by itself", [run, ec2("spot-instances-request/*"), {}]],
    ...["image/ami-1", "snapshot/snap-1"].map((one): [string, Attempt] => [
      `launch with another ${one} than the template's`,
      [run, ec2(one, ""), { ...launch(own.id, false), ...asked }],
    ]),
    [
      "launch with a key pair besides the template",
      [run, ec2("key-pair/thief"), { ...launch(own.id, false), ...asked }],
    ],
    [
      "give an instance another role than those of nodes",
      [
        "iam:PassRole",
        nodes.replace("nodes", "admin"),
        { "iam:PassedToService": "ec2.amazonaws.com" },
      ],
    ],
    [
      "pass a role of nodes to another service",
      ["iam:PassRole", nodes, { "iam:PassedToService": "lambda.amazonaws.com" }],
    ],
    ["tag an instance that is there", ["ec2:CreateTags", ec2("instance/i-1"), {}]],
    ["tag a VPC", ["ec2:CreateTags", ec2("vpc/vpc-1"), { "ec2:CreateAction": "RunInstances" }]],
    ...[
      "CapacityReservationIds",
      "CapacityReservationResourceGroupArns",
      "ImageId",
      "LaunchConfigurationName",
      "VPCZoneIdentifiers",
    ].map((key): [string, Attempt] => [
      `change a group's ${key}`,
      [update, group, { [`autoscaling:${key}`]: "another" }],
    ]),
  ])("cannot %s", (_, attempt) => {
    expect(permits(attempt)).toBe(false);
  });
});
