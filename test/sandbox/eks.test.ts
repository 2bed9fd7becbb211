import {
  CreateAccessEntryCommand,
  type CreateAccessEntryCommandInput,
  DeleteAccessEntryCommand,
  DescribeAccessEntryCommand,
  DescribeClusterCommand,
  ListAccessEntriesCommand,
  UpdateAccessEntryCommand,
  type UpdateAccessEntryCommandInput,
} from "@aws-sdk/client-eks";
import { describe, expect, it } from "vitest";
import { seconds } from "../../lambda/base/time.ts";
import type { AuthenticationMode } from "../../sandbox/aws/eks/eks.ts";
import { aServedAccount } from "./aws-account.ts";

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

describe("a cluster", () => {
  it("is described with what a client needs to reach it", async () => {
    const { eks, aws } = await aCluster();

    const { cluster } = await eks.send(new DescribeClusterCommand({ name: "demo" }));
    expect(cluster).toMatchObject({
      name: "demo",
      arn: "arn:aws:eks:eu-west-1:123456789012:cluster/demo",
      version: "1.36",
      status: "ACTIVE",
      endpoint: "https://127.0.0.1:6443",
      certificateAuthority: { data: Buffer.from(certificate).toString("base64") },
      accessConfig: { authenticationMode: "API_AND_CONFIG_MAP" },
      createdAt: new Date("2026-03-23T10:00:00Z"),
    });

    aws.eks.updateCluster("demo", { certificateAuthority: "other", status: "UPDATING" });
    const { cluster: later } = await eks.send(new DescribeClusterCommand({ name: "demo" }));
    expect(later?.status).toBe("UPDATING");
    expect(later?.certificateAuthority?.data).toBe("b3RoZXI=");
  });

  it("that does not exist is not found", async () => {
    const { eks } = await aCluster();

    await expect(eks.send(new DescribeClusterCommand({ name: "no such" }))).rejects.toMatchObject({
      name: "ResourceNotFoundException",
      message: "No cluster found for name: no such.",
      $metadata: { httpStatusCode: 404 },
    });
  });
});

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

  it("of type STANDARD gets a user name with the role's session", async () => {
    const { create } = await aCluster();

    expect(await create({ kubernetesGroups: ["drainers"] })).toMatchObject({
      type: "STANDARD",
      username: "arn:aws:sts::123456789012:assumed-role/node/{{SessionName}}",
      kubernetesGroups: ["drainers"],
    });
  });

  it("exists only once, but the same request may be repeated", async () => {
    const { create } = await aCluster();
    const first = await create({ type: "EC2_LINUX", clientRequestToken: "one" });

    expect(await create({ type: "EC2_LINUX", clientRequestToken: "one" })).toEqual(first);
    await expect(create({ type: "EC2_LINUX" })).rejects.toMatchObject({
      name: "ResourceInUseException",
      message: "The specified access entry resource is already in use on this cluster.",
      $metadata: { httpStatusCode: 409 },
    });
  });

  it.each<[string, Partial<CreateAccessEntryCommandInput>, string]>([
    [
      "names a session",
      { principalArn: "arn:aws:sts::123456789012:assumed-role/node/x" },
      "invalid principal",
    ],
    [
      "names a role that is not there",
      { principalArn: "arn:aws:iam::123456789012:role/x" },
      "invalid principal",
    ],
    [
      "forgets the role's path",
      { principalArn: "arn:aws:iam::123456789012:role/node" },
      "invalid principal",
    ],
    [
      "names a service-linked role",
      { principalArn: "arn:aws:iam::210987654321:role/aws-service-role/x.amazonaws.com/Y" },
      "invalid principal",
    ],
    [
      "names nodes of another account",
      { principalArn: "arn:aws:iam::210987654321:role/x", type: "EC2_LINUX" },
      "invalid principal",
    ],
    ["has a type nobody knows", { type: "EC2_MOON" }, "The type EC2_MOON is invalid"],
    [
      "gives nodes a group",
      { type: "EC2_LINUX", kubernetesGroups: ["x"] },
      'with a type of "STANDARD"',
    ],
    ["gives nodes a name", { type: "EC2_WINDOWS", username: "x" }, 'with a type of "STANDARD"'],
    [
      "wants to be master",
      { kubernetesGroups: ["system:masters"] },
      "The kubernetes group name system:masters is invalid, it cannot start with system:",
    ],
    ["has a reserved name", { username: "eks:me" }, "The username must not begin with eks:"],
    [
      "puts the session first",
      { username: "{{SessionName}}" },
      "must have a colon before {{SessionName}}",
    ],
  ])("is refused if it %s", async (_, request, message) => {
    const { create } = await aCluster();

    await expect(create(request)).rejects.toMatchObject({
      name: "InvalidParameterException",
      message: expect.stringContaining(message),
      $metadata: { httpStatusCode: 400 },
    });
  });

  it("may name a role of another account unless it is for nodes", async () => {
    const { create } = await aCluster();

    const entry = await create({ principalArn: "arn:aws:iam::210987654321:role/admin" });

    expect(entry?.username).toBe("arn:aws:sts::210987654321:assumed-role/admin/{{SessionName}}");
  });

  it("cannot be created in a cluster that only reads aws-auth", async () => {
    const { create } = await aCluster("CONFIG_MAP");

    await expect(create()).rejects.toMatchObject({
      name: "InvalidRequestException",
      message:
        "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] to perform this operation.",
    });
  });

  it("is listed, changed and deleted", async () => {
    const { create, read, update, eks, node } = await aCluster();
    await create({ principalArn: "arn:aws:iam::210987654321:role/admin" });
    await create();
    const clusterName = "demo";

    const first = await eks.send(new ListAccessEntriesCommand({ clusterName, maxResults: 1 }));
    const { nextToken } = first;
    const second = await eks.send(new ListAccessEntriesCommand({ clusterName, nextToken }));
    expect([first.accessEntries, second.accessEntries]).toEqual([
      ["arn:aws:iam::210987654321:role/admin"],
      [node.arn],
    ]);
    expect(second.nextToken).toBeUndefined();

    expect(await update({ username: "ann:{{SessionName}}" })).toMatchObject({
      username: "ann:{{SessionName}}",
    });
    await expect(update({ kubernetesGroups: ["system:masters"] })).rejects.toThrow(
      "cannot start with",
    );

    await eks.send(new DeleteAccessEntryCommand({ clusterName, principalArn: node.arn }));
    await expect(read()).rejects.toMatchObject({
      name: "ResourceNotFoundException",
      message: expect.stringContaining("The specified principalArn could not be found."),
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
