import { existsSync } from "node:fs";
import { Agent } from "node:http";
import type { RequestOptions } from "node:https";
import { join } from "node:path";
import { env } from "node:process";
import { type Cluster, KubeConfig, type User } from "@kubernetes/client-node";
import type { LearningClock } from "../../lambda/base/clock.port.ts";
import { productName, productVersion } from "../../lambda/base/contract.ts";
import { Http1Transport } from "../../lambda/http/http1-transport.ts";
import { lostConnection } from "../../lambda/http/lost-connection.ts";
import type {
  Transport,
  TransportRequest,
  TransportResponse,
} from "../../lambda/http/transport.ts";
import { askAgain } from "../../lambda/kubernetes/ask-again.ts";
import {
  type KubeCall,
  type KubeClient,
  KubeConnection,
  type KubeTransport,
} from "../../lambda/kubernetes/kube-connection.ts";
import { taughtTransport } from "../../lambda/kubernetes/taught-transport.ts";
import { CommandFailure } from "../command-failure.ts";
import type { ConnectionOptions } from "./connection-options.ts";
import { KubectlConfig } from "./kubectl-config.ts";

/** Sends requests to the API server of a kubeconfig's current context. */
export class KubeconfigClient implements KubeClient {
  readonly #connection: KubeConnection;
  readonly #clock: LearningClock;

  constructor(
    kubeConfig: KubeConfig,
    clock: LearningClock,
    over: (transport: KubeTransport) => KubeTransport = (transport) => transport,
  ) {
    const endpoint = new URL(kubeConfig.getCurrentCluster()?.server ?? "");
    const userAgent = `${productName}/${productVersion}`;
    const own = over(new KubeconfigTransport(kubeConfig, endpoint));
    const transport = taughtTransport(own, clock);
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

/** Sends requests as the user of a kubeconfig. client-node runs the user's credential program or presents the certificate. */
class KubeconfigTransport implements KubeTransport {
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

  /** Does nothing: client-node's agents keep no connection open. */
  close(): void {}

  #transport({ agent }: RequestOptions): Http1Transport {
    return new Http1Transport(this.#endpoint, agent instanceof Agent ? agent : new Agent());
  }
}

function lowerCased({ headers = {}, auth }: RequestOptions): Record<string, string | string[]> {
  const given = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    Array.isArray(value) ? value : String(value),
  ]);
  const basic = `Basic ${Buffer.from(auth ?? "").toString("base64")}`;
  return { ...(auth && { authorization: basic }), ...Object.fromEntries(given) };
}

/** Reads a kubeconfig as kubectl reads it; kubectl's own files if only a context is given. */
export function readKubeconfig(
  { kubeconfig: file, context }: Pick<ConnectionOptions, "kubeconfig" | "context">,
  cluster: string | undefined,
): KubeConfig {
  const from = file ?? "the kubeconfig of kubectl";
  const read = readFiles(file, from, cluster);
  if (file === undefined) assertFound(read);
  if (context !== undefined) read.setCurrentContext(context);
  assertUsable(read, from);
  return read;
}

function readFiles(file: string | undefined, from: string, cluster: string | undefined) {
  try {
    if (file !== undefined) return KubectlConfig.at(file, env);
    const { KUBECONFIG: listed = "", HOME: home = "" } = env;
    if (listed !== "") return KubectlConfig.among(listed, env);
    const usual = join(home, ".kube/config");
    if (existsSync(usual)) return KubectlConfig.at(usual, env);
    const read = new KubeConfig();
    read.loadFromDefault();
    return read;
  } catch (cause) {
    throw unreadable(from, cause, cluster);
  }
}

function unreadable(from: string, cause: unknown, cluster: string | undefined): CommandFailure {
  const message = cause instanceof Error ? cause.message : String(cause);
  const instead = cluster === undefined ? "in its place --cluster NAME" : "leave it out";
  const remedy = `give a file that \`kubectl --kubeconfig\` takes, or ${instead} for a token of EKS`;
  // An error of YAML has an excerpt of the file below its first line.
  return new CommandFailure(`reading ${from}: ${message.replace(/\n.*/s, "")}`, remedy, { cause });
}

/** Without a kubeconfig, client-node would fall back to a default server. The files of KUBECONFIG may all be absent. */
function assertFound(read: KubeConfig): void {
  const server = read.getCurrentCluster()?.server;
  if (read.getClusters().length > 0 && server !== "http://localhost:8080") return;
  throw new CommandFailure(
    "there is no kubeconfig: KUBECONFIG names none, and ~/.kube/config is not there",
    "give --kubeconfig, or the cluster's name with --cluster",
  );
}

function assertUsable(read: KubeConfig, from: string): void {
  const context = read.getCurrentContext();
  const cluster = read.getCurrentCluster();
  const user = read.getCurrentUser();
  if (cluster !== null && user !== null) {
    assertClear(cluster, user, from);
    assertSecure(cluster, from);
    return;
  }
  const known = read.getContexts().map(({ name }) => name);
  throw new CommandFailure(
    `reading ${from}: it has no context ${context || "that is current"} with a cluster and a user`,
    `name one of its contexts with --context: ${known.join(", ") || "it has none"}`,
  );
}

/** Refuses two fields of which one would count, as kubectl does. */
function assertClear(cluster: Cluster, user: User, from: string): void {
  const { caData, caFile, skipTLSVerify } = cluster;
  const pairs = [
    ["certificate-authority", caFile, "certificate-authority-data", caData],
    ["a certificate authority", caFile || caData, "insecure-skip-tls-verify", skipTLSVerify],
    ["client-certificate", user.certFile, "client-certificate-data", user.certData],
    ["client-key", user.keyFile, "client-key-data", user.keyData],
  ] as const;
  for (const [one, has, other, hasOther] of pairs)
    if (has && hasOther)
      throw new CommandFailure(
        `reading ${from}: it has ${one}, and ${other}`,
        "take out one of both",
      );
}

/** Allows TLS only, because tokens and certificates are sent. */
function assertSecure({ name, server }: Cluster, from: string): void {
  if (server.startsWith("https://")) return;
  throw new CommandFailure(
    `reading ${from}: the server of its cluster ${name} is ${server}`,
    "give the address of the API server with https://",
  );
}
