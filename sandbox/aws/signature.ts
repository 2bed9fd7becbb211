import { createHash, createHmac } from "node:crypto";

/** A query or header field, decoded. */
export type Field = readonly [name: string, value: string];

/** A request, as far as a signature covers it. */
export interface Signable {
  readonly method: string;
  /** The path as sent, percent-encoded once. */
  readonly path: string;
  readonly query: readonly Field[];
  /** A header's value by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** SHA-256 of the body, in hexadecimal. */
  readonly payloadHash: string;
}

/** What a credential is scoped to: `20260323/eu-west-1/sts/aws4_request`. */
export interface Scope {
  readonly date: string;
  readonly region: string;
  readonly service: string;
}

/** What a signature says about itself. */
export interface Signing {
  readonly scope: Scope;
  /** The moment of signing, as `20260323T101500Z`. */
  readonly timestamp: string;
  /** Lower-case names, in the order signed. */
  readonly signedHeaders: readonly string[];
}

/** SHA-256 in hexadecimal. */
export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

const hmac = (key: string | Buffer, text: string): Buffer =>
  createHmac("sha256", key).update(text).digest();

/** Percent-encodes all but unreserved characters (RFC 3986). */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const byText = ([a]: Field, [b]: Field): number => Number(a > b) - Number(a < b);

const canonicalQuery = (query: readonly Field[]): string =>
  query
    .map(([name, value]): Field => [encode(name), encode(value)])
    .toSorted((a, b) => byText(a, b) || Number(a[1] > b[1]) - Number(a[1] < b[1]))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");

function canonicalRequest(request: Signable, signedHeaders: readonly string[]): string {
  const headers = signedHeaders.map((name) => {
    const value = request.header(name) ?? "";
    return `${name}:${value.trim().replace(/\s+/g, " ")}\n`;
  });
  return [
    request.method,
    encode(request.path).replace(/%2F/g, "/"), // every service but S3 encodes the path twice
    canonicalQuery(request.query),
    headers.join(""),
    signedHeaders.join(";"),
    request.payloadHash,
  ].join("\n");
}

/**
 * Computes the Signature Version 4 that a request must carry.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function signatureOf(request: Signable, signing: Signing, secret: string): string {
  const { scope, timestamp, signedHeaders } = signing;
  const name = `${scope.date}/${scope.region}/${scope.service}/aws4_request`;
  const hashed = sha256(canonicalRequest(request, signedHeaders));
  const text = ["AWS4-HMAC-SHA256", timestamp, name, hashed].join("\n");
  const steps = [scope.date, scope.region, scope.service, "aws4_request"];
  const key = steps.reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return hmac(key, text).toString("hex");
}
