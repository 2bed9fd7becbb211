import { readFile } from "node:fs/promises";
import { request } from "node:https";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { KubeConfig } from "@kubernetes/client-node";
import type { ControlPlane } from "./control-plane.ts";
import { tokenReviewSchema } from "./token-review-schema.ts";

/** The user that the authenticator recognizes in the holder of a token. */
export type Verdict = { readonly username: string; readonly groups: readonly string[] } | "refused";

/** Calls aws-iam-authenticator directly, because the API server caches its answers for a while. */
export class AuthenticatorWebhook {
  readonly #url: URL;
  readonly #authority: string;

  private constructor(url: URL, authority: string) {
    this.#url = url;
    this.#authority = authority;
  }

  /** The authenticator of a control plane. */
  static async of({ folder }: ControlPlane): Promise<AuthenticatorWebhook> {
    const kubeConfig = new KubeConfig();
    const path = join(folder, "authenticator/webhook.kubeconfig");
    kubeConfig.loadFromString(await readFile(path, "utf8"));
    const { server = "", caData = "" } = kubeConfig.getCurrentCluster() ?? {};
    return new AuthenticatorWebhook(new URL(server), Buffer.from(caData, "base64").toString());
  }

  async judge(token: string): Promise<Verdict> {
    const body = {
      apiVersion: "authentication.k8s.io/v1beta1",
      kind: "TokenReview",
      spec: { token },
    };
    const { status } = tokenReviewSchema.parse(await this.#post(JSON.stringify(body)));
    if (status.authenticated !== true || status.user === undefined) return "refused";
    return status.user;
  }

  #post(body: string): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const options = { method: "POST", ca: this.#authority, servername: "localhost" };
    const call = request(this.#url, options, (answer) => json(answer).then(resolve, reject));
    call.on("error", reject);
    call.end(body);
    return promise;
  }
}
