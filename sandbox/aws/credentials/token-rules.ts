import { between, type Instant, minutes } from "../../../lambda/base/time.ts";
import { type PresignedUrl, parameter, queryFields, signedHeaders } from "./presigned-url.ts";
import { tryReadSigningDate } from "./signing-date.ts";
import { stsHostRefusal, type VerifierPlace } from "./sts-hosts.ts";

/** Where and when the authenticator judges a token. */
export interface TokenJudging extends VerifierPlace {
  readonly now: Instant;
}

type Rule = (url: PresignedUrl, judging: TokenJudging) => string | undefined;

/** The header that binds a token to its cluster. */
export const clusterHeader = "x-k8s-aws-id";

const lifetime = minutes(15);
const allowed = new Set([
  "action",
  "version",
  "x-amz-algorithm",
  "x-amz-credential",
  "x-amz-date",
  "x-amz-expires",
  "x-amz-security-token",
  "x-amz-signature",
  "x-amz-signedheaders",
]);

const scheme: Rule = (url) =>
  url.scheme === "https" ? undefined : `unexpected scheme "${url.scheme}" in pre-signed URL`;

const host: Rule = (url, judging) => stsHostRefusal(url.host, judging);

const path: Rule = (url) => (url.path === "/" ? undefined : "unexpected path in pre-signed URL");

const query: Rule = (url) => (url.query === "malformed" ? "malformed query parameter" : undefined);

const stranger: Rule = (url) => {
  const name = queryFields(url).find(([key]) => !allowed.has(key.toLowerCase()))?.[0];
  return name && `non-whitelisted query parameter ${JSON.stringify(name)}`;
};

const duplicate: Rule = (url) => {
  const names = queryFields(url).map(([name]) => name);
  const lower = names.map((name) => name.toLowerCase());
  const again = names.find((_, index) => lower.indexOf(lower[index] ?? "") !== index);
  if (again === undefined) return undefined;
  return names.indexOf(again) === names.lastIndexOf(again)
    ? `duplicate query parameter found: ${JSON.stringify(again)}`
    : "query parameter with multiple values not supported";
};

const action: Rule = (url) =>
  parameter(url, "action") === "GetCallerIdentity"
    ? undefined
    : "unexpected action parameter in pre-signed URL";

const cluster: Rule = (url) =>
  signedHeaders(url).some((name) => name.toLowerCase() === clusterHeader)
    ? undefined
    : `client did not sign the ${clusterHeader} header in the pre-signed URL`;

const expires: Rule = (url) => {
  const text = parameter(url, "x-amz-expires");
  const fine = /^[+-]?\d+$/.test(text) && Number(text) >= 0 && Number(text) <= 900;
  return fine ? undefined : `invalid X-Amz-Expires parameter in pre-signed URL: ${text}`;
};

const date: Rule = (url, { now }) => {
  const text = parameter(url, "x-amz-date");
  if (text === "") return "X-Amz-Date parameter must be present in pre-signed URL";
  const at = tryReadSigningDate(text);
  if (at === undefined) return `error parsing X-Amz-Date parameter ${text}`;
  return between(at, now) > lifetime
    ? `X-Amz-Date parameter is expired (15 minute expiration) ${text}`
    : undefined;
};

/**
 * The rules for a token's URL, in the order in which aws-iam-authenticator checks them.
 * @see https://github.com/kubernetes-sigs/aws-iam-authenticator/blob/master/pkg/token/token.go
 */
const rules: readonly Rule[] = [
  scheme,
  host,
  path,
  query,
  stranger,
  duplicate,
  action,
  cluster,
  expires,
  date,
];

/** Why a URL cannot be a token, whatever its signature; undefined if it passes every rule. */
export function tokenUrlRefusal(url: PresignedUrl, judging: TokenJudging): string | undefined {
  for (const rule of rules) {
    const reason = rule(url, judging);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
