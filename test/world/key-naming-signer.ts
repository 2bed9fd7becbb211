import { normalizeProvider } from "@smithy/core";
import type { SignatureV4Init } from "@smithy/signature-v4";
import type { HttpRequest, RequestSigner } from "@smithy/types";

const day = "20260101";

/**
 * Names the key and the scope of each request as a signature does, but signs nothing: the world's AWS believes it.
 * Signatures took a tenth of the time of all worlds. The servers of the sandbox judge those of the real client.
 */
export class KeyNamingSigner implements RequestSigner {
  readonly #signing: SignatureV4Init;

  constructor(signing: SignatureV4Init) {
    this.#signing = signing;
  }

  async sign(request: HttpRequest): Promise<HttpRequest> {
    const { service } = this.#signing;
    const region = await normalizeProvider(this.#signing.region)();
    const { accessKeyId, sessionToken } = await normalizeProvider(this.#signing.credentials)();
    const scope = `${accessKeyId}/${day}/${region}/${service}/aws4_request`;
    Object.assign(request.headers, {
      "x-amz-date": `${day}T000000Z`,
      "x-amz-security-token": sessionToken ?? "",
      authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=${"0".repeat(64)}`,
    });
    return request;
  }
}
