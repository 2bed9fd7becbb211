import type { Scenario, World } from "../scenario.ts";
import { type AwsServer, startAwsServer } from "./aws-server.ts";
import { startKubeServer } from "./kube-server.ts";
import { startSilentServer } from "./silent-server.ts";

/** The servers of a sandbox, and the address and authority that EKS reports for the cluster. */
export interface SandboxServers {
  readonly account: AwsServer;
  readonly endpoint: string;
  /** As PEM. */
  readonly certificateAuthority: string;
  close(): Promise<void>;
}

/**
 * Serves the account and the cluster of a world on loopback.
 * If the scenario wants a silent API server, the endpoint is that of a server that never answers.
 */
export async function startServers(
  { aws, cluster }: World,
  { apiServer }: Pick<Scenario, "apiServer">,
): Promise<SandboxServers> {
  const account = await startAwsServer(aws, { signatures: "judged" });
  const kubernetes = await startKubeServer(cluster);
  const silent = await startSilentServer();
  return {
    account,
    endpoint: (apiServer === "silent" ? silent : kubernetes).url,
    certificateAuthority: Buffer.from(kubernetes.certificateAuthority, "base64").toString(),
    async close() {
      await Promise.all([account, kubernetes, silent].map((server) => server.close()));
    },
  };
}
