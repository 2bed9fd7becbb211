import {
  CreateAccessEntryCommand,
  type CreateAccessEntryCommandInput,
  DescribeAccessEntryCommand,
  UpdateAccessEntryCommand,
  type UpdateAccessEntryCommandInput,
} from "@aws-sdk/client-eks";
import { describe, expect, it } from "vitest";
import { seconds } from "../../lambda/base/time.ts";
import type { AuthenticationMode } from "../../sandbox/aws/eks.ts";
import { aServedAccount } from "../support/aws-account.ts";

const certificate = "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n";

async function aCluster(authenticationMode: AuthenticationMode = "API_AND_CONFIG_MAP") {
  const account = await aServedAccount();
  const { aws, eks } = account;
  const cluster = aws.eks.createCluster({
    name: "demo",
    version: "1.36",
    endpoint: "https://127.0.0.1:6443",
    certificateAuthority: certificate,
    authenticationMode,
    propagation: seconds(5),
  });
  const node = aws.iam.createRole({ name: "node", path: "/team/" });
  const clusterName = "demo";
  const create = async (request: Partial<CreateAccessEntryCommandInput> = {}) => {
    const input = { clusterName, principalArn: node.arn, ...request };
    const { accessEntry } = await eks.send(new CreateAccessEntryCommand(input));
    return accessEntry;
  };
  const read = async (principalArn = node.arn) => {
    const input = { clusterName, principalArn };
    const { accessEntry } = await eks.send(new DescribeAccessEntryCommand(input));
    return accessEntry;
  };
  const update = async (request: Partial<UpdateAccessEntryCommandInput>) => {
    const input = { clusterName, principalArn: node.arn, ...request };
    const { accessEntry } = await eks.send(new UpdateAccessEntryCommand(input));
    return accessEntry;
  };
  return { ...account, cluster, node, create, read, update };
}

describe("an access entry", () => {
  it("for Linux nodes gets its name and group from EKS", async () => {
    const { create, read, node } = await aCluster();

    const created = await create({ type: "EC2_LINUX" });

    expect(created).toMatchObject({
      clusterName: "demo",
      principalArn: node.arn,
      type: "EC2_LINUX",
      username: "system:node:{{EC2PrivateDNSName}}",
      kubernetesGroups: ["system:nodes"],
      accessEntryArn: expect.stringMatching(
        /^arn:aws:eks:eu-west-1:123456789012:access-entry\/demo\/role\/123456789012\/node\/[0-9a-f-]{36}$/,
      ),
      createdAt: new Date("2026-03-23T10:00:00Z"),
    });
    expect(await read()).toEqual(created);
  });

  it.each<[string, Partial<CreateAccessEntryCommandInput>, string]>([
    [
      "names a session",
      { principalArn: "arn:aws:sts::123456789012:assumed-role/node/x" },
      "invalid principal",
    ],
    [
      "forgets the role's path",
      { principalArn: "arn:aws:iam::123456789012:role/node" },
      "invalid principal",
    ],
    ["has a type nobody knows", { type: "EC2_MOON" }, "The type EC2_MOON is invalid"],
  ])("is refused if it %s", async (_, request, message) => {
    const { create } = await aCluster();

    await expect(create(request)).rejects.toMatchObject({
      name: "InvalidParameterException",
      message: expect.stringContaining(message),
      $metadata: { httpStatusCode: 400 },
    });
  });

  it("takes effect in the cluster after a few seconds", async () => {
    const { create, cluster, node, timeline } = await aCluster();
    let told = 0;
    cluster.entries.onChange(() => {
      told += 1;
    });
    const whoIs = (userId: string) =>
      cluster.entries.tryMap("arn:aws:iam::123456789012:role/node", userId)?.username;

    await create({ type: "EC2_LINUX" });
    expect([whoIs(`${node.id}:x`), told]).toEqual([undefined, 0]);

    timeline.pass(seconds(5));
    expect([whoIs(`${node.id}:x`), told]).toEqual(["system:node:{{EC2PrivateDNSName}}", 1]);
  });

  it("has no effect once its role has been deleted and created again", async () => {
    const { create, cluster, aws, timeline } = await aCluster();
    await create({ type: "EC2_LINUX" });
    timeline.pass(seconds(5));

    const { id } = aws.iam.createRole({ name: "node", path: "/team/" });

    expect(
      cluster.entries.tryMap("arn:aws:iam::123456789012:role/node", `${id}:x`),
    ).toBeUndefined();
  });

  it.each<[AuthenticationMode, string | undefined, string | undefined]>([
    ["CONFIG_MAP", undefined, "by aws-auth"],
    ["API_AND_CONFIG_MAP", "by entry", "by aws-auth"],
    ["API", "by entry", undefined],
  ])("counts as the authentication mode %s says", async (mode, byEntry, byMap) => {
    const { create, aws, timeline, node } = await aCluster();
    await create({ username: "by entry" });
    timeline.pass(seconds(5));
    aws.eks.updateCluster("demo", { authenticationMode: mode });

    const seen = aws.eks.authenticated("demo", () => ({ mapRoles: "by aws-auth" }));

    const role = "arn:aws:iam::123456789012:role/node";
    expect(seen.accessEntry(role, node.id)?.username).toBe(byEntry);
    expect(seen.awsAuth()).toEqual(byMap && { mapRoles: byMap });
  });
});
