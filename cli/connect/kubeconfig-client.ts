import type { KubeConfig } from "@kubernetes/client-node";
import type { Clock } from "../../lambda/base/clock.port.ts";
import { productName, productVersion } from "../../lambda/base/contract.ts";
import { askAgain } from "../../lambda/kubernetes/ask-again.ts";
import type { KubeCall, KubeClient } from "../../lambda/kubernetes/kube-client.ts";
import { KubeConnection } from "../../lambda/kubernetes/kube-connection.ts";
import { KubeconfigTransport } from "./kubeconfig-transport.ts";

/** Calls the API server of a kubeconfig's current context. */
export class KubeconfigClient implements KubeClient {
  readonly #connection: KubeConnection;
  readonly #clock: Clock;

  constructor(kubeConfig: KubeConfig, clock: Clock) {
    const endpoint = new URL(kubeConfig.getCurrentCluster()?.server ?? "");
    const userAgent = `${productName}/${productVersion}`;
    const transport = new KubeconfigTransport(kubeConfig, endpoint);
    this.#connection = new KubeConnection({ endpoint, userAgent }, async () => "", transport);
    this.#clock = clock;
  }

  ask<T>(doing: string, call: KubeCall<T>): Promise<T> {
    return askAgain(doing, () => this.once(call), this.#clock);
  }

  async once<T>(call: KubeCall<T>): Promise<T> {
    return call(this.#connection);
  }
}
