import { Sha256 } from "@smithy/core/checksum";
import { buildQueryString, HttpRequest } from "@smithy/core/protocols";
import { SignatureV4 } from "@smithy/signature-v4";

/** The signer of a token, and the cluster that it is for. */
export interface TokenOptions {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly cluster: string;
  readonly region?: string;
  readonly signingDate?: Date;
}

/**
 * Signs a bearer token as `aws eks get-token` does: a presigned GetCallerIdentity.
 *
 * @see https://github.com/kubernetes-sigs/aws-iam-authenticator#api-authorization-from-outside-a-cluster
 */
export async function signToken(options: TokenOptions): Promise<string> {
  const { cluster, region = "eu-west-1", signingDate = new Date(), ...credentials } = options;
  const hostname = `sts.${region}.amazonaws.com`;
  const request = new HttpRequest({
    hostname,
    query: { Action: "GetCallerIdentity", Version: "2011-06-15" },
    headers: { host: hostname, "x-k8s-aws-id": cluster },
  });
  const signer = new SignatureV4({ service: "sts", region, credentials, sha256: Sha256 });
  const { query } = await signer.presign(request, { expiresIn: 60, signingDate });
  const url = `https://${hostname}/?${buildQueryString(query ?? {})}`;
  return `k8s-aws-v1.${Buffer.from(url).toString("base64url")}`;
}
