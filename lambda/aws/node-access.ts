import { type Cluster, DescribeClusterCommand, type EKSClient } from "@aws-sdk/client-eks";
import { GetInstanceProfileCommand, IAMClient, type IAMClientConfig } from "@aws-sdk/client-iam";
import type { Clock } from "../base/clock.port.ts";
import { minutes, seconds } from "../base/time.ts";
import { KubeEventRecorder } from "../kubernetes/event-recorder.ts";
import type { KubeClient } from "../kubernetes/kube-connection.ts";
import type { LaunchPorts, RoleRegistry, Roles } from "../launch/launch.port.ts";
import type {
  AccessByFunction,
  AccessChoice,
  NodeRole,
  Registration,
} from "../launch/node-mapping.ts";
import { TtlCache } from "../process/ttl-cache.ts";
import { AccessEntries } from "./access-entries.ts";
import { AwsAuthAccess, refusal } from "./aws-auth-access.ts";
import { AwsAuthMap } from "./aws-auth-map.ts";
import { ask, assertAnswered } from "./aws-fault.ts";

/** The cluster that nodes join, who registers their roles, and the options of AWS clients. */
export interface NodeAccessOptions extends Omit<RegistrationOptions, "nodeAccess"> {
  readonly nodeAccess: AccessChoice;
  readonly options: IAMClientConfig;
}

/** The ports of a launch besides those of a drain. */
export type NodeAccess = Pick<LaunchPorts, "access" | "roles">;

/** The roles of instances, and how they are registered. */
export function nodeAccessPorts(given: NodeAccessOptions): NodeAccess {
  const { nodeAccess, options, clock } = given;
  if (nodeAccess === "at deployment") return atDeployment;
  const access = roleRegistration({ ...given, nodeAccess });
  return { roles: new IamRoles(new IAMClient(options), clock), access };
}

/**
 * The stack has created the access entries. The function may call neither IAM nor EKS, so the instance profile stands for
 * its role.
 */
const atDeployment: NodeAccess = {
  roles: { roleIn: async (profile) => profile },
  access: { register: async () => ({ by: "access-entry", change: "none", version: "" }) },
};

/** The instance profiles and roles of an account. */
export class IamRoles implements Roles {
  readonly #client: IAMClient;
  // IAM throttles early, and the role of a profile hardly ever changes. But IAM learns late of a new one: what it
  // does not know yet is asked again soon.
  readonly #memory: TtlCache<string | "none">;

  constructor(client: IAMClient, clock: Pick<Clock, "now">) {
    this.#client = client;
    this.#memory = new TtlCache(clock, (role) => (role === "none" ? seconds(5) : minutes(5)));
  }

  roleIn(profile: string): Promise<string | "none"> {
    return this.#memory.recall(profile, () => this.#ask(profile));
  }

  #ask(profile: string): Promise<string | "none"> {
    const name = profile.split("/").at(-1) ?? "";
    const command = new GetInstanceProfileCommand({ InstanceProfileName: name });
    const read = async (doing: string) => {
      const answer = await this.#client.send(command);
      const { InstanceProfile: found } = answer;
      if (found === undefined) assertAnswered(answer, doing);
      return found?.Roles?.[0]?.Arn ?? "none";
    };
    return ask(`reading instance profile ${name}`, read, [/^NoSuchEntity/, "none"]);
  }
}

/** The two ways to register roles, and what the choice between them depends on. */
interface RoleRegistrationOptions {
  readonly eks: EKSClient;
  readonly clusterName: string;
  readonly nodeAccess: AccessByFunction;
  readonly awsAuth: Pick<AwsAuthAccess, "register" | "standing">;
  readonly entries: Pick<AccessEntries, "register" | "has">;
  readonly clock: Pick<Clock, "now">;
}

/**
 * Registers the roles of nodes in the way that the cluster's authentication mode wants.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/setting-up-access-entries.html
 */
export class RoleRegistration implements RoleRegistry {
  readonly #options: RoleRegistrationOptions;
  // A cluster changes its mode once or twice in its life.
  readonly #modes: TtlCache<string>;

  constructor(options: RoleRegistrationOptions) {
    this.#options = options;
    this.#modes = new TtlCache(options.clock, () => minutes(5));
  }

  async register(role: NodeRole): Promise<Registration> {
    const { awsAuth, entries } = this.#options;
    switch (await this.#authenticationMode()) {
      case "API":
        return entries.register(role);
      case "API_AND_CONFIG_MAP":
        return this.#registerInEither(role);
      default:
        return awsAuth.register(role);
    }
  }

  /**
   * An access entry is the usual way, and goes first, so it takes the place of all that `aws-auth` gives to a role. It is
   * not made where somebody would lose something by it that the map is seen to give.
   */
  async #registerInEither(role: NodeRole): Promise<Registration> {
    const { awsAuth, entries } = this.#options;
    const { standing, version } = await awsAuth.standing(role);
    if (standing.kind === "free" || (await entries.has(role))) return entries.register(role);
    if (standing.kind === "enough") return { by: "aws-auth", change: "none", version };
    throw refusal(role, standing);
  }

  #authenticationMode(): Promise<string> {
    const { nodeAccess, clusterName } = this.#options;
    if (nodeAccess === "aws-auth") return Promise.resolve("CONFIG_MAP");
    if (nodeAccess === "access-entry") return Promise.resolve("API");
    return this.#modes.recall(clusterName, () => this.#describe());
  }

  #describe(): Promise<string> {
    const { eks, clusterName } = this.#options;
    return ask(`describing cluster ${clusterName}`, async (doing) => {
      const answer = await eks.send(new DescribeClusterCommand({ name: clusterName }));
      const { cluster } = answer;
      if (cluster === undefined) assertAnswered(answer, doing);
      const found: Cluster = cluster ?? {};
      return found.accessConfig?.authenticationMode ?? "CONFIG_MAP";
    });
  }
}

/** The cluster in which roles are registered, and what the registration needs. */
interface RegistrationOptions {
  readonly client: KubeClient;
  readonly eks: EKSClient;
  readonly clusterName: string;
  readonly nodeAccess: AccessByFunction;
  readonly clock: Clock;
}

/** Creates the registry of roles for a cluster. */
function roleRegistration(options: RegistrationOptions): RoleRegistration {
  const { client, clock } = options;
  const events = new KubeEventRecorder(client);
  const awsAuth = new AwsAuthAccess({ map: new AwsAuthMap(client), events, clock });
  return new RoleRegistration({ ...options, awsAuth, entries: new AccessEntries(options) });
}
