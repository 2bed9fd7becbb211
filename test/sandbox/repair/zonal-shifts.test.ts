import { Hash } from "@smithy/core/serde";
import { SignatureV4 } from "@smithy/signature-v4";
import { expect, it } from "vitest";
import { hours, minutes } from "../../../lambda/base/time.ts";
import type { Credentials } from "../../../sandbox/aws/access-keys.ts";
import { account, aServedAccount, start } from "../../support/aws-account.ts";

const cluster = "arn:aws:eks:eu-west-1:123456789012:cluster/demo";

interface Listed {
  readonly items: readonly { readonly awayFrom: string }[];
  readonly nextToken?: string;
}

/** Asks as the API's reference has it. */
async function shifts(url: string, credentials: Credentials, query: Record<string, string> = {}) {
  const sha256 = Hash.bind(null, "sha256");
  const { region } = account;
  const signer = new SignatureV4({ service: "arc-zonal-shift", region, credentials, sha256 });
  const { host, hostname } = new URL(url);
  const { headers } = await signer.sign(
    {
      method: "GET",
      protocol: "http:",
      hostname,
      path: "/zonalshifts",
      query,
      headers: { host },
    },
    { signingDate: new Date(start) },
  );
  const answer = await fetch(`${url}/zonalshifts?${new URLSearchParams(query)}`, { headers });
  return { status: answer.status, body: (await answer.json()) as Listed };
}

it("lists the active shifts, of all resources or of one, until they expire", async () => {
  const { aws, server, key, timeline } = await aServedAccount();
  aws.zonalShifts.start(cluster, "eu-west-1a", hours(1));
  const { id } = aws.zonalShifts.start(`${cluster}-other`, "eu-west-1b");
  const items = async (query?: Record<string, string>) =>
    (await shifts(server.url, key, query)).body.items.map(({ awayFrom }) => awayFrom);

  expect(await shifts(server.url, key, { resourceIdentifier: cluster })).toEqual({
    status: 200,
    body: {
      items: [
        expect.objectContaining({
          awayFrom: "euw1-az2",
          resourceIdentifier: cluster,
          status: "ACTIVE",
          startTime: start / 1000,
          expiryTime: start / 1000 + 3600,
        }),
      ],
    },
  });
  expect(await items()).toEqual(["euw1-az2", "euw1-az3"]);
  expect(await items({ status: "EXPIRED" })).toEqual([]);
  const first = await shifts(server.url, key, { maxResults: "1" });
  expect(first.body.items).toHaveLength(1);
  expect(await items({ maxResults: "1", nextToken: first.body.nextToken ?? "" })).toEqual([
    "euw1-az3",
  ]);
  aws.zonalShifts.cancel(id);
  expect(await items()).toEqual(["euw1-az2"]);
  timeline.pass(minutes(61));
  expect(await items()).toEqual([]);
});

it("refuses a caller that may not list them, and a status that there is none of", async () => {
  const { aws, server, key } = await aServedAccount();
  expect(await shifts(server.url, key, { status: "OLD" })).toMatchObject({ status: 400 });
  aws.authorize = ({ action }) =>
    action === "arc-zonal-shift:ListZonalShifts" ? "denied" : "allowed";
  expect(await shifts(server.url, key)).toMatchObject({ status: 403 });
});
