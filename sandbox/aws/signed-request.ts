import { tryReadCredential } from "./credential.ts";
import { type Signable, sha256 } from "./signature.ts";
import type { SignatureClaim } from "./signature-judge.ts";
import type { WireRequest } from "./wire/wire.ts";

const authorization =
  /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

const headerOf = ({ headers }: WireRequest, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value.join(",") : value;
};

const signable = (request: WireRequest): Signable => ({
  method: request.method,
  path: request.path,
  query: [...new URLSearchParams(request.query)],
  header: (name) => headerOf(request, name),
  payloadHash: sha256(request.body),
});

/** Reads the signature in a request's headers; undefined if there is none. */
export function tryReadSignature(request: WireRequest): SignatureClaim | undefined {
  const match = authorization.exec(headerOf(request, "authorization") ?? "");
  if (match === null) return undefined;
  const [, credentialText = "", signedHeaders = "", signature = ""] = match;
  const credential = tryReadCredential(credentialText);
  if (credential === undefined) return undefined;
  const timestamp = headerOf(request, "x-amz-date") ?? "";
  const signing = { scope: credential.scope, timestamp, signedHeaders: signedHeaders.split(";") };
  return {
    accessKeyId: credential.accessKeyId,
    securityToken: headerOf(request, "x-amz-security-token") ?? "",
    request: signable(request),
    signing,
    signature,
  };
}
