import { beforeAll, describe, expect, it } from "vitest";
import { AwsFleets } from "../../lambda/adapters/aws/fleets/aws-fleets.ts";
import { Ec2LaunchTemplates } from "../../lambda/adapters/aws/fleets/ec2-launch-templates.ts";
import { lateImages } from "../../lambda/adapters/aws/fleets/late-images.ts";
import { groupName, instanceId } from "../../lambda/domain/ids.ts";
import { hours, seconds } from "../../lambda/domain/time.ts";
import { groupDefaults } from "../../sandbox/aws/auto-scaling/group.ts";
import { StackNames } from "../../sandbox/stack/stack-names.ts";
import { StackPolicies } from "../../sandbox/stack/stack-policies.ts";
import { StackResources } from "../../sandbox/stack/stack-resources.ts";
import { type StackTemplate, templateSchema } from "../../sandbox/stack/template-schema.ts";
import { account, aServedAccount, clientsOf, start } from "../sandbox/aws-account.ts";
import { ownStack } from "./own-stack.ts";

const [workers, others] = [groupName("workers"), groupName("others")];
const own = groupDefaults.template;
const foreign = { ...own, id: "lt-0fedcba9876543210", name: "foreign" };
const image = "ami-0123456789abcdef0";
const published =
  "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/x86_64/standard/recommended/image_id";

let template: StackTemplate;
beforeAll(() => {
  const nodeRoles = [`arn:aws:iam::${account.id}:role/nodes`];
  const props = { upgrades: "on", launchTemplates: [own.id], nodeRoles } as const;
  template = templateSchema.parse(ownStack(() => props).template.toJSON());
});

/** The adapters of the upgrade function with the rights of its role, and two groups, of which one is managed. */
async function theFunction() {
  const { aws, server, timeline } = await aServedAccount();
  const names = new StackNames(template, { account, queueUrl: (name) => name });
  const policies = new StackPolicies(new StackResources(template), names);
  const name = Object.keys(template.Resources).find((id) =>
    /^\w*UpgradesUpgradeRole[0-9A-F]{8}$/.test(id),
  );
  const role = aws.iam.createRole({ name: name ?? "", path: "/" });
  const nodes = aws.iam.createRole({ name: "nodes", path: "/" });
  const { arn: profileArn } = aws.iam.createInstanceProfile({ name: "nodes", path: "/" }, [nodes]);
  const usual = { zones: ["eu-west-1a"], desired: 1, launches: "by-itself" } as const;
  aws.autoScaling.createGroup({ name: workers, ...usual, template: { ...own, profileArn } });
  aws.autoScaling.createGroup({ name: others, ...usual, template: foreign });
  timeline.pass(seconds(1));
  aws.parameters.put(published, image);
  aws.authorize = (request) => (policies.authorize(request) === "allowed" ? "allowed" : "denied");
  const key = aws.keys.assume({ role, sessionName: "upgrade", duration: hours(1) });
  const { autoScaling, ec2 } = clientsOf(server.url, key);
  const settings = { endpoint: server.url, region: account.region, credentials: key };
  return {
    instanceOf: (group: string) =>
      instanceId(aws.autoScaling.register.instancesOf(group)[0]?.id ?? ""),
    fleets: new AwsFleets(autoScaling),
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
