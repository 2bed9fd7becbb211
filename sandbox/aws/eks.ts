import { type Duration, type Instant, seconds } from "../../lambda/base/time.ts";
import type { Timeline } from "../timeline.ts";
import { AccessEntries } from "./access-entries.ts";
import { type Account, arnOf, iamArnOf } from "./account.ts";
import type { AwsAuthData } from "./aws-auth.ts";
import { notFound } from "./aws-error.ts";
import type { Iam } from "./iam.ts";
import type { AuthenticatedCluster } from "./token-authenticator.ts";

/** Where a cluster looks up its users: in access entries, in ConfigMap `aws-auth`, or in both. */
export type AuthenticationMode = "API" | "API_AND_CONFIG_MAP" | "CONFIG_MAP";

/** EKS' facts about a cluster. */
export interface ClusterSpec {
  readonly name: string;
  readonly version: string;
  /** The URL of its API server. */
  readonly endpoint: string;
  /** The CA's certificates, as PEM. */
  readonly certificateAuthority: string;
  readonly authenticationMode: AuthenticationMode;
  /** From where the API server can be reached. */
  readonly endpointAccess: "private" | "public" | "public and private";
  readonly status: "ACTIVE" | "CREATING" | "DELETING" | "FAILED" | "PENDING" | "UPDATING";
}

/** A cluster as it is now. */
export interface EksCluster extends ClusterSpec {
  readonly arn: string;
  readonly roleArn: string;
  readonly createdAt: Instant;
  readonly entries: AccessEntries;
}

/** The facts on which the clusters of an account depend. */
export interface EksWorld {
  readonly timeline: Timeline;
  readonly account: Account;
  readonly iam: Iam;
}

type NewCluster = Omit<ClusterSpec, "endpointAccess" | "status"> &
  Partial<Pick<ClusterSpec, "endpointAccess" | "status">> & {
    readonly propagation?: Duration;
  };

/** The clusters of an account. */
export class Eks {
  readonly #world: EksWorld;
  readonly #clusters = new Map<string, EksCluster>();

  constructor(world: EksWorld) {
    this.#world = world;
  }

  createCluster({ propagation = seconds(0), ...spec }: NewCluster): EksCluster {
    const { timeline, account } = this.#world;
    const cluster: EksCluster = {
      status: "ACTIVE",
      endpointAccess: "public and private",
      ...spec,
      arn: this.arnOf(spec.name),
      roleArn: iamArnOf(account, `role/${spec.name}-cluster`),
      createdAt: timeline.now(),
      entries: new AccessEntries({ ...this.#world, clusterName: spec.name, propagation }),
    };
    this.#clusters.set(spec.name, cluster);
    return cluster;
  }

  /** Changes what EKS reports about a cluster: a new CA, another endpoint, another mode. */
  updateCluster(name: string, change: Partial<Omit<ClusterSpec, "name">>): void {
    this.#clusters.set(name, { ...this.findCluster(name), ...change });
  }

  /** The names of all clusters. */
  clusterNames(): readonly string[] {
    return [...this.#clusters.keys()];
  }

  findCluster(name: string): EksCluster {
    const cluster = this.#clusters.get(name);
    if (cluster === undefined) throw notFound(`No cluster found for name: ${name}.`);
    return cluster;
  }

  arnOf(name: string): string {
    return arnOf(this.#world.account, "eks", `cluster/${name}`);
  }

  /** A cluster as its authenticator sees it; every lookup uses the cluster's current mode. */
  authenticated(name: string, awsAuth: () => AwsAuthData | undefined): AuthenticatedCluster {
    const { region } = this.#world.account;
    const mode = () => this.findCluster(name).authenticationMode;
    return {
      name,
      region,
      awsAuth: () => (mode() === "API" ? undefined : awsAuth()),
      accessEntry: (canonicalArn, userId) =>
        mode() === "CONFIG_MAP"
          ? undefined
          : this.findCluster(name).entries.tryMap(canonicalArn, userId),
    };
  }
}
