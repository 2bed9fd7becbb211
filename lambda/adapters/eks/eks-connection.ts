import { DescribeClusterCommand, type EKSClient } from "@aws-sdk/client-eks";
import { productName, productVersion } from "../../contract.ts";
import { type Duration, seconds } from "../../domain/time.ts";
import { Fault } from "../../fault.ts";
import { awsFault, isAwsError } from "../aws/aws-fault.ts";
import { ConnectionError } from "../http/connection-error.ts";
import type { KubeAddress, KubeConnection } from "../kubernetes/connection/kube-connection.ts";
import { kubeFault, tryRefusal } from "../kubernetes/connection/kube-fault.ts";
import type { EksToken } from "./eks-token.ts";

/** Which cluster, and what opens it. */
export interface EksConnectionOptions {
  readonly eks: EKSClient;
  readonly clusterName: string;
  readonly token: EksToken;
  readonly pause: (duration: Duration) => Promise<void>;
  /** Opens a connection to an API server. */
  readonly open: (address: KubeAddress, token: () => Promise<string>) => KubeConnection;
}

/** A call of the Kubernetes API over whatever connection there is now. */
export type KubeCall<T> = (connection: KubeConnection) => Promise<T>;

const mostRetries = 3;
const longestPause = 8;

/**
 * The way into an EKS cluster.
 *
 * Endpoint and certificate authority are EKS's to change: they are asked for once, and again when the
 * connection they led to is not trusted or not taken. A refused token is signed anew, once.
 */
export class EksConnection {
  readonly #options: EksConnectionOptions;
  #connection: Promise<KubeConnection> | undefined;

  constructor(options: EksConnectionOptions) {
    this.#options = options;
  }

  /** Asks something that may be asked again: throttling is waited out as the server wishes. */
  async ask<T>(doing: string, call: KubeCall<T>, retries = mostRetries): Promise<T> {
    try {
      return await this.once(call);
    } catch (cause) {
      const wait = retryAfter(cause);
      if (wait === undefined || retries === 0) throw kubeFault(doing, cause);
      await this.#options.pause(seconds(wait));
    }
    return this.ask(doing, call, retries - 1);
  }

  /** Asks something once, and gives its error as it is. */
  async once<T>(call: KubeCall<T>): Promise<T> {
    const used = this.current();
    try {
      return await call(await used);
    } catch (cause) {
      if (!this.#renewed(cause, used)) throw cause;
      return call(await this.current());
    }
  }

  /** The connection that is in use. */
  current(): Promise<KubeConnection> {
    this.#connection ??= this.#connect();
    return this.#connection;
  }

  /** Whether the answer says that what we came with is out of date, and it has been renewed. */
  #renewed(cause: unknown, used: Promise<KubeConnection>): boolean {
    if (tryRefusal(cause)?.code === 401) {
      this.#options.token.refused();
      return true;
    }
    if (!(cause instanceof ConnectionError)) return false;
    if (cause.reason === "reset" || cause.reason === "timeout") return false;
    if (this.#connection === used) this.#connection = undefined;
    return cause.reason === "tls";
  }

  async #connect(): Promise<KubeConnection> {
    try {
      const { token } = this.#options;
      const address = await this.#address();
      return this.#options.open(address, () => token.get());
    } catch (cause) {
      this.#connection = undefined;
      throw cause;
    }
  }

  async #address() {
    const { eks, clusterName } = this.#options;
    const doing = `describing cluster ${clusterName}`;
    const { cluster } = await eks
      .send(new DescribeClusterCommand({ name: clusterName }))
      .catch((cause: unknown) => {
        throw isAwsError(cause, /^ResourceNotFound/, /./)
          ? new Fault("cluster.not-found", `${doing}: EKS knows no such cluster`, { cause })
          : awsFault(doing, cause);
      });
    if (cluster?.endpoint === undefined)
      throw new Fault(
        "cluster.unreachable",
        `${doing}: no endpoint yet, status ${cluster?.status}`,
      );
    return {
      endpoint: new URL(cluster.endpoint),
      certificateAuthority: cluster.certificateAuthority?.data,
      userAgent: `${productName}/${productVersion}`,
    };
  }
}

/** In how many seconds the server wants to be asked again; `undefined` if it wants nothing of the kind. */
function retryAfter(cause: unknown): number | undefined {
  const refusal = tryRefusal(cause);
  if (refusal === undefined || (refusal.code !== 429 && refusal.code !== 503)) return undefined;
  return Math.min(longestPause, Math.max(1, Number(refusal.retryAfter) || 1));
}
