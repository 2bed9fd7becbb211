import { Hash } from "@smithy/core/serde";
import { SignatureV4 } from "@smithy/signature-v4";
import { describe, expect, it } from "vitest";
import { sha256, signatureOf } from "../../sandbox/aws/signature.ts";

const sha256Hash = Hash.bind(null, "sha256");

const none = (): undefined => undefined;

describe("a signature", () => {
  it("is the one botocore and smithy compute for the same token", () => {
    const query = [
      ["Action", "GetCallerIdentity"],
      ["Version", "2011-06-15"],
      ["X-Amz-Algorithm", "AWS4-HMAC-SHA256"],
      ["X-Amz-Credential", "AKIDEXAMPLE/20261120/eu-west-1/sts/aws4_request"],
      ["X-Amz-Date", "20261120T100000Z"],
      ["X-Amz-Expires", "60"],
      ["X-Amz-SignedHeaders", "host;x-k8s-aws-id"],
      ["X-Amz-Security-Token", "TOKEN/abc+=="],
    ] as const;
    const headers: Readonly<Record<string, string>> = {
      host: "sts.eu-west-1.amazonaws.com",
      "x-k8s-aws-id": "my-cluster",
    };

    const signature = signatureOf(
      { method: "GET", path: "/", query, header: (name) => headers[name], payloadHash: sha256("") },
      {
        scope: { date: "20261120", region: "eu-west-1", service: "sts" },
        timestamp: "20261120T100000Z",
        signedHeaders: ["host", "x-k8s-aws-id"],
      },
      "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
    );

    expect(signature).toBe("cab7e9d0405f13376223f08ab7157a3e5bcc55dbafa55c3b41bd8179be9cb042");
  });

  it.each([
    ["a plain path", "/clusters/demo", {}],
    [
      "a path with escapes in it",
      "/clusters/a%20b/access-entries/arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fx",
      {},
    ],
    ["query values that need encoding", "/x", { nextToken: "a=b/c +*'()!~", maxResults: "3" }],
    ["a name that appears as a prefix of another", "/", { ab: "1", a: "2", "a-b": "3" }],
  ])("agrees with smithy on %s", async (_, path, query) => {
    const signer = new SignatureV4({
      service: "eks",
      region: "eu-west-1",
      credentials: { accessKeyId: "AKID", secretAccessKey: "secret", sessionToken: "session" },
      sha256: sha256Hash,
      uriEscapePath: true,
    });
    const body = '{"a":"ü"}';
    const signed = await signer.sign(
      {
        method: "POST",
        protocol: "http:",
        hostname: "127.0.0.1",
        path,
        query,
        headers: { host: "127.0.0.1:4000", "x-many": "  two   words " },
        body,
      },
      { signingDate: new Date("2026-03-23T10:15:00Z") },
    );
    const { authorization = "" } = signed.headers;
    const [, names = "", expected] =
      /SignedHeaders=([^,]+), Signature=(.+)$/.exec(authorization) ?? [];

    const signature = signatureOf(
      {
        method: "POST",
        path,
        query: Object.entries(query).map(([name, value]) => [name, String(value)]),
        header: (name) => signed.headers[name],
        payloadHash: sha256(body),
      },
      {
        scope: { date: "20260323", region: "eu-west-1", service: "eks" },
        timestamp: "20260323T101500Z",
        signedHeaders: names.split(";"),
      },
      "secret",
    );

    expect(signature).toBe(expected);
  });

  it("of a header that is not there differs from that of an empty request", () => {
    const request = { method: "GET", path: "/", query: [], header: none, payloadHash: sha256("") };
    const signing = {
      scope: { date: "20260323", region: "eu-west-1", service: "sts" },
      timestamp: "20260323T101500Z",
    };

    const bare = signatureOf(request, { ...signing, signedHeaders: ["host"] }, "secret");
    const more = signatureOf(request, { ...signing, signedHeaders: ["host", "x"] }, "secret");

    expect(bare).not.toBe(more);
  });
});
