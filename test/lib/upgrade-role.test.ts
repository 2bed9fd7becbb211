import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { EC2Client } from "@aws-sdk/client-ec2";
import { beforeAll, describe, expect, it } from "vitest";
import { AwsFleets } from "../../lambda/adapters/aws/fleets/aws-fleets.ts";
import { Ec2LaunchTemplates } from "../../lambda/adapters/aws/fleets/ec2-launch-templates.ts";
import { lateImages } from "../../lambda/adapters/aws/fleets/late-images.ts";
import { type StackTemplate, templateSchema } from "../../sandbox/stack/template-schema.ts";
import { account, start } from "../sandbox/aws-account.ts";
import { foreign, groupsFor, others, own, workers } from "./groups-for.ts";
import { ownStack } from "./own-stack.ts";

const image = "ami-0123456789abcdef0";
const published =
  "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/x86_64/standard/recommended/image_id";

let template: StackTemplate;
beforeAll(() => {
  const nodeRoles = [`arn:aws:iam::${account.id}:role/nodes`];
  const props = { upgrades: "on", launchTemplates: [own.id], nodeRoles } as const;
  template = templateSchema.parse(ownStack(() => props).template.toJSON());
});

/** The adapters of the upgrade function with the rights of its role. */
async function theFunction() {
  const { aws, settings, instanceOf } = await groupsFor(template, "UpgradesUpgradeRole");
  aws.parameters.put(published, image);
  const ec2 = new EC2Client(settings);
  return {
    instanceOf,
    fleets: new AwsFleets(new AutoScalingClient(settings)),
    templates: new Ec2LaunchTemplates(ec2),
    images: lateImages(ec2, settings),
  };
}

const made = (id: string) =>
  ({ from: { template: id, version: 1 }, image, description: "new", token: "t" }) as const;

describe("the role of the upgrade function", () => {
  it("suffices for all that an upgrade does to a managed group", async () => {
    const { fleets, templates, images, instanceOf } = await theFunction();
    const key = "eks-node-lifecycle/upgrade";

    const version = await templates.make(made(own.id));
    await fleets.tag(workers, { [key]: "id=1" });
    await fleets.launchBy(workers, version);
    await fleets.resize(workers, { max: 4, desired: 2 });
    expect(await fleets.terminate(instanceOf(workers), "kept")).toBe("terminating");
    await fleets.untag(workers, [key]);

    expect(await fleets.fleet(workers)).toMatchObject({ tags: {}, sizes: { desired: 2 } });
    expect(await fleets.failures(workers, start)).toEqual([]);
    expect(await fleets.refresh(workers)).toBe("none");
    expect(await templates.version(version)).toMatchObject({ version: 2 });
    expect(await images.image(image)).toMatchObject({ state: "available" });
    expect(await images.imageIn(published)).toBe(image);
  });

  type Deed = (by: Awaited<ReturnType<typeof theFunction>>) => Promise<unknown>;
  it.each<[string, Deed]>([
    ["resize another group", ({ fleets }) => fleets.resize(others, { max: 4 })],
    [
      "end an instance of another group",
      ({ fleets, instanceOf }) => fleets.terminate(instanceOf(others), "kept"),
    ],
    [
      "tag another group",
      ({ fleets }) => fleets.tag(others, { "eks-node-lifecycle/upgrade": "a" }),
    ],
    [
      "change a setting of the drain",
      ({ fleets }) => fleets.tag(workers, { "eks-node-lifecycle/drain": "off" }),
    ],
    [
      "remove a setting of the drain",
      ({ fleets }) => fleets.untag(workers, ["eks-node-lifecycle/drain"]),
    ],
    ["add a version to another template", ({ templates }) => templates.make(made(foreign.id))],
    [
      "launch by another template",
      ({ fleets }) => fleets.launchBy(workers, { template: foreign.id, version: 1 }),
    ],
    ["read a parameter of the account", ({ images }) => images.imageIn("/own/secret")],
  ])("does not let it %s", async (_, deed) => {
    await expect(deed(await theFunction())).rejects.toMatchObject({ code: "aws.denied" });
  });
});
