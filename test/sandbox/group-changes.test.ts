import {
  CreateOrUpdateTagsCommand,
  DeleteTagsCommand,
  TerminateInstanceInAutoScalingGroupCommand,
  UpdateAutoScalingGroupCommand,
} from "@aws-sdk/client-auto-scaling";
import {
  CreateLaunchTemplateVersionCommand,
  DescribeLaunchTemplateVersionsCommand,
} from "@aws-sdk/client-ec2";
import { describe, expect, it } from "vitest";
import { minutes, seconds } from "../../lambda/base/time.ts";
import type { PrincipalRequest } from "../../sandbox/aws/aws.ts";
import { type GroupSpec, groupDefaults } from "../../sandbox/aws/group.ts";
import { aServedAccount } from "../support/aws-account.ts";

const template = groupDefaults.template.id;
const zones = ["eu-west-1a", "eu-west-1b"];
const byLatest = { LaunchTemplateId: template, Version: "$Latest" };
const source = { LaunchTemplateId: template, SourceVersion: "1" };
const named = { AutoScalingGroupName: "workers" };
const tag = { ResourceId: "workers", ResourceType: "auto-scaling-group", Key: "a", Value: "b" };

async function aGroup(spec: Partial<GroupSpec> = {}) {
  const account = await aServedAccount();
  const { aws, autoScaling, ec2, timeline } = account;
  const usual = { min: 1, max: 6, desired: 4, launches: "by-itself" } as const;
  aws.autoScaling.createGroup({ name: "workers", zones, ...usual, ...spec });
  timeline.pass(seconds(1));
  const asked: Omit<PrincipalRequest, "principal">[] = [];
  aws.authorize = ({ principal: _, ...request }) => {
    asked.push(request);
    return "allowed";
  };
  const update = (change: object) =>
    autoScaling.send(new UpdateAutoScalingGroupCommand({ ...named, ...change }));
  const version = (image: string, ClientToken = image) =>
    ec2.send(
      new CreateLaunchTemplateVersionCommand({
        ...source,
        ClientToken,
        LaunchTemplateData: { ImageId: image },
      }),
    );
  const instances = () =>
    aws.autoScaling.register
      .instancesOf("workers")
      .filter(({ state }) => state === "InService")
      .map(({ zone, template: { version: number } }) => `${zone.at(-1)}${number}`);
  return { ...account, asked, update, version, instances };
}

describe("a group that is made smaller", () => {
  it("loses instances of old versions first, as long as its zones stay balanced", async () => {
    const { update, version, instances, timeline } = await aGroup();
    expect(instances()).toEqual(["a1", "b1", "a1", "b1"]);
    await version("ami-0fedcba9876543210");
    await update({ LaunchTemplate: byLatest, DesiredCapacity: 6 });
    timeline.pass(seconds(1));
    expect(instances()).toEqual(["a1", "b1", "a1", "b1", "a2", "b2"]);

    await update({ DesiredCapacity: 3 });
    timeline.pass(minutes(1));

    expect(instances()).toEqual(["b1", "a2", "b2"]);
  });

  it.each([
    [
      { DesiredCapacity: 9 },
      "Desired capacity:9 must be between the specified min size:1 and max size:6",
    ],
    [
      { LaunchTemplate: { ...byLatest, Version: "7" } },
      "You must use a valid fully-formed launch template. Could not find the specified version 7",
    ],
  ])("is not by %j", async (change, words) => {
    const { update } = await aGroup();

    await expect(update(change)).rejects.toMatchObject({
      name: "ValidationError",
      message: expect.stringContaining(words),
    });
  });
});

describe("a group that cannot launch", () => {
  it("launches in another zone, and in all again once there is capacity", async () => {
    const { aws, update, instances, timeline } = await aGroup({ desired: 2 });
    aws.autoScaling.failures.plan({ why: "capacity", zones: ["eu-west-1a"] });
    await update({ DesiredCapacity: 3 });
    timeline.pass(seconds(1));
    expect(instances()).toEqual(["a1", "b1", "b1"]);

    aws.autoScaling.failures.plan({ why: "limit" });
    await update({ DesiredCapacity: 4 });
    timeline.pass(seconds(59));
    expect(instances()).toHaveLength(3);

    aws.autoScaling.failures.clear();
    timeline.pass(seconds(2));
    expect(instances()).toEqual(["a1", "b1", "b1", "a1"]);
  });
});

