import { DescribeClusterCommand, type EKSClient } from "@aws-sdk/client-eks";
import type { Access, AccessChoice } from "../../domain/launch/access.ts";
import type { NodeRole } from "../../domain/launch/node-mapping.ts";
import { minutes } from "../../domain/time.ts";
import type { Clock } from "../../ports/clock.ts";
import type { NodeAccess } from "../../ports/node-access.ts";
import { awsFault } from "../aws/aws-fault.ts";
import { KubeEvents } from "../kubernetes/kube-events.ts";
import { Memory } from "../local/ttl-cache.ts";
import { AccessEntries } from "./access-entries.ts";
import { AwsAuthAccess } from "./aws-auth-access.ts";
import { AwsAuthMap } from "./aws-auth-map.ts";
import type { EksConnection } from "./eks-connection.ts";

/** The ways in, and what chooses between them. */
export interface WaysIn {
  readonly eks: EKSClient;
  readonly clusterName: string;
  readonly choice: AccessChoice;
  readonly awsAuth: Pick<AwsAuthAccess, "admit" | "maps">;
  readonly entries: NodeAccess;
  readonly clock: Pick<Clock, "now">;
}

/**
 * Lets nodes in the way the cluster's authentication mode says.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/setting-up-access-entries.html
 */
export class ClusterAccess implements NodeAccess {
  readonly #ways: WaysIn;
  // A mode is changed once or twice in the life of a cluster.
  readonly #modes: Memory<string>;

  constructor(ways: WaysIn) {
    this.#ways = ways;
    this.#modes = new Memory(ways.clock, minutes(5));
  }

  async admit(role: NodeRole): Promise<Access> {
    const { awsAuth, entries } = this.#ways;
    switch (await this.#authenticationMode()) {
      case "API":
        return entries.admit(role);
      case "API_AND_CONFIG_MAP":
        return (await awsAuth.maps(role)) ? awsAuth.admit(role) : entries.admit(role);
      default:
        return awsAuth.admit(role);
    }
  }

  #authenticationMode(): Promise<string> {
    const { choice, clusterName } = this.#ways;
    if (choice === "aws-auth") return Promise.resolve("CONFIG_MAP");
    if (choice === "access-entry") return Promise.resolve("API");
    return this.#modes.recall(clusterName, () => this.#ask());
  }

  async #ask(): Promise<string> {
    const { eks, clusterName } = this.#ways;
    try {
      const { cluster } = await eks.send(new DescribeClusterCommand({ name: clusterName }));
      return cluster?.accessConfig?.authenticationMode ?? "CONFIG_MAP";
    } catch (cause) {
      throw awsFault(`describing cluster ${clusterName}`, cause);
    }
  }
}

/** What the ways in are made of. */
export interface AccessDesk {
  readonly connection: EksConnection;
  readonly eks: EKSClient;
  readonly clusterName: string;
  readonly choice: AccessChoice;
  readonly clock: Clock;
}

/** Puts together all ways into a cluster. */
export function clusterAccess(desk: AccessDesk): ClusterAccess {
  const { connection, clock } = desk;
  const events = new KubeEvents(connection, clock);
  const awsAuth = new AwsAuthAccess({ map: new AwsAuthMap(connection), events, clock });
  return new ClusterAccess({ ...desk, awsAuth, entries: new AccessEntries(desk) });
}
