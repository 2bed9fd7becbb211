import { type Cluster, KubeConfig } from "@kubernetes/client-node";
import { CommandFailure } from "../command-failure.ts";
import type { ConnectionOptions } from "./connection-options.ts";

/** Reads a kubeconfig, or kubectl's own where only a context is given; the user may be of any kind that client-node knows. */
export function readKubeconfig({
  kubeconfig: file,
  context,
}: Pick<ConnectionOptions, "kubeconfig" | "context">): KubeConfig {
  const read = new KubeConfig();
  const told = file ?? "the kubeconfig of kubectl";
  try {
    if (file === undefined) read.loadFromDefault();
    else read.loadFromFile(file);
  } catch (cause) {
    throw unreadable(told, cause);
  }
  if (file === undefined) assertFound(read);
  if (context !== undefined) read.setCurrentContext(context);
  assertUsable(read, told);
  return read;
}

function unreadable(told: string, cause: unknown): CommandFailure {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new CommandFailure(`reading ${told}: ${message}`, giveFile, { cause });
}

const giveFile =
  "give a file that `kubectl --kubeconfig` takes, or leave it out for a token of EKS";

/** Where there is no kubeconfig, client-node goes to a server of its own choice. */
function assertFound(read: KubeConfig): void {
  if (read.getCurrentCluster()?.server !== "http://localhost:8080") return;
  throw new CommandFailure(
    "there is no kubeconfig: KUBECONFIG names none, and ~/.kube/config is not there",
    "give --kubeconfig, or the cluster's name with --cluster",
  );
}

function assertUsable(read: KubeConfig, told: string): void {
  const context = read.getCurrentContext();
  const cluster = read.getCurrentCluster();
  if (cluster !== null && read.getCurrentUser() !== null) {
    assertSecure(cluster, told);
    return;
  }
  const known = read.getContexts().map(({ name }) => name);
  throw new CommandFailure(
    `reading ${told}: it has no context ${context || "that is current"} with a cluster and a user`,
    `name one of its contexts with --context: ${known.join(", ") || "it has none"}`,
  );
}

/** Tokens and certificates are sent over TLS alone. */
function assertSecure({ name, server }: Cluster, told: string): void {
  if (server.startsWith("https://")) return;
  throw new CommandFailure(
    `reading ${told}: the server of its cluster ${name} is ${server}`,
    "give the address of the API server with https://",
  );
}
