import { awsAt } from "../connect/aws-access.ts";
import { clusterAt } from "../connect/cluster-access.ts";
import type { ConnectionOptions } from "../connect/connection-options.ts";
import { deploymentAt } from "../connect/deployment-at.ts";
import { mapped, unknown } from "../connect/found.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Io } from "../io.ts";
import type { Message } from "../replay/saved-event-schema.ts";
import { atSite } from "./drain-site.ts";
import { tryEvent } from "./try-event.ts";

/** A saved event, and the real cluster on which it is tried. */
export interface RealReplay extends ConnectionOptions {
  readonly messages: readonly Message[];
  readonly cluster?: string;
}

/** Tries a saved event on a real cluster, and changes nothing there. */
export async function replayOnCluster(replay: RealReplay, io: Io): Promise<ExitCode> {
  const { messages, cluster, ...connection } = replay;
  const open = () => clusterAt(cluster, connection);
  return atSite({ open, json: connection.json === true, io }, async (site) => {
    const policy = await policyOf(cluster, connection);
    return tryEvent({ messages, connection, policy }, site);
  });
}

async function policyOf(cluster: string | undefined, connection: ConnectionOptions) {
  if (cluster === undefined) return unknown("no --cluster is named", "name it with --cluster");
  const { config } = await deploymentAt(cluster, awsAt(connection), connection);
  return mapped(config, ({ drain }) => drain);
}
