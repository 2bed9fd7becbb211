import { readFileSync } from "node:fs";
import { describe, expect, vi } from "vitest";
import { main } from "../../../cli/main.ts";
import { readClusterConfig } from "../../../lib/cluster-file/read-cluster-config.ts";
import { account } from "../../support/aws-account.ts";
import { capturedIo } from "../captured-io.ts";
import { jsonLines } from "../json-lines-schema.ts";
import { it, notes, owned, type Surroundings } from "./discovered-account.ts";

/** Creates an old group, whose instances come from a launch configuration with this profile. */
const launchByConfiguration = ({ aws, template }: Surroundings, profileArn: string) =>
  aws.autoScaling.createGroup({
    name: "old",
    zones: ["eu-west-1a"],
    tags: [owned],
    template: { ...template, kind: "configuration", name: "nodes-2019", profileArn },
  });

const stackLetsIn =
  'note: none of these roles has an access entry: with "launch": { "access": "at deployment" } the stack makes them, as for Linux nodes, and the function may register none; once a role has an entry, EKS ignores what aws-auth says about it\n';

const many = 210;

describe("what init finds", () => {
  it("writes a file that can be deployed, from what EKS and Auto Scaling say", async ({
    world,
  }) => {
    expect(await main(["init", "demo"], world.io)).toBe(0);

    const config = readClusterConfig(readFileSync(world.path, "utf8"), "demo.json");
    expect(config).toMatchObject({
      cluster: {
        name: "demo",
        region: account.region,
        account: account.id,
        partition: "aws",
        authenticationMode: "API",
      },
      groups: ["workers"],
      nodeRoleArns: ["arn:aws:iam::123456789012:role/team/nodes"],
      launchTemplateIds: [world.template.id],
    });
    expect(notes(world.io)).toBe(stackLetsIn);
    expect(world.io.out()).toContain("clusters/demo.json written, in dry run\n  groups: workers\n");
    expect(world.io.out()).toContain(
      `\n  roles of nodes: arn:aws:iam::123456789012:role/team/nodes\n  launch templates: ${world.template.id}\n`,
    );
    expect(config.drain).toMatchObject({ mode: "dry-run" });
    expect(world.io.out()).toContain("  npx cdk deploy -c cluster=demo\n");
  });

  it("leaves out a group that belongs to a service, and says so", async ({ world }) => {
    const { register } = world.aws.autoScaling;
    const zones = ["eu-west-1a"];
    world.aws.autoScaling.createGroup({ name: "theirs", zones, tags: [owned] });
    register.put({ ...register.findGroup("theirs"), operator: "batch.amazonaws.com" });

    expect(await main(["discover", "demo"], world.io)).toBe(0);

    const config = readClusterConfig(readFileSync(world.path, "utf8"), "demo.json");
    expect(config.groups).toEqual(["workers"]);
    expect(notes(world.io)).toContain(
      'note: group theirs belongs to the service batch.amazonaws.com (its Operator), which alone may change it: leave it out of "groups", because it gets no hooks',
    );
  });

  it("has advice for a cluster's file that the parameters of a template cannot follow, so init keeps it back", async ({
    world,
  }) => {
    const url = "https://a-eu-west-1.s3.eu-west-1.amazonaws.com/eks-node-lifecycle.template.json";

    expect(await main(["init", "demo", "--template", url], world.io)).toBe(0);

    expect(world.io.err()).not.toContain("at deployment");
  });

  it("does not advise to make an access entry that a role has already", async ({ world }) => {
    world.aws.eks.findCluster("demo").entries.create({
      principalArn: "arn:aws:iam::123456789012:role/team/nodes",
      type: "EC2_LINUX",
      username: undefined,
      groups: [],
      tags: {},
      clientToken: "",
    });

    expect(await main(["init", "demo"], world.io)).toBe(0);

    expect(notes(world.io)).toBe("");
  });

  it.for<[string, number, 0 | 1, RegExp]>([
    ["AccessDeniedException", 403, 0, /^$/],
    [
      "InvalidRequestException",
      400,
      1,
      /^aws\.refused: listing the access entries of cluster demo: HTTP 400 InvalidRequestException: No\.; /,
    ],
  ])(
    "does without access entries where the caller may not list them, and tells of any other failure: %s",
    async ([code, status, ended, said], { world: { aws, io } }) => {
      const listing = { service: "eks", action: "ListAccessEntries" };
      aws.faults.failNext(listing, { status, code, message: "No." }, { times: 3 });

      expect(await main(["init", "demo", "--json"], io)).toBe(ended);
      expect(io.err()).toMatch(said);
    },
  );

  it("names the roles of nodes, and no access entries, where only aws-auth lets anybody in", async ({
    world,
  }) => {
    world.aws.eks.updateCluster("demo", { authenticationMode: "CONFIG_MAP" });

    expect(await main(["init", "demo"], world.io)).toBe(0);

    const config = readClusterConfig(readFileSync(world.path, "utf8"), "demo.json");
    expect(config).toMatchObject({ nodeRoleArns: ["arn:aws:iam::123456789012:role/team/nodes"] });
    expect(notes(world.io)).toBe("");
  });

  it("prints its advice about a cluster, and nevertheless writes the cluster's file", async ({
    world,
  }) => {
    world.aws.eks.updateCluster("demo", { endpointAccess: "public" });

    expect(await main(["init", "demo", "--json"], world.io)).toBe(0);

    expect(world.io.err()).toBe(
      `note: the API server has no private endpoint: the function reaches the public one through a NAT gateway of its subnets, and no other way\n${stackLetsIn}`,
    );
    expect(jsonLines(world.io)).toMatchObject([
      {
        kind: "cluster",
        file: { cluster: { name: "demo" } },
        remarks: [
          expect.stringContaining("private endpoint"),
          expect.stringContaining('"access": "at deployment"'),
        ],
      },
    ]);
  });

  it.for<[string, (world: Surroundings) => string]>([
    ["gpu has no instance profile", () => ""],
    [
      "aws.refused: looking for the roles of nodes: HTTP 404 NoSuchEntityException: Instance Profile gone cannot be found.",
      () => "arn:aws:iam::123456789012:instance-profile/gone",
    ],
    [
      "gpu has no instance profile",
      ({ aws }) => aws.iam.createInstanceProfile({ name: "empty", path: "/" }, []).arn,
    ],
  ])("names no role of nodes rather than some of them: %s", async ([why, profileOf], { world }) => {
    const template = {
      ...world.template,
      id: "lt-0a1b2c3d4e5f60719",
      profileArn: profileOf(world),
    };
    world.aws.autoScaling.createGroup({
      name: "gpu",
      zones: ["eu-west-1a"],
      tags: [owned],
      template,
    });

    expect(await main(["init", "demo", "--json"], world.io)).toBe(0);

    expect(jsonLines(world.io)).toMatchObject([
      {
        file: expect.not.objectContaining({ nodeRoleArns: expect.anything() }),
        remarks: [
          `${why}: name the roles of the nodes in "nodeRoleArns", beside arn:aws:iam::123456789012:role/team/nodes; or a deployment in which the function registers nodes is refused`,
        ],
      },
    ]);
  });

  it.for<[string, (world: Surroundings) => string]>([
    ["by its ARN", ({ template: { profileArn } }) => profileArn],
    ["by its name", () => "own"],
  ])(
    "finds the role of a group with a launch configuration, which names its profile %s",
    async ([, profileOf], { world }) => {
      launchByConfiguration(world, profileOf(world));

      expect(await main(["init", "demo", "--json"], world.io)).toBe(0);

      expect(jsonLines(world.io)).toMatchObject([
        {
          file: {
            groups: ["workers", "old"],
            nodeRoleArns: ["arn:aws:iam::123456789012:role/team/nodes"],
          },
        },
      ]);
    },
  );

  it("says that aws-auth needs the roles of nodes, if a launch configuration names no profile", async ({
    world,
  }) => {
    world.aws.eks.updateCluster("demo", { authenticationMode: "CONFIG_MAP" });
    launchByConfiguration(world, "");

    expect(await main(["init", "demo", "--json"], world.io)).toBe(0);

    expect(jsonLines(world.io)).toMatchObject([
      {
        file: expect.not.objectContaining({ nodeRoleArns: expect.anything() }),
        remarks: [
          expect.stringMatching(
            /^old has no instance profile: name the roles .*; the function may map no others in aws-auth$/,
          ),
        ],
      },
    ]);
  });

  it("finds the groups of every page", async ({ world }) => {
    for (let number = 0; number < many; number += 1)
      world.aws.autoScaling.createGroup({
        name: `more-${number}`,
        zones: ["eu-west-1a"],
        tags: [owned],
      });

    expect(await main(["init", "demo", "--json"], world.io)).toBe(0);

    expect(jsonLines(world.io)).toMatchObject([{ file: { groups: { length: many + 1 } } }]);
  });

  it("says what to do when there is no such cluster", async ({ world }) => {
    expect(await main(["init", "prod", "--json"], world.io)).toBe(1);

    expect(jsonLines(world.io)).toMatchObject([{ kind: "error", code: "aws.refused" }]);

    expect(world.io.err()).toBe(
      "aws.refused: discovering cluster prod: HTTP 404 ResourceNotFoundException: No cluster found for name: prod.; name a cluster of this account and Region (--profile, --region)\n",
    );
  });

  it("looks in the Region that it is given, as every command does", async ({ world }) => {
    vi.stubEnv("AWS_REGION", undefined);
    const { io } = world;

    expect(await main(["init", "demo", "--json", "--region", account.region], io)).toBe(0);
    expect(jsonLines(io)).toMatchObject([{ kind: "cluster", file: { groups: ["workers"] } }]);
  });

  it.for([[], ["--json"]])(
    "looks in the Region of its file where no other is known, with %j",
    async (words, { world }) => {
      await main(["init", "demo"], world.io);
      vi.stubEnv("AWS_REGION", undefined);
      const io = capturedIo({ cwd: world.cwd });

      expect(await main(["init", "demo", "--update", ...words], io), io.err()).toBe(0);
      expect(io.out()).toMatch(
        /^clusters\/demo\.json has all of it already|"groups":\["workers"\]/,
      );
    },
  );
});
