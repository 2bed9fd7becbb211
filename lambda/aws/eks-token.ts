import { partition } from "@aws-sdk/core/client";
import { Hash } from "@smithy/core/serde";
import { HttpRequest } from "@smithy/core/transport";
import { SignatureV4 } from "@smithy/signature-v4";
import type { AwsCredentialIdentityProvider } from "@smithy/types";
import { type Instant, later, minutes } from "../base/time.ts";

/** Who signs a token, for which cluster, at what time. */
export interface TokenRequest {
  readonly clusterName: string;
  readonly region: string;
  readonly credentials: AwsCredentialIdentityProvider;
  readonly now: () => Instant;
}

const clusterHeader = "x-k8s-aws-id";

/**
 * Signs a bearer token for an EKS cluster, without sending a request.
 *
 * The token is the URL of a presigned GetCallerIdentity. The cluster sends it to STS to learn who signed it.
 * @see https://github.com/kubernetes-sigs/aws-iam-authenticator/blob/master/pkg/token/token.go
 */
export async function eksToken(request: TokenRequest): Promise<string> {
  const { clusterName, region, credentials, now } = request;
  const signer = new SignatureV4({
    service: "sts",
    region,
    credentials,
    sha256: Hash.bind(null, "sha256"),
  });
  const hostname = `sts.${region}.${partition(region).dnsSuffix}`;
  const signed = await signer.presign(
    new HttpRequest({
      protocol: "https:",
      hostname,
      method: "GET",
      path: "/",
      headers: { host: hostname, [clusterHeader]: clusterName },
      query: { Action: "GetCallerIdentity", Version: "2011-06-15" },
    }),
    {
      expiresIn: 60,
      signingDate: new Date(now()),
      unhoistableHeaders: new Set([clusterHeader]),
    },
  );
  const query = Object.entries(signed.query ?? {}).map(
    ([key, value]) => `${escaped(key)}=${escaped(String(value))}`,
  );
  const url = `https://${hostname}/?${query.join("&")}`;
  return `k8s-aws-v1.${Buffer.from(url).toString("base64url")}`;
}

// Signature Version 4 escapes by RFC 3986, which is stricter than encodeURIComponent.
const escaped = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

// The cluster accepts a token for 15 minutes.
const tokenAge = minutes(10);

/** Keeps a token until it is 10 minutes old or the cluster refuses it. */
export class EksToken {
  readonly #request: TokenRequest;
  #token: Promise<string> | undefined;
  #renewAt: Instant;

  constructor(request: TokenRequest) {
    this.#request = request;
    this.#renewAt = request.now();
  }

  get(): Promise<string> {
    const now = this.#request.now();
    if (this.#token === undefined || now >= this.#renewAt) {
      this.#renewAt = later(now, tokenAge);
      const signed = eksToken(this.#request);
      signed.catch(() => this.#forget(signed));
      this.#token = signed;
    }
    return this.#token;
  }

  #forget(failed: Promise<string>): void {
    if (this.#token === failed) this.#token = undefined;
  }

  /** Drops a token that was refused, so that the next call signs a new one. */
  refused(): void {
    this.#token = undefined;
  }
}
