import { describe, expect, it } from "vitest";
import { minutes } from "../../lambda/base/time.ts";
import type { EntryType } from "../../sandbox/aws/access-entries.ts";
import { LaunchWorld, launched } from "../world/launch-world.ts";

const mapped = `- groups:
  - system:bootstrappers
  - system:nodes
  rolearn: arn:aws:iam::123456789012:role/node
  username: system:node:{{EC2PrivateDNSName}}
`;
const withOwnGroup = mapped.replace("  rolearn", "  - owners:group\n  rolearn");
const administrator = mapped.replace(/username: .*/, "username: admin");
const unreadable = "- groups:\n  -\tsystem:masters\n";

/** A launch in the mode in which both access entries and `aws-auth` count. */
async function launchWith(
  mapRoles: string,
  platform: "linux" | "windows",
  entry: EntryType | "no entry" = "no entry",
) {
  const world = new LaunchWorld({ settings: { NODE_ACCESS: "auto" }, mapRoles, platform });
  world.aws.eks.updateCluster("demo", { authenticationMode: "API_AND_CONFIG_MAP" });
  const { entries } = world.aws.eks.findCluster("demo");
  world.launch();
  if (entry !== "no entry")
    entries.create({
      principalArn: launched.roleArn,
      type: entry,
      username: undefined,
      groups: [],
      tags: {},
      clientToken: "",
    });
  world.join();
  await world.work(minutes(30));
  const made = entries.all().filter(({ principalArn }) => principalArn === launched.roleArn);
  const [outcome] = world
    .told("notice-done")
    .map(({ outcome: { kind } }) => kind)
    .filter((kind) => kind !== "tested");
  return {
    outcome,
    entry: made.map(({ type }) => type).join() || "no entry",
    fault: world.told("fault").at(0)?.code ?? "none",
    message: world.told("fault").at(0)?.message ?? "",
    isMapKept: world.mapRoles === mapRoles,
  };
}

describe("a role that aws-auth and access entries may both map", () => {
  it.each([
    { what: "aws-auth does not map", mapRoles: "", entry: "EC2_LINUX" },
    {
      what: "aws-auth maps with its path, which does not count",
      mapRoles: mapped.replace("role/", "role/team/"),
      entry: "EC2_LINUX",
    },
    { what: "aws-auth maps to Linux nodes, for Windows", mapRoles: mapped, entry: "EC2_WINDOWS" },
    { what: "an unreadable aws-auth does not name", mapRoles: unreadable, entry: "EC2_LINUX" },
    {
      what: "an unreadable aws-auth names, which the authenticator may drop whole",
      mapRoles: unreadable + mapped,
      entry: "EC2_LINUX",
    },
  ])("gets an access entry if it is one that $what", async ({ mapRoles, entry }) => {
    const platform = entry === "EC2_WINDOWS" ? "windows" : "linux";
    expect(await launchWith(mapRoles, platform)).toMatchObject({
      outcome: "joined",
      fault: "none",
      entry,
      isMapKept: true,
    });
  });

  it.each<[string, string]>([
    ["to nodes", mapped],
    ["to nodes in a group of the owner's", withOwnGroup],
    ["to nodes, in capitals", mapped.replace("role/node", "ROLE/Node")],
    [
      "to nodes that are named after their instances",
      mapped.replace("EC2PrivateDNSName", "SessionName"),
    ],
  ])("gets no access entry if aws-auth maps it %s", async (_, mapRoles) => {
    expect(await launchWith(mapRoles, "linux")).toMatchObject({
      outcome: "joined",
      fault: "none",
      entry: "no entry",
      isMapKept: true,
    });
  });

  it.each([
    {
      what: "an administrator",
      mapRoles: administrator,
      fault: "access.taken",
      why: /line 4 maps it to "admin"/,
    },
    {
      what: "an administrator, in capitals",
      mapRoles: administrator.replace("role/node", "role/NODE"),
      fault: "access.taken",
      why: /line 4 maps it to "admin"/,
    },
    {
      what: "nodes in a group of the owner's, for Windows",
      mapRoles: withOwnGroup,
      fault: "access.incomplete",
      why: /line 5 lacks eks:kube-proxy-windows; .* take owners:group from its nodes/,
    },
    {
      what: "nodes that are named after their instances, for Windows",
      mapRoles: mapped.replace("EC2PrivateDNSName", "SessionName"),
      fault: "access.incomplete",
      why: /take system:node:\{\{SessionName\}\} from/,
    },
  ])(
    "is left alone, with a fault and a node that joins all the same, if aws-auth maps it to $what",
    async ({ mapRoles, fault, why }) => {
      expect(await launchWith(mapRoles, "windows")).toMatchObject({
        outcome: "joined",
        entry: "no entry",
        isMapKept: true,
        fault,
        message: expect.stringMatching(why),
      });
    },
  );

  it("is a fault if aws-auth is right, but an access entry that goes first is not", async () => {
    expect(await launchWith(mapped, "linux", "STANDARD")).toMatchObject({
      outcome: "joined",
      fault: "access.wrong-type",
      entry: "STANDARD",
    });
  });

  it.each<[string, string]>([
    ["an administrator", administrator],
    ["nodes in a group of the owner's", withOwnGroup],
  ])(
    "is registered by an access entry that goes before what aws-auth says: %s",
    async (_, mapRoles) => {
      expect(await launchWith(mapRoles, "windows", "EC2_WINDOWS")).toMatchObject({
        outcome: "joined",
        fault: "none",
        isMapKept: true,
      });
    },
  );
});
