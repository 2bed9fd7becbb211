import { GetInstanceProfileCommand, type IAMClient } from "@aws-sdk/client-iam";
import type { Clock } from "../base/clock.port.ts";
import { minutes, seconds } from "../base/time.ts";
import type { Roles } from "../launch/node-access.port.ts";
import { TtlCache } from "../process/ttl-cache.ts";
import { assertAnswered, told } from "./aws-fault.ts";

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
