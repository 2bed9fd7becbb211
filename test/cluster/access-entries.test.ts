import { EKSClient } from "@aws-sdk/client-eks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AccessEntries } from "../../lambda/aws/access-entries.ts";
import { RoleRegistration } from "../../lambda/aws/node-access.ts";
import { tryRoleArn } from "../../lambda/base/role-arn.ts";
import type { Platform } from "../../lambda/drain/ec2-instance.ts";
import { roleInMap } from "../../lambda/launch/aws-auth/role-in-map.ts";
import { type NodeRole, nodeMapping } from "../../lambda/launch/node-mapping.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { withoutPath } from "../../sandbox/aws/canonical-arn.ts";
import { account, arnOf } from "../launch/aws-auth/corpus.ts";
import { JudgedCluster } from "./judged-cluster.ts";

const clusterName = "demo";
const patience = { timeout: 10_000, interval: 50 };

/** Copies EKS's access entries to the file that the authenticator reads. */
function keepEntries({ aws, controlPlane }: JudgedCluster): void {
  const { entries } = aws.eks.createCluster({
    name: clusterName,
    version: "1.36",
    endpoint: controlPlane.url,
    certificateAuthority: controlPlane.certificateAuthority,
    authenticationMode: "API_AND_CONFIG_MAP",
  });
  entries.onChange(() => {
    const mappings = entries.all().map(({ principalArn, username, groups }) => ({
      rolearn: withoutPath(principalArn),
      username,
      groups,
    }));
    void controlPlane.setAccessEntries(mappings);
  });
}

const eksOf = ({ aws, awsUrl: endpoint }: JudgedCluster, user: string): EKSClient =>
  new EKSClient({ endpoint, region: aws.account.region, credentials: aws.keys.addUser(user) });

describe("a role with an access entry, before the authenticator", () => {
  let cluster: JudgedCluster;

  beforeAll(async () => {
    cluster = await JudgedCluster.start(account, ["one", "two"]);
    await cluster.write("");
    keepEntries(cluster);
  });
  afterAll(async () => cluster.stop());

  it.each([
    ["one", "linux", ["system:nodes"]],
    ["two", "windows", ["eks:kube-proxy-windows", "system:nodes"]],
  ] as const)(
    "is unknown without the entry, and a node with it: %s, %s",
    async (name, platform: Platform, groups) => {
      const { arn } = cluster.aws.iam.createRole({ name, path: "/team/" });
      const eks = eksOf(cluster, `function-${name}`);
      const verdict = async () => (await cluster.verdicts()).get(name);
      expect(await verdict()).toBe("refused");

      await new AccessEntries({ eks, clusterName, clock: systemClock }).register({ arn, platform });

      const username = `system:node:${cluster.nodeName(name)}`;
      await expect.poll(verdict, patience).toEqual({ username, groups });
    },
  );
});

const mapped = (role: string, username: string, group: string) =>
  `- rolearn: ${arnOf(role)}\n  username: ${username}\n  groups: [system:bootstrappers, system:nodes, ${group}]\n`;
const nodeName = "system:node:{{EC2PrivateDNSName}}";
const mapRoles =
  mapped("plain", nodeName, "system:nodes") +
  mapped("owned", nodeName, "owners:group") +
  mapped("person", "admin", "system:masters");

describe("a role that aws-auth maps, in the mode in which access entries go first", () => {
  let cluster: JudgedCluster;
  let registration: RoleRegistration;

  beforeAll(async () => {
    const roles = ["plain", "owned", "person"];
    cluster = await JudgedCluster.start(account, roles);
    for (const name of roles) cluster.aws.iam.createRole({ name, path: "/" });
    keepEntries(cluster);
    await cluster.write(mapRoles);
    const eks = eksOf(cluster, "function");
    registration = new RoleRegistration({
      eks,
      clusterName,
      nodeAccess: "auto",
      clock: systemClock,
      entries: new AccessEntries({ eks, clusterName, clock: systemClock }),
      awsAuth: {
        standing: async (role) => ({ standing: standingOf(role), version: "1" }),
        register: () => Promise.reject(new Error("nothing is to be written in this mode")),
      },
    });
  });
  afterAll(async () => cluster.stop());

  function standingOf({ arn, platform }: NodeRole) {
    const role = tryRoleArn(arn);
    if (role === undefined) throw new Error(`${arn} is not the ARN of a role`);
    return roleInMap(mapRoles, nodeMapping(role, platform));
  }

  const verdict = async (role: string) => (await cluster.verdicts()).get(role);

  it("becomes one of Windows nodes too, and loses nothing", async () => {
    await registration.register({ arn: arnOf("plain"), platform: "windows" });

    await expect
      .poll(() => verdict("plain"), patience)
      .toMatchObject({
        username: `system:node:${cluster.nodeName("plain")}`,
        groups: expect.arrayContaining(["eks:kube-proxy-windows", "system:nodes"]),
      });
  });

  it.each([
    ["owned", "access.incomplete", "owners:group"],
    ["person", "access.taken", "system:masters"],
  ] as const)("keeps what it has, with a fault: %s, %s", async (role, code, group) => {
    const before = await verdict(role);
    const registered = registration.register({ arn: arnOf(role), platform: "windows" });
    await expect(registered).rejects.toMatchObject({ code });

    expect(await verdict(role)).toEqual(before);
    expect(before).toMatchObject({ groups: expect.arrayContaining([group]) });
  });

  it("stays as it is if aws-auth suffices", async () => {
    const before = await verdict("owned");

    const { by } = await registration.register({ arn: arnOf("owned"), platform: "linux" });

    expect(by).toBe("aws-auth");
    expect(await verdict("owned")).toEqual(before);
  });
});
