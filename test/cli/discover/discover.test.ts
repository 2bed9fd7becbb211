import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it as base, describe, expect, vi } from "vitest";
import { main } from "../../../cli/main.ts";
import { readClusterConfig } from "../../../lib/cluster-file/read-cluster-config.ts";
import { groupDefaults } from "../../../sandbox/aws/auto-scaling/group.ts";
import { account, aServedAccount } from "../../sandbox/aws-account.ts";
import { capturedIo } from "../captured-io.ts";
import { awsEnvironment } from "../connect/aws-environment.ts";
import { jsonLines } from "../json-lines-schema.ts";

const tagged = (key: string, value: string) => ({ key, value, propagated: true });
const owned = tagged("kubernetes.io/cluster/demo", "owned");

/** An account with a cluster and groups that the SDK finds by the environment; an empty folder. */
async function surroundings() {
  const { aws, server, key } = await aServedAccount();
  aws.eks.createCluster({
    name: "demo",
    version: "1.36",
    endpoint: "https://127.0.0.1:6443",
    certificateAuthority: "",
    authenticationMode: "API",
  });
  const zones = ["eu-west-1a"];
  const role = aws.iam.createRole({ name: "nodes", path: "/team/" });
  const { arn: profileArn } = aws.iam.createInstanceProfile({ name: "own", path: "/a/" }, [role]);
  const template = { ...groupDefaults.template, profileArn };
  aws.autoScaling.createGroup({ name: "workers", zones, tags: [owned], template });
  aws.autoScaling.createGroup({ name: "other", zones });
  const tags = [owned, tagged("eks:nodegroup-name", "ng")];
  aws.autoScaling.createGroup({ name: "eks-ng", zones, tags });
  for (const [name, value] of Object.entries(awsEnvironment(server.url, account.region, key)))
    vi.stubEnv(name, value);
  const cwd = mkdtempSync(join(tmpdir(), "discover-"));
  return { aws, template, io: capturedIo({ cwd }), cwd, path: join(cwd, "clusters", "demo.json") };
}

type Surroundings = Awaited<ReturnType<typeof surroundings>>;

const it = base.extend<{ world: Surroundings }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what a fixture needs.
  world: async ({}, use) => {
    const world = await surroundings();
    await use(world);
    vi.unstubAllEnvs();
    rmSync(world.cwd, { recursive: true });
  },
});

/** Creates an old group, whose instances come from a launch configuration with this profile. */
const launchByConfiguration = ({ aws, template }: Surroundings, profileArn: string) =>
  aws.autoScaling.createGroup({
    name: "old",
    zones: ["eu-west-1a"],
    tags: [owned],
    template: { ...template, kind: "configuration", name: "nodes-2019", profileArn },
  });

const stackLetsIn =
  'note: none of these roles has an access entry: with "launch": { "access": "at deployment" } the stack makes them, as for Linux nodes, and the function may let in nobody; an entry takes the place of all that aws-auth gives to its role\n';

const many = 210;

describe("discover", () => {
  it("writes a file that can be deployed, from what EKS and Auto Scaling say", async ({
    world,
  }) => {
    expect(await main(["discover", "demo"], world.io)).toBe(0);

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
    expect(world.io.err()).toBe(stackLetsIn);
    expect(world.io.out()).toContain("clusters/demo.json written\n  groups: workers\n");
    expect(world.io.out()).toContain(
      `\n  roles of nodes: arn:aws:iam::123456789012:role/team/nodes\n  launch templates: ${world.template.id}\n`,
    );
    expect(world.io.out()).toContain("next: npx cdk deploy -c cluster=demo\n");
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

    expect(await main(["discover", "demo"], world.io)).toBe(0);

    expect(world.io.err()).toBe("");
  });

  it("names the roles of nodes, and no access entries, where only aws-auth lets anybody in", async ({
    world,
  }) => {
    world.aws.eks.updateCluster("demo", { authenticationMode: "CONFIG_MAP" });

    expect(await main(["discover", "demo"], world.io)).toBe(0);

    const config = readClusterConfig(readFileSync(world.path, "utf8"), "demo.json");
    expect(config).toMatchObject({ nodeRoleArns: ["arn:aws:iam::123456789012:role/team/nodes"] });
    expect(world.io.err()).toBe("");
  });

  it("writes a file in which upgrades need no more than to be on", async ({ world }) => {
    await main(["discover", "demo"], world.io);
    const file = JSON.parse(readFileSync(world.path, "utf8")) as object;

    const config = readClusterConfig(JSON.stringify({ ...file, upgrades: "on" }), "demo.json");

    expect(config.upgrades).toBe("on");
  });

  it("prints its advice about a cluster, and nevertheless writes the cluster's file", async ({
    world,
  }) => {
    world.aws.eks.updateCluster("demo", { endpointAccess: "public" });

    expect(await main(["discover", "demo", "--json"], world.io)).toBe(0);

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

    expect(await main(["discover", "demo", "--json"], world.io)).toBe(0);

    expect(jsonLines(world.io)).toMatchObject([
      {
        file: expect.not.objectContaining({ nodeRoleArns: expect.anything() }),
        remarks: [
          `${why}: name the roles of the nodes in "nodeRoleArns", beside arn:aws:iam::123456789012:role/team/nodes; or the function may let in any role of the account`,
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

      expect(await main(["discover", "demo", "--json"], world.io)).toBe(0);

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

    expect(await main(["discover", "demo", "--json"], world.io)).toBe(0);

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

    expect(await main(["discover", "demo", "--json"], world.io)).toBe(0);

    expect(jsonLines(world.io)).toMatchObject([{ file: { groups: { length: many + 1 } } }]);
  });

  it("does not replace an existing file unless it is told to", async ({ world }) => {
    const { io, path } = world;
    await main(["discover", "demo"], io);
    const before = readFileSync(path, "utf8");
    world.aws.autoScaling.createGroup({ name: "gpu", zones: ["eu-west-1a"], tags: [owned] });

    expect(await main(["discover", "demo"], io)).toBe(2);
    expect(io.err()).toContain("clusters/demo.json is there already; --force replaces it");
    expect(readFileSync(path, "utf8")).toBe(before);

    expect(await main(["discover", "demo", "--force"], io)).toBe(0);
    expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ groups: ["workers", "gpu"] });
  });

  it("says what to do when there is no such cluster", async ({ world }) => {
    expect(await main(["discover", "prod", "--json"], world.io)).toBe(1);

    expect(jsonLines(world.io)).toMatchObject([{ kind: "error", code: "aws.refused" }]);

    expect(world.io.err()).toBe(
      "aws.refused: discovering cluster prod: HTTP 404 ResourceNotFoundException: No cluster found for name: prod.; name a cluster of this account and Region (--profile, --region)\n",
    );
  });

  it("looks in the Region that it is given, as every command does", async ({ world }) => {
    vi.stubEnv("AWS_REGION", undefined);
    const { io } = world;

    expect(await main(["discover", "demo", "--json", "--region", account.region], io)).toBe(0);
    expect(jsonLines(io)).toMatchObject([{ kind: "cluster", file: { groups: ["workers"] } }]);
  });

  it("says what to do when AWS does not know the caller", async ({ world }) => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIANOBODY");

    expect(await main(["discover", "demo"], world.io)).toBe(1);

    expect(world.io.err()).toMatch(
      /^AWS does not take the credentials: .*; sign in again, or give --profile\n$/,
    );
  });
});
