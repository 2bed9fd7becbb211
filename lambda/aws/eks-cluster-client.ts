import { DescribeClusterCommand, type EKSClient } from "@aws-sdk/client-eks";
import type { AwsCredentialIdentityProvider } from "@smithy/types";
import type { Clock, LearningClock } from "../base/clock.port.ts";
import { productName, productVersion } from "../base/contract.ts";
import { Fault } from "../base/fault.ts";
import { ConnectionError } from "../http/lost-connection.ts";
import { PersistentTransport } from "../http/persistent-transport.ts";
import { askAgain } from "../kubernetes/ask-again.ts";
import {
  type KubeAddress,
  type KubeCall,
  type KubeClient,
  KubeConnection,
} from "../kubernetes/kube-connection.ts";
import { tryRefusal } from "../kubernetes/kube-fault.ts";
import { taughtTransport } from "../kubernetes/taught-transport.ts";
import { awsFault, isAwsError } from "./aws-fault.ts";
import { EksToken } from "./eks-token.ts";

/** Makes a connection to an API server, whose calls carry a token. */
export type OpenConnection = (address: KubeAddress, token: () => Promise<string>) => KubeConnection;

/** The cluster to call, and what the calls need. */
interface EksClusterClientOptions {
  readonly eks: EKSClient;
  readonly clusterName: string;
  readonly token: EksToken;
  readonly clock: Clock;
  readonly open: OpenConnection;
}

/**
 * Calls the API server of an EKS cluster.
 *
 * EKS may change the endpoint and the certificate authority. The client asks EKS for them once, and again after the
 * connection to them was refused or not trusted. After a token was refused it signs a new one, once for each call.
 */
export class EksClusterClient implements KubeClient {
  readonly #options: EksClusterClientOptions;
  #connection: Promise<KubeConnection> | undefined;

  constructor(options: EksClusterClientOptions) {
    this.#options = options;
  }

  ask<T>(doing: string, call: KubeCall<T>): Promise<T> {
    return askAgain(doing, () => this.once(call), this.#options.clock);
  }

  async once<T>(call: KubeCall<T>): Promise<T> {
    const used = this.connection();
    try {
      return await call(await used);
    } catch (cause) {
      if (!this.#isRenewed(cause, used)) throw cause;
      return call(await this.connection());
    }
  }

  /** The connection that calls go over at present. */
  connection(): Promise<KubeConnection> {
    this.#connection ??= this.#connect().catch((cause: unknown) => {
      this.#connection = undefined;
      throw cause;
    });
    return this.#connection;
  }

  /** Drops the token or the connection if a failure means that it is out of date. Returns whether to call again. */
  #isRenewed(cause: unknown, used: Promise<KubeConnection>): boolean {
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
    const { open, token } = this.#options;
    return open(await this.#address(), () => token.get());
  }

  async #address(): Promise<KubeAddress> {
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
        `${doing}: no endpoint yet, status ${cluster?.status ?? "unknown"}`,
      );
    return {
      endpoint: new URL(cluster.endpoint),
      certificateAuthority: cluster.certificateAuthority?.data,
      userAgent: `${productName}/${productVersion}`,
    };
  }
}

/** Opens the way to the API server of an EKS cluster. */
export function openCluster(options: {
  readonly eks: EKSClient;
  readonly clusterName: string;
  readonly region: string;
  readonly clock: Clock;
  /** The credentials that sign tokens. @default the credentials of the EKS client */
  readonly credentials?: AwsCredentialIdentityProvider;
  readonly open: OpenConnection;
}): EksClusterClient {
  const { eks, clock } = options;
  const { credentials = eks.config.credentials } = options;
  const token = new EksToken({ ...options, credentials, now: clock.now });
  return new EksClusterClient({ ...options, token });
}

/** Makes connections over the network, whose answers teach a clock. */
export const overTheNetwork =
  (clock: Pick<LearningClock, "asks">): OpenConnection =>
  (address, token) => {
    const transport = () => taughtTransport(new PersistentTransport(address), clock);
    return new KubeConnection(address, token, transport(), transport());
  };
