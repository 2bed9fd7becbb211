import { describe, expect, it } from "vitest";
import { EksToken, eksToken, type TokenRequest } from "../../lambda/aws/eks-token.ts";
import { type Instant, instant, later, milliseconds } from "../../lambda/base/time.ts";

const date = instant(Date.UTC(2026, 10, 20, 10));
const credentials = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  sessionToken: "TOKEN/abc+==",
};
const request = (change: Partial<TokenRequest> = {}): TokenRequest => ({
  clusterName: "my-cluster",
  region: "eu-west-1",
  credentials: async () => credentials,
  now: () => date,
  ...change,
});

const prefix = "k8s-aws-v1.";
const urlIn = (token: string): URL =>
  new URL(Buffer.from(token.slice(prefix.length), "base64url").toString());

describe("a token for an EKS cluster", () => {
  it("has the signature that botocore gives for the same key, cluster and time", async () => {
    const { searchParams } = urlIn(await eksToken(request()));

    expect(searchParams.get("X-Amz-Signature")).toBe(
      "cab7e9d0405f13376223f08ab7157a3e5bcc55dbafa55c3b41bd8179be9cb042",
    );
    expect(searchParams.get("X-Amz-SignedHeaders")).toBe("host;x-k8s-aws-id");
    expect(searchParams.get("X-Amz-Expires")).toBe("60");
  });

  it("is base64url without padding, whatever its length", async () => {
    for (let length = 0; length < 4; length += 1) {
      const sessionToken = `TOKEN${"x".repeat(length)}`;
      const token = await eksToken(
        request({ credentials: async () => ({ ...credentials, sessionToken }) }),
      );
      expect(token).toMatch(/^k8s-aws-v1\.[\w-]+$/);
    }
  });

  it("contains nothing that the authenticator does not allow", async () => {
    const { searchParams } = urlIn(await eksToken(request()));
    expect([...searchParams.keys()].toSorted()).toEqual([
      "Action",
      "Version",
      "X-Amz-Algorithm",
      "X-Amz-Credential",
      "X-Amz-Date",
      "X-Amz-Expires",
      "X-Amz-Security-Token",
      "X-Amz-Signature",
      "X-Amz-SignedHeaders",
    ]);
  });

  it.each([
    ["eu-west-1", "sts.eu-west-1.amazonaws.com"],
    ["us-gov-west-1", "sts.us-gov-west-1.amazonaws.com"],
    ["cn-north-1", "sts.cn-north-1.amazonaws.com.cn"],
    ["us-iso-east-1", "sts.us-iso-east-1.c2s.ic.gov"],
    ["us-isob-east-1", "sts.us-isob-east-1.sc2s.sgov.gov"],
    ["eusc-de-east-1", "sts.eusc-de-east-1.amazonaws.eu"],
  ])("of region %s is for STS at %s", async (region, host) => {
    expect(urlIn(await eksToken(request({ region }))).host).toBe(host);
  });
});

describe("a token that is kept", () => {
  function kept() {
    let now: Instant = date;
    const token = new EksToken(request({ now: () => now }));
    const pass = (by: number) => {
      now = later(now, milliseconds(by));
    };
    return { token, pass };
  }

  it("is replaced at once when it was refused", async () => {
    const { token, pass } = kept();
    const first = await token.get();
    pass(1000);
    token.refused();
    expect(await token.get()).not.toBe(first);
  });

  it("is signed again when there were no credentials before", async () => {
    const fails = [new Error("no credentials yet")];
    const token = new EksToken(
      request({
        async credentials() {
          const failure = fails.pop();
          if (failure !== undefined) throw failure;
          return credentials;
        },
      }),
    );
    await expect(token.get()).rejects.toThrow("no credentials yet");
    await expect(token.get()).resolves.toMatch(/^k8s-aws-v1\./);
  });
});
