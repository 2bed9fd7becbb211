import { createHash } from "node:crypto";
import { type SignatureClaim, tryReadCredential } from "./signature-judge.ts";
import type { WireRequest } from "./wire.ts";

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
