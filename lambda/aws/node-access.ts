import { GetInstanceProfileCommand, IAMClient, type IAMClientConfig } from "@aws-sdk/client-iam";
import type { Clock } from "../base/clock.port.ts";
import { minutes, seconds } from "../base/time.ts";
import type { AccessChoice } from "../launch/access.ts";
import type { Roles } from "../launch/node-access.port.ts";
import { TtlCache } from "../process/ttl-cache.ts";
import type { LaunchPorts } from "../registrations/ports.ts";
import { assertAnswered, told } from "./aws-fault.ts";
import { type RegistrationOptions, roleRegistration } from "./role-registration.ts";

/** The cluster that nodes join, who lets in their roles, and the options of AWS clients. */
export interface NodeAccessOptions extends Omit<RegistrationOptions, "nodeAccess"> {
  readonly nodeAccess: AccessChoice;
  readonly options: IAMClientConfig;
}

/** The ports of a launch besides those of a drain. */
export type NodeAccess = Pick<LaunchPorts, "access" | "roles">;

/** The roles of instances, and how they are let in. */
export function nodeAccessPorts(given: NodeAccessOptions): NodeAccess {
  const { nodeAccess, options, clock } = given;
  if (nodeAccess === "at deployment") return atDeployment;
  const access = roleRegistration({ ...given, nodeAccess });
  return { roles: new IamRoles(new IAMClient(options), clock), access };
}

/** The stack has let the roles in. The function may ask neither IAM nor EKS, so the instance profile stands for its role. */
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
    return told(`reading instance profile ${name}`, read, [/^NoSuchEntity/, "none"]);
  }
}
