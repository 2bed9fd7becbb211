import type { EKSClient } from "@aws-sdk/client-eks";
import type { AwsCredentialIdentityProvider } from "@smithy/types";
import type { Clock } from "../base/clock.port.ts";
import { KubeConnection } from "../kubernetes/kube-connection.ts";
import { EksClusterClient, type OpenConnection } from "./eks-cluster-client.ts";
import { EksToken } from "./eks-token.ts";

/** Which cluster, and who calls it. */
export interface OpenClusterOptions {
  readonly eks: EKSClient;
  readonly clusterName: string;
  readonly region: string;
  readonly clock: Clock;
  /** What tokens are signed with. @default the credentials of the EKS client */
  readonly credentials?: AwsCredentialIdentityProvider;
  /** Makes a connection to an API server. @default one over the network */
  readonly open?: OpenConnection;
}

/** Opens the way to the API server of an EKS cluster. */
export function openCluster(options: OpenClusterOptions): EksClusterClient {
  const { eks, clock } = options;
  const { credentials = eks.config.credentials, open = overTheNetwork } = options;
  const token = new EksToken({ ...options, credentials, now: clock.now });
  return new EksClusterClient({ ...options, token, open });
}

const overTheNetwork: OpenConnection = (address, token) => new KubeConnection(address, token);
