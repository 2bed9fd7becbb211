import { describe, expect, it } from "vitest";
import { AccessEntries } from "../../lambda/aws/access-entries.ts";
import { type Instant, minutes } from "../../lambda/base/time.ts";
import type { NodeRole } from "../../lambda/launch/node-mapping.ts";
import { account, aServedAccount, start } from "../support/aws-account.ts";

const clusterName = "demo";

/** A cluster with access entries, and the adapter that makes them. */
async function aCluster() {
  const { aws, eks, timeline } = await aServedAccount();
  const { entries } = aws.eks.createCluster({
    name: clusterName,
    version: "1.36",
    endpoint: "https://127.0.0.1",
    certificateAuthority: "",
    authenticationMode: "API",
  });
  const { arn } = aws.iam.createRole({ name: "node", path: "/team/" });
  const slept: number[] = [];
  const clock = {
    now: () => timeline.now(),
    sleep: async (until: Instant) => {
      slept.push(until - start);
    },
  };
  const process = () => new AccessEntries({ eks, clusterName, clock });
  const linux: NodeRole = { arn, platform: "linux" };
  const windows: NodeRole = { arn, platform: "windows" };
  const calls = () => aws.calls.all().map(({ action }) => action);
  return { aws, timeline, entries, process, linux, windows, slept, calls };
}

const asEntry = (principalArn: string, type: string) => {
  return { principalArn, type, username: undefined, groups: [], tags: {}, clientToken: "" };
};

describe("access by access entries", () => {
  it.each([
    ["linux", "EC2_LINUX"],
    ["windows", "EC2_WINDOWS"],
  ] as const)(
    "is an entry of the platform's type, for the role with its path: %s",
    async (platform, type) => {
      const { entries, process, linux } = await aCluster();

      const access = await process().register({ ...linux, platform });

      expect(access).toEqual({ by: "access-entry", change: "added", version: "" });
      expect(entries.all()).toMatchObject([
        { type, principalArn: `arn:aws:iam::${account.id}:role/team/node` },
      ]);
    },
  );

  it("takes one request for a role, however often it is registered", async () => {
    const { process, linux, calls } = await aCluster();
    const access = process();

    await Promise.all([access.register(linux), access.register(linux)]);

    expect(await access.register(linux)).toMatchObject({ change: "none" });
    expect(calls()).toEqual(["CreateAccessEntry", "DescribeAccessEntry"]);
  });

  it("makes an entry anew that somebody has deleted, within five minutes", async () => {
    const { process, linux, entries, timeline } = await aCluster();
    const access = process();
    await access.register(linux);
    entries.delete(linux.arn);

    timeline.pass(minutes(5));

    expect(await access.register(linux)).toMatchObject({ change: "added" });
    expect(entries.all()).toHaveLength(1);
  });

  it("waits until EKS shows an entry that it has made", async () => {
    const { aws, process, linux, slept } = await aCluster();
    const message = "The specified principalArn could not be found.";
    const unknown = { status: 404, code: "ResourceNotFoundException", message };
    aws.faults.failNext({ service: "eks", action: "DescribeAccessEntry" }, unknown, { times: 3 });

    await process().register(linux);

    expect(slept).toEqual([1000, 1000, 1000]);
  });

  it("accepts an entry for Windows for Linux nodes too, because it has their groups", async () => {
    const { process, linux, windows } = await aCluster();
    await process().register(windows);

    expect(await process().register(linux)).toMatchObject({ change: "none" });
  });

  it.each([
    ["windows", "EC2_LINUX"],
    ["linux", "STANDARD"],
    ["windows", "STANDARD"],
    ["linux", "HYBRID_LINUX"],
  ] as const)("does not take one that does not let in nodes of %s: %s", async (platform, type) => {
    const { entries, process, linux } = await aCluster();
    entries.create(asEntry(linux.arn, type));
    const access = process();

    await expect(access.register({ ...linux, platform })).rejects.toMatchObject({
      code: "access.wrong-type",
      message: expect.stringMatching(new RegExp(`role/team/node.* type ${type}, not EC2_`)),
    });

    entries.delete(linux.arn);
    await expect(access.register({ ...linux, platform })).resolves.toMatchObject({
      change: "added",
    });
  });

  it.each([
    ["AccessDeniedException", 403, "aws.denied"],
    ["InvalidRequestException", 400, "aws.refused"],
    ["ServerException", 500, "aws.unreachable"],
  ])(
    "is a fault when EKS refuses to make an entry, and is tried again the next time: %s",
    async (code, status, fault) => {
      const { aws, process, linux } = await aCluster();
      const access = process();
      const refusal = { status, code, message: "no" };
      aws.faults.failNext({ service: "eks", action: "CreateAccessEntry" }, refusal, { times: 1 });

      await expect(access.register(linux)).rejects.toMatchObject({ code: fault });

      await expect(access.register(linux)).resolves.toMatchObject({ change: "added" });
    },
  );

  it("is a fault when EKS never shows the entry that it has made", async () => {
    const { aws, process, linux, slept } = await aCluster();
    const unknown = { status: 404, code: "ResourceNotFoundException", message: "not found" };
    aws.faults.failNext({ service: "eks", action: "DescribeAccessEntry" }, unknown, { times: 20 });

    await expect(process().register(linux)).rejects.toMatchObject({ code: "aws.refused" });

    expect(slept).toHaveLength(10);
  });
});