describe("versions of a launch template", () => {
  it("are told by numbers and names, the newest first, or all of them", async () => {
    const { ec2, version } = await aGroup();
    await version("ami-0fedcba9876543210");
    await version("ami-0fedcba9876543211");
    const told = async (Versions?: string[]) => {
      const request = { LaunchTemplateId: template, Versions };
      const { LaunchTemplateVersions: found = [] } = await ec2.send(
        new DescribeLaunchTemplateVersionsCommand(request),
      );
      return found.map(({ VersionNumber, DefaultVersion }) => [VersionNumber, DefaultVersion]);
    };

    expect(await told()).toEqual([
      [3, false],
      [2, false],
      [1, true],
    ]);
    expect(await told(["$Latest", "$Default", "2"])).toEqual([
      [3, false],
      [1, true],
      [2, false],
    ]);
  });
});

describe("the rights that a change needs", () => {
  const launchTemplate = `arn:aws:ec2:eu-west-1:123456789012:launch-template/${template}`;

  it("are those to the group, with its tags, and the keys of the tags that are written", async () => {
    const tags = [{ key: "team", value: "ours", propagated: false }];
    const { aws, autoScaling, asked, update } = await aGroup({ tags });
    const { arn: resource } = aws.autoScaling.register.findGroup("workers");
    const ofGroup = { "autoscaling:ResourceTag/team": "ours", "aws:ResourceTag/team": "ours" };

    await update({ MaxSize: 7 });
    await autoScaling.send(new CreateOrUpdateTagsCommand({ Tags: [tag, { ...tag, Key: "c" }] }));
    await autoScaling.send(new DeleteTagsCommand({ Tags: [{ ...tag, Value: undefined }] }));
    const [first] = aws.autoScaling.register.instances();
    const ended = { InstanceId: first?.id ?? "", ShouldDecrementDesiredCapacity: false };
    await autoScaling.send(new TerminateInstanceInAutoScalingGroupCommand(ended));

    expect(asked).toEqual([
      { action: "autoscaling:UpdateAutoScalingGroup", resource, context: ofGroup },
      {
        action: "autoscaling:CreateOrUpdateTags",
        resource,
        context: {
          ...ofGroup,
          "aws:RequestTag/a": "b",
          "aws:RequestTag/c": "b",
          "aws:TagKeys": ["a", "c"],
        },
      },
      {
        action: "autoscaling:DeleteTags",
        resource,
        context: expect.objectContaining({ ...ofGroup, "aws:TagKeys": ["a"] }),
      },
      {
        action: "autoscaling:TerminateInstanceInAutoScalingGroup",
        resource,
        context: expect.objectContaining(ofGroup),
      },
    ]);
  });

  it("are those to launch by the template and to pass its role, where a template is named", async () => {
    const { aws, asked, update, version } = await aGroup();
    const role = aws.iam.createRole({ name: "nodes", path: "/" });
    const { arn } = aws.iam.createInstanceProfile({ name: "nodes", path: "/" }, [role]);
    const own = { ...groupDefaults.template, id: "lt-0fedcba9876543210", profileArn: arn };
    aws.templates.adopt(own);
    await version("ami-0fedcba9876543210");
    const run = {
      action: "ec2:RunInstances",
      resource: "arn:aws:ec2:eu-west-1:123456789012:instance/*",
    };

    await update({ LaunchTemplate: byLatest });
    const LaunchTemplateSpecification = { LaunchTemplateId: own.id };
    const Overrides = [{ InstanceType: "m7g.large", LaunchTemplateSpecification }];
    const LaunchTemplate = { LaunchTemplateSpecification: byLatest, Overrides };
    await update({ MixedInstancesPolicy: { LaunchTemplate } });

    const runBy = (arn: string) => ({
      ...run,
      context: expect.objectContaining({
        "aws:ViaAWSService": "true",
        "ec2:LaunchTemplate": arn,
      }),
    });
    const shown = asked.filter(
      ({ action, resource }) =>
        !action.startsWith("autoscaling") && (action !== run.action || resource === run.resource),
    );
    expect(shown).toEqual([
      { action: "ec2:CreateLaunchTemplateVersion", resource: launchTemplate },
      runBy(launchTemplate),
      runBy(launchTemplate),
      runBy(launchTemplate.replace(template, own.id)),
      {
        action: "iam:PassRole",
        resource: role.arn,
        context: { "iam:PassedToService": "ec2.amazonaws.com" },
      },
    ]);
  });
});
