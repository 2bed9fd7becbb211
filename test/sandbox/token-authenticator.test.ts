import { Hash } from "@smithy/core/serde";
import { SignatureV4 } from "@smithy/signature-v4";
import { describe, expect, it } from "vitest";
import { hours, instant, milliseconds, minutes } from "../../lambda/base/time.ts";
import { AccessKeys, type Credentials } from "../../sandbox/aws/access-keys.ts";
import type { AwsAuthData, Mapping } from "../../sandbox/aws/aws-auth.ts";
import { tokenAuthenticator } from "../../sandbox/aws/token-authenticator.ts";
import { VirtualTimeline } from "../../sandbox/timeline.ts";

const sha256Hash = Hash.bind(null, "sha256");

const account = { partition: "aws", region: "eu-west-1", id: "123456789012" };
const start = instant(Date.parse("2026-03-23T10:00:00Z"));
const mapRoles = `
- rolearn: arn:aws:iam::123456789012:role/drainer
  username: drainer:{{SessionName}}
  groups: [eks-node-lifecycle]
`;

interface Presigning {
  readonly cluster: string;
  readonly host: string;
  readonly region: string;
  readonly service: string;
  readonly expires: number;
  readonly extra: Readonly<Record<string, string>>;
}

function aWorld(region = "eu-west-1") {
  const timeline = new VirtualTimeline(start);
  const keys = new AccessKeys(timeline, account);
  const awsAuth: { data: AwsAuthData | undefined } = { data: { mapRoles } };
  const entries: { of: (arn: string, userId: string) => Mapping | undefined } = {
    of: () => undefined,
  };
  const authenticator = tokenAuthenticator(timeline, keys, {
    name: "demo",
    region,
    awsAuth: () => awsAuth.data,
    accessEntry: (arn, userId) => entries.of(arn, userId),
  });
  const session = (name: string, sessionName = "eks-node-lifecycle") =>
    keys.assume({ role: { name, id: "AROAEXAMPLE" }, sessionName, duration: hours(1) });
  return { timeline, keys, authenticator, awsAuth, entries, session };
}

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);

async function presign(credentials: Credentials, given: Partial<Presigning> = {}): Promise<string> {
  const { cluster = "demo", region = "eu-west-1", service = "sts", expires = 60 } = given;
  const { host = `sts.${region}.amazonaws.com`, extra = {} } = given;
  const signer = new SignatureV4({ service, region, credentials, sha256: sha256Hash });
  const { query = {} } = await signer.presign(
    {
      method: "GET",
      protocol: "https:",
      hostname: host,
      path: "/",
      query: { Action: "GetCallerIdentity", Version: "2011-06-15", ...extra },
      headers: { host, "x-k8s-aws-id": cluster },
    },
    {
      expiresIn: expires,
      signingDate: new Date(start),
      unhoistableHeaders: new Set(["x-k8s-aws-id"]),
    },
  );
  const pairs = Object.entries(query).map(
    ([key, value]) => `${encode(key)}=${encode(String(value))}`,
  );
  return `https://${host}/?${pairs.join("&")}`;
}

const tokenOf = (url: string): string => `k8s-aws-v1.${Buffer.from(url).toString("base64url")}`;

describe("a token", () => {
  it("signed by smithy identifies the user that aws-auth maps its role to", async () => {
    const { authenticator, session } = aWorld();

    const token = tokenOf(await presign(session("drainer", "run@1")));

    expect(await authenticator(token)).toEqual({
      username: "drainer:run-1",
      groups: ["eks-node-lifecycle"],
    });
  });

  it.each([
    ["us-gov-west-1", "amazonaws.com"],
    ["cn-north-1", "amazonaws.com.cn"],
    ["eusc-de-east-1", "amazonaws.eu"],
  ])(
    "for a cluster in %s is for the STS there, whose address ends with %s",
    async (region, suffix) => {
      const { authenticator, session } = aWorld(region);
      const at = (host: string) => presign(session("drainer"), { region, host });

      const own = tokenOf(await at(`sts.${region}.${suffix}`));
      expect(await authenticator(own)).toMatchObject({ groups: ["eks-node-lifecycle"] });
      const foreign = tokenOf(await at(`sts.${region}.amazonaws.example`));
      expect(await authenticator(foreign)).toBeUndefined();
    },
  );

  it("is valid for exactly 15 minutes, whatever lifetime it states", async () => {
    const { authenticator, session, timeline } = aWorld();
    const token = tokenOf(await presign(session("drainer"), { expires: 1 }));

    timeline.pass(minutes(15));
    expect(await authenticator(token)).toBeDefined();

    timeline.pass(milliseconds(1));
    expect(await authenticator(token)).toBeUndefined();
  });

  it.each<[string, Partial<Presigning>]>([
    ["another cluster", { cluster: "prod" }],
    ["another service", { service: "eks" }],
    [
      "another Region than its host's",
      { region: "us-east-1", host: "sts.eu-west-1.amazonaws.com" },
    ],
    ["more than 15 minutes", { expires: 901 }],
    ["a host that is not STS", { host: "evil.example.com" }],
    ["another action", { extra: { Action: "AssumeRole" } }],
    ["a parameter that is not on the list", { extra: { "x-id": "GetCallerIdentity" } }],
  ])("signed for %s is refused", async (_, presigning) => {
    const { authenticator, session } = aWorld();

    const token = tokenOf(await presign(session("drainer"), presigning));

    expect(await authenticator(token)).toBeUndefined();
  });

  it.each<[string, (url: string) => string]>([
    ["that did not sign the cluster", (url) => url.replace("x-k8s-aws-id", "x-k8s-aws-ie")],
    ["with another session", (url) => url.replace(/(X-Amz-Security-Token=)[^&]+/, "$1AAAA")],
    ["of a key nobody has", (url) => url.replace(/ASIA\w+/, "ASIANOBODY")],
    [
      "with another signature",
      (url) => url.replace(/(X-Amz-Signature=)[^&]+/, `$1${"0".repeat(64)}`),
    ],
  ])("%s is refused", async (_, spoil) => {
    const { authenticator, session } = aWorld();
    const url = await presign(session("drainer"));

    expect(await authenticator(tokenOf(spoil(url)))).toBeUndefined();
  });

  it("is judged by its role's access entry if there is one, whatever aws-auth says", async () => {
    const { authenticator, entries, session } = aWorld();
    entries.of = (arn, userId) =>
      arn.endsWith("role/drainer") && userId.startsWith("AROAEXAMPLE:")
        ? { username: "entry:{{SessionName}}", groups: ["by-entry"] }
        : undefined;

    const token = tokenOf(await presign(session("drainer", "one")));

    expect(await authenticator(token)).toEqual({
      username: "entry:one",
      groups: ["by-entry"],
    });
  });
});
