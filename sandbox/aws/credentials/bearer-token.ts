import { tryReadCredential } from "./credential.ts";
import { type PresignedUrl, parameter, queryFields, tryParseUrl } from "./presigned-url.ts";
import type { SignatureClaim } from "./signature-judge.ts";
import { clusterHeader, type TokenJudging, tokenUrlRefusal } from "./token-rules.ts";

/** What the reader of a token needs to know. */
export interface TokenReading extends TokenJudging {
  /** The cluster's name, which the signature must cover. */
  readonly cluster: string;
}

/** The presigned request in a token, or why the token is refused. */
export type BearerToken =
  | { readonly kind: "presigned"; readonly host: string; readonly claim: SignatureClaim }
  | { readonly kind: "refused"; readonly reason: string };

const prefix = "k8s-aws-v1.";

const refused = (reason: string): BearerToken => ({
  kind: "refused",
  reason: `input token was not properly formatted: ${reason}`,
});

function textRefusal(token: string): string | undefined {
  if (Buffer.byteLength(token) > 4096) return "token is too large";
  if (!token.startsWith(prefix)) return `token is missing expected "${prefix}" prefix`;
  const encoded = token.slice(prefix.length);
  const stray = /[^A-Za-z0-9_-]/.exec(encoded)?.index;
  if (stray !== undefined) return `illegal base64 data at input byte ${stray}`;
  return encoded.length % 4 === 1
    ? `illegal base64 data at input byte ${encoded.length}`
    : undefined;
}

/** Signs again what a token for this cluster must have signed. */
const signAgain =
  (url: PresignedUrl, cluster: string): SignatureClaim["signAgain"] =>
  async (signer, signingDate) => {
    const { host, path } = url;
    const own = queryFields(url).filter(([name]) => !name.toLowerCase().startsWith("x-amz-"));
    const query = Object.fromEntries(own);
    const headers = { host, [clusterHeader]: cluster };
    const signed = await signer.presign(
      { protocol: "https:", hostname: host, method: "GET", path, query, headers },
      { signingDate, expiresIn: Number(parameter(url, "x-amz-expires")) },
    );
    return String(signed.query?.["X-Amz-Signature"]);
  };

function presigned(url: PresignedUrl, cluster: string): BearerToken {
  const credential = tryReadCredential(parameter(url, "x-amz-credential"));
  if (credential === undefined) return refused("no credential in pre-signed URL");
  const claim: SignatureClaim = {
    ...credential,
    securityToken: parameter(url, "x-amz-security-token"),
    timestamp: parameter(url, "x-amz-date"),
    signature: parameter(url, "x-amz-signature"),
    signAgain: signAgain(url, cluster),
  };
  return { kind: "presigned", host: url.host, claim };
}

/** Reads the presigned request out of a bearer token. */
export function readBearerToken(token: string, reading: TokenReading): BearerToken {
  const reason = textRefusal(token);
  if (reason !== undefined) return refused(reason);
  const url = tryParseUrl(Buffer.from(token.slice(prefix.length), "base64url").toString());
  if (url === undefined) return refused("missing protocol scheme");
  const broken = tokenUrlRefusal(url, reading);
  return broken === undefined ? presigned(url, reading.cluster) : refused(broken);
}
