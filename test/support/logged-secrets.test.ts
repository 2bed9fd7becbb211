import { describe, expect, it } from "vitest";
import { seconds } from "../../lambda/base/time.ts";
import { deploy, type FunctionToDeploy } from "../../sandbox/deployment.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { addresses } from "../world/world-options.ts";
import { takeLoggedSecrets } from "./found-secrets.ts";
import { secretsIn } from "./secrets-in.ts";

const secretAccessKey = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const sessionToken = "TOKEN/abc+==";
const keys = [{ accessKeyId: "AKIDEXAMPLE", secretAccessKey, sessionToken }];
const longTerm = { accessKeyId: "AKIDEXAMPLE", secretAccessKey, sessionToken: "" };

describe("a secret is found", () => {
  it.each([
    `{"message":"signed with ${secretAccessKey}"}`,
    `?x=${encodeURIComponent(sessionToken)}`,
    Buffer.from(`${secretAccessKey}, as it is`).toString("base64url"),
    `k8s-aws-v1.${Buffer.from("https://sts.eu-west-1.amazonaws.com/").toString("base64url")}`,
    "https://sts.amazonaws.com/?X-Amz-Signature=abc",
    '{"headers":{"x-amz-security-token":"abc"}}',
    `AWS4-HMAC-SHA256 SignedHeaders=host, Signature=${"0f".repeat(32)}`,
    "authorization: Bearer eyJhbGciOiJSUzI1NiIs",
    "ASIA0123456789ABCDEF",
    "-----BEGIN EC PRIVATE KEY-----",
  ])("in %s", (text) => {
    expect(secretsIn(text, keys)).not.toEqual([]);
  });

  it("in no ordinary line", () => {
    const line = `{"kind":"fault","message":"HTTP 403 SignatureDoesNotMatch: the request signature"}`;
    expect(secretsIn(line, [...keys, longTerm])).toEqual([]);
  });

  it("in the log of a deployed function, whatever test has deployed it", async () => {
    const { aws } = new VirtualWorld();
    const none = { queues: [], topics: [], mappings: [] };
    const spec = { ...none, roles: [{ name: "leaky", path: "/" }], functions: [leaky] };
    const deployment = deploy(spec, { aws, addresses, log: () => undefined });
    await deployment.function("leaky").invoke({});

    const [key] = aws.keys.all().slice(-1);
    const found = `${key?.sessionToken} in token: ${key?.sessionToken}`;
    // A file of this worker that ended with an error may still listen, and finds it too.
    expect(new Set(takeLoggedSecrets())).toEqual(new Set([found]));
  });
});

/** A function that logs its session token. */
const leaky: FunctionToDeploy = {
  name: "leaky",
  role: "leaky",
  timeout: seconds(1),
  memory: 128,
  concurrency: 1,
  environment: () => ({}),
  code: (_settings, { credentials, log }) => ({
    invoke: async () => {
      log({ source: "function", text: `token: ${credentials().sessionToken}` });
      return { kind: "ok", payload: null };
    },
    crash: () => 0,
    close: () => undefined,
  }),
};
