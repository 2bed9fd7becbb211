import { createHash } from "node:crypto";
import { Hash } from "@smithy/core/serde";
import { SignatureV4 } from "@smithy/signature-v4";
import { type Instant, instant } from "../../lambda/base/time.ts";
import type { AccessKey, AccessKeys } from "./access-keys.ts";
import type { CallRefusal } from "./refusals.ts";
import type { WireRequest } from "./wire.ts";

/** The scope of a credential: `20260323/eu-west-1/sts/aws4_request`. */
interface CredentialScope {
  readonly date: string;
  readonly region: string;
  readonly service: string;
}

/** Which key signed, and the scope of its signature. */
interface Credential {
  readonly accessKeyId: string;
  readonly scope: CredentialScope;
}

/** Reads `AKID/20260323/eu-west-1/sts/aws4_request`; undefined for a text of another form. */
export function tryReadCredential(text: string): Credential | undefined {
  const [accessKeyId, date, region, service, end, ...rest] = text.split("/");
  if (!(accessKeyId && date && region && service) || end !== "aws4_request") return undefined;
  return rest.length > 0 ? undefined : { accessKeyId, scope: { date, region, service } };
}

const form = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/**
 * Reads a date in the form of signatures, `20260323T101500Z`; undefined if the text is not one.
 * Smithy only writes this form.
 */
export function tryReadSigningDate(text: string): Instant | undefined {
  const match = form.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second] = match;
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
  const time = Date.parse(iso);
  const exists = !Number.isNaN(time) && new Date(time).toISOString().startsWith(iso.slice(0, 19));
  return exists ? instant(time) : undefined;
}

/** A signature, and what the request claims about it. */
export interface SignatureClaim {
  readonly accessKeyId: string;
  /** Empty if the request carries no security token. */
  readonly securityToken: string;
  readonly scope: CredentialScope;
  /** The moment of signing, as `20260323T101500Z`. */
  readonly timestamp: string;
  readonly signature: string;
  /** Signs the same request again, with a signer that holds the key's secret. */
  readonly signAgain: (signer: SignatureV4, signingDate: Date) => Promise<string>;
}

/**
 * Whether a signature is judged, apart from its date, because a client cannot know the virtual time, or believed, because
 * nobody else can reach the server.
 */
export type SignatureTrust = "judged" | "believed";

/** The key that made a signature, or why the signature is refused. */
export type SignatureVerdict =
  | { readonly kind: "refused"; readonly refusal: CallRefusal; readonly message: string }
  | { readonly kind: "signed"; readonly key: AccessKey };

const refused = (refusal: CallRefusal, message: string): SignatureVerdict => ({
  kind: "refused",
  refusal,
  message,
});

const unknownKey = refused("unknown-key", "The security token included in the request is invalid.");
const expired = refused("unknown-key", "The security token included in the request is expired");
const mismatch = refused(
  "mismatch",
  "The request signature we calculated does not match the signature you provided.",
);

const sha256 = Hash.bind(null, "sha256");
/** A credential scope is valid for one day: the day of the signature. */
const trySigningTime = ({ scope, timestamp }: SignatureClaim): Instant | undefined =>
  timestamp.startsWith(`${scope.date}T`) ? tryReadSigningDate(timestamp) : undefined;

// The SDK signs with smithy too, so the SDK cannot show that smithy is right:
// a signature made by botocore and the real authenticator show it.
function rightSignature(claim: SignatureClaim, key: AccessKey, at: Instant): Promise<string> {
  const { region, service } = claim.scope;
  const signer = new SignatureV4({
    region,
    service,
    credentials: key,
    sha256,
    applyChecksum: false,
  });
  return claim.signAgain(signer, new Date(at));
}

/** Why a signature by a known key is refused; undefined if it is not. */
async function signatureRefusal(
  claim: SignatureClaim,
  key: AccessKey,
  signatures: SignatureTrust,
): Promise<SignatureVerdict | undefined> {
  if (signatures === "believed") return undefined;
  const at = trySigningTime(claim);
  if (at === undefined || (await rightSignature(claim, key, at)) !== claim.signature)
    return mismatch;
  return undefined;
}

/** Finds the key that made a request's signature, or refuses the signature, as AWS does. */
export async function judgeSignature(
  claim: SignatureClaim,
  judge: { readonly keys: AccessKeys; readonly now: Instant; readonly signatures: SignatureTrust },
): Promise<SignatureVerdict> {
  const key = judge.keys.find(claim.accessKeyId);
  if (key === undefined || key.sessionToken !== claim.securityToken) return unknownKey;
  if (key.expires !== "never" && judge.now >= key.expires) return expired;
  return (await signatureRefusal(claim, key, judge.signatures)) ?? { kind: "signed", key };
}

const authorization =
  /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

const headerOf = ({ headers }: WireRequest, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value.join(",") : value;
};

/** The value of a signed header: the body's true hash, or the header as sent; empty if missing. */
function signedHeader(request: WireRequest, name: string): string {
  if (name !== "x-amz-content-sha256") return headerOf(request, name) ?? "";
  return createHash("sha256").update(request.body).digest("hex");
}

function queryOf({ query }: WireRequest): Record<string, string[]> {
  const fields = new URLSearchParams(query);
  return Object.fromEntries([...fields.keys()].map((name) => [name, fields.getAll(name)]));
}

const signAgain =
  (request: WireRequest, signedHeaders: readonly string[]): SignatureClaim["signAgain"] =>
  async (signer, signingDate) => {
    const { method, path, body } = request;
    // AWS refuses a signature that leaves out the host.
    const names = ["host", ...signedHeaders];
    const headers = Object.fromEntries(names.map((name) => [name, signedHeader(request, name)]));
    const signed = await signer.sign(
      { protocol: "http:", hostname: "", method, path, query: queryOf(request), headers, body },
      { signingDate, signableHeaders: new Set(names) },
    );
    const { authorization: again = "" } = signed.headers;
    return authorization.exec(again)?.[3] ?? "";
  };

/** Reads the signature in a request's headers; undefined if there is none. */
export function tryReadSignature(request: WireRequest): SignatureClaim | undefined {
  const match = authorization.exec(headerOf(request, "authorization") ?? "");
  if (match === null) return undefined;
  const [, credentialText = "", signedHeaders = "", signature = ""] = match;
  const credential = tryReadCredential(credentialText);
  if (credential === undefined) return undefined;
  return {
    ...credential,
    timestamp: headerOf(request, "x-amz-date") ?? "",
    securityToken: headerOf(request, "x-amz-security-token") ?? "",
    signature,
    signAgain: signAgain(request, signedHeaders.split(";")),
  };
}
