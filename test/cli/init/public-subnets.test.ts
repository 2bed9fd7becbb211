import { readFileSync, writeFileSync } from "node:fs";
import type { Route } from "@aws-sdk/client-ec2";
import { describe, expect } from "vitest";
import { main } from "../../../cli/main.ts";
import { capturedIo } from "../captured-io.ts";
import { it, notes, type Surroundings } from "./discovered-account.ts";

const [one, other] = ["subnet-0a1b2c3d4e5f60718", "subnet-0b1c2d3e4f5061728"];
const vpc = "vpc-0a1b2c3d4e5f60718";
const to = (gateway: Partial<Route>): Route => ({
  DestinationCidrBlock: "0.0.0.0/0",
  State: "active",
  ...gateway,
});
const internet = to({ GatewayId: "igw-0123456789abcdef0" });
const nat = to({ NatGatewayId: "nat-0123456789abcdef0" });
const local = to({ DestinationCidrBlock: "10.0.0.0/16", GatewayId: "local" });

/** Adds a route table of the VPC for these subnets, or the main one. */
function addTable({ aws }: Surroundings, subnets: readonly string[] | "main", ...routes: Route[]) {
  const Associations =
    subnets === "main" ? [{ Main: true }] : subnets.map((SubnetId) => ({ Main: false, SubnetId }));
  const { routeTables } = aws.records;
  routeTables.set(`rtb-${routeTables.size}`, {
    VpcId: vpc,
    Associations,
    Routes: [local, ...routes],
  });
}

const subnetsIn = ({ path }: Surroundings) =>
  (JSON.parse(readFileSync(path, "utf8")) as { cluster: { subnetIds: string[] } }).cluster
    .subnetIds;

const leftOut = (id: string) =>
  `note: ${id} is public: left out, because a function there reaches no API\n`;

describe("a first file", () => {
  it("leaves out a subnet that only an internet gateway leads out of, and says so", async ({
    world,
  }) => {
    addTable(world, [one], internet);
    addTable(world, [other], nat);

    expect(await main(["init", "demo"], world.io)).toBe(0);

    expect(subnetsIn(world)).toEqual([other]);
    expect(notes(world.io)).toContain(leftOut(one));
  });

  it("takes the main route table of the VPC for a subnet that names none", async ({ world }) => {
    addTable(world, "main", internet);
    addTable(world, [other], nat);

    expect(await main(["init", "demo"], world.io)).toBe(0);

    expect(subnetsIn(world)).toEqual([other]);
  });

  it.for<[string, readonly Route[]]>([
    ["without a way out, which endpoints may serve", []],
    [
      "with a way out by IPv6 alone",
      [to({ DestinationCidrBlock: "::/0", EgressOnlyInternetGatewayId: "eigw-0123456789abcdef0" })],
    ],
    [
      "with a way out beside an internet gateway for some addresses",
      [nat, { ...internet, DestinationCidrBlock: "192.0.2.0/24" }],
    ],
  ])("keeps a subnet %s", async ([, routes], { world }) => {
    addTable(world, "main", ...routes);

    expect(await main(["init", "demo"], world.io)).toBe(0);

    expect(subnetsIn(world)).toEqual([one, other]);
    expect(notes(world.io)).not.toContain("public");
  });

  it.for([[], ["--json"], ["--all"]])(
    "is not written where all subnets are public, and the ways out are named: %j",
    async (options, { world }) => {
      addTable(world, "main", internet);
      const names = options.includes("--all") ? [] : ["demo"];

      expect(await main(["init", ...names, ...options], world.io)).toBe(1);

      expect(world.io.err()).toContain(
        `all subnets of the cluster are public (${one}, ${other}), and a function in one reaches no API; add a subnet to the cluster with a route to a NAT gateway, or one without a way out with "privateEndpoints"`,
      );
      expect(() => subnetsIn(world)).toThrow("ENOENT");
    },
  );

  it("has no public subnet among the parameters of the template", async ({ world }) => {
    addTable(world, [one], internet);
    const url = "https://a-eu-west-1.s3.eu-west-1.amazonaws.com/eks-node-lifecycle.template.json";

    expect(await main(["init", "demo", "--template", url], world.io)).toBe(0);

    const hcl = readFileSync(`${world.cwd}/demo.tf`, "utf8");
    expect(hcl).toMatch(new RegExp(`SubnetIds += "${other}"\n`));
  });

  it("has all subnets where the route tables may not be read, and says which right is missing", async ({
    world,
  }) => {
    world.aws.authorize = ({ action }) =>
      action === "ec2:DescribeRouteTables" ? "denied" : "allowed";

    expect(await main(["init", "demo"], world.io)).toBe(0);

    expect(subnetsIn(world)).toEqual([one, other]);
    expect(notes(world.io)).toMatch(
      /^note: which subnets are public is not known, so none is left out: .*ec2:DescribeRouteTables/m,
    );
  });
});

describe("a file that is brought up to date", () => {
  it("keeps the subnets that its owner has named, and tells of public ones", async ({ world }) => {
    await main(["init", "demo"], world.io);
    const file = readFileSync(world.path, "utf8").replace(other, "subnet-0ccccccccccccccc3");
    writeFileSync(world.path, file);
    addTable(world, "main", internet);
    const io = capturedIo({ cwd: world.cwd });

    expect(await main(["init", "demo", "--update"], io)).toBe(0);

    expect(readFileSync(world.path, "utf8")).toBe(file);
    expect(notes(io)).toContain(
      "note: subnet-0ccccccccccccccc3 is public: take it out, because a function there reaches no API\n",
    );
  });
});
