import { Agent } from "node:http";
import type { RequestOptions } from "node:https";
import type { KubeConfig } from "@kubernetes/client-node";
import type { Clock } from "../../lambda/base/clock.port.ts";
import { productName, productVersion } from "../../lambda/base/contract.ts";
import { Http1Transport } from "../../lambda/http/http1-transport.ts";
import { lostConnection } from "../../lambda/http/lost-connection.ts";
import type {
  Transport,
  TransportRequest,
  TransportResponse,
} from "../../lambda/http/transport.ts";
import { askAgain } from "../../lambda/kubernetes/ask-again.ts";
import type { KubeCall, KubeClient } from "../../lambda/kubernetes/kube-client.ts";
import { KubeConnection, type KubeTransport } from "../../lambda/kubernetes/kube-connection.ts";

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

/** Sends requests as the user of a kubeconfig; client-node runs the user's program or presents its certificate. */
export class KubeconfigTransport implements KubeTransport {
  readonly #kubeConfig: KubeConfig;
  readonly #endpoint: URL;

  constructor(kubeConfig: KubeConfig, endpoint: URL) {
    this.#kubeConfig = kubeConfig;
    this.#endpoint = endpoint;
  }

  async request({ headers, ...request }: TransportRequest): Promise<TransportResponse> {
    const { authorization: _, ...others } = headers;
    const options: RequestOptions = {};
    await this.#kubeConfig.applyToHTTPSOptions(options);
    const signed = { ...others, ...lowerCased(options) };
    try {
      return await this.#transport(options).request({ ...request, headers: signed });
    } catch (error) {
      throw lostConnection(error);
    }
  }

  async open(): Promise<Transport> {
    return this.#transport({});
  }

  /** Closes nothing: client-node's agents keep no connection open. */
  close(): void {}

  #transport({ agent }: RequestOptions): Http1Transport {
    return new Http1Transport(this.#endpoint, agent instanceof Agent ? agent : new Agent());
  }
}

function lowerCased({ headers = {}, auth }: RequestOptions): Record<string, string> {
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
  const basic = `Basic ${Buffer.from(auth ?? "").toString("base64")}`;
  return { ...(auth && { authorization: basic }), ...Object.fromEntries(given) };
}
