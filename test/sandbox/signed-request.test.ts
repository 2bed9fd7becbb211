import { Hash } from "@smithy/core/serde";
import { SignatureV4 } from "@smithy/signature-v4";
import { describe, expect, it } from "vitest";
import { instant } from "../../lambda/base/time.ts";
import { AccessKeys } from "../../sandbox/aws/access-keys.ts";
import { judgeSignature } from "../../sandbox/aws/signature-judge.ts";
import { tryReadSignature } from "../../sandbox/aws/signed-request.ts";
import type { WireRequest } from "../../sandbox/aws/wire.ts";
import { VirtualTimeline } from "../../sandbox/timeline.ts";

const start = instant(Date.parse("2026-03-23T10:15:00Z"));
const account = { partition: "aws", region: "eu-west-1", id: "123456789012" };
const timeline = new VirtualTimeline(start);
const keys = new AccessKeys(timeline, account);
const key = keys.addUser("ann");
const entry = "/clusters/a%20b/access-entries/arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fx";

async function signed(unsignableHeaders: readonly string[] = []): Promise<WireRequest> {
  const query = { nextToken: "a=b/c +*'()!~", maxResults: ["3", "1"], "max-x": "2" };
  const body = '{"a":"ü"}';
  const sha256 = Hash.bind(null, "sha256");
  const signer = new SignatureV4({ service: "eks", region: "eu-west-1", credentials: key, sha256 });
  const { headers } = await signer.sign(
    {
      ...{ method: "POST", protocol: "http:", hostname: "127.0.0.1", path: entry, query, body },
      headers: { host: "127.0.0.1:4000", "x-many": "  two   words " },
    },
    { signingDate: new Date(start), unsignableHeaders: new Set(unsignableHeaders) },
  );
  const fields = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  const text = new URLSearchParams(fields).toString();
  return { method: "POST", path: entry, query: text, headers, body };
}

const judged = (request: WireRequest) => {
  const claim = tryReadSignature(request);
  return claim && judgeSignature(claim, { keys, now: start, signatures: "judged" });
};

const withHeader = (request: WireRequest, name: string, value: string): WireRequest => ({
  ...request,
  headers: { ...request.headers, [name]: value },
});

const mismatch = { kind: "refused", refusal: "mismatch" };

describe("a signed request", () => {
  it("identifies its signer, whatever it has to escape", async () => {
    await expect(judged(await signed())).resolves.toEqual({ kind: "signed", key });
  });

  it.each<[string, (request: WireRequest) => WireRequest]>([
    ["with another method", (request) => ({ ...request, method: "PUT" })],
    ["with another path", (request) => ({ ...request, path: `${entry}x` })],
    ["with another body, and the hash of the old one", (it) => ({ ...it, body: "{}" })],
    [
      "with a credential of another day",
      (request) => {
        const told = String(request.headers.authorization);
        return withHeader(request, "authorization", told.replace("/20260323/", "/20260322/"));
      },
    ],
  ])("%s identifies nobody", async (_, spoil) => {
    await expect(judged(spoil(await signed()))).resolves.toMatchObject(mismatch);
  });

  it("whose host is not signed identifies nobody", async () => {
    await expect(judged(await signed(["host"]))).resolves.toMatchObject(mismatch);
  });
});
