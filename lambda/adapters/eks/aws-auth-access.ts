import type { V1ConfigMap } from "@kubernetes/client-node";
import type { AwsAuthEdit } from "../../domain/aws-auth/edit.ts";
import type { Registration } from "../../domain/launch/access.ts";
import { type NodeRole, nodeMapping } from "../../domain/launch/node-mapping.ts";
import { tryRoleArn } from "../../domain/launch/role-arn.ts";
import { milliseconds } from "../../domain/time.ts";
import { Fault } from "../../fault.ts";
import type { Clock } from "../../ports/clock.ts";
import type { RoleRegistry } from "../../ports/node-access.ts";
import type { KubeEvents } from "../kubernetes/kube-events.ts";
import { sleepFor } from "../local/sleep-for.ts";
import { type AwsAuthMap, awsAuthTitle } from "./aws-auth-map.ts";

/** The map that gets the roles, and what is needed to write it. */
export interface AwsAuthAccessOptions {
  readonly map: AwsAuthMap;
  readonly events: KubeEvents;
  readonly clock: Clock;
}

const mostTries = 20;
const longestPause = 1000;

/** Registers the roles of nodes by entries in `aws-auth`. */
export class AwsAuthAccess implements RoleRegistry {
  readonly #options: AwsAuthAccessOptions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: AwsAuthAccessOptions) {
    this.#options = options;
  }

  /** Registers one role after the other: most waiting calls find that the call before has mapped their role. */
  register(role: NodeRole): Promise<Registration> {
    const turn = this.#last.then(() => this.#register(role));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Whether a role is mapped already, so that nothing has to be written for it. */
  async maps(role: NodeRole): Promise<boolean> {
    return (await edit(await this.#options.map.read(), role)).kind === "already";
  }

  async #register(role: NodeRole, tries = mostTries): Promise<Registration> {
    const { map, events } = this.#options;
    const found = await map.read();
    const outcome = await edit(found, role);
    if (outcome.kind === "already") return registrationIn(found, "none");
    if (outcome.kind !== "edited") {
      const fault = refusal(role, outcome);
      await events.record({ about: found, reason: "NodeRoleNotMapped", message: fault.message });
      throw fault;
    }
    const written = await map.write(found, outcome.text);
    if (written === "changed") return this.#retry(role, tries - 1);
    const message = `${role.arn} may join the cluster as a node (${role.platform})`;
    await events.record({ about: written, reason: "NodeRoleMapped", message });
    return registrationIn(written, "added");
  }

  async #retry(role: NodeRole, tries: number): Promise<Registration> {
    if (tries === 0)
      throw new Fault("cluster.refused", `writing ${awsAuthTitle}: others kept writing it`);
    const pause = milliseconds(Math.random() * longestPause);
    await sleepFor(pause, this.#options.clock);
    return this.#register(role, tries);
  }
}

async function edit({ data }: V1ConfigMap, { arn, platform }: NodeRole): Promise<AwsAuthEdit> {
  const role = tryRoleArn(arn);
  if (role === undefined)
    throw new Fault("aws.refused", `mapping ${arn}: this is not the ARN of a role`);
  // Only a launch needs the YAML library; nothing else loads it.
  const { awsAuthEdit } = await import("../../domain/aws-auth/edit.ts");
  const { mapRoles = "" } = data ?? {};
  return awsAuthEdit(mapRoles, nodeMapping(role, platform));
}

const registrationIn = (
  { metadata }: V1ConfigMap,
  change: Registration["change"],
): Registration => ({
  by: "aws-auth",
  change,
  version: metadata?.resourceVersion ?? "",
});

type Refusal = Extract<AwsAuthEdit, { readonly kind: "taken" | "unreadable" }>;

function refusal({ arn }: NodeRole, outcome: Refusal): Fault {
  const doing = `mapping ${arn} in ${awsAuthTitle}, mapRoles`;
  return outcome.kind === "unreadable"
    ? new Fault("access.unreadable", `${doing}: ${outcome.reason}`)
    : new Fault(
        "access.taken",
        `${doing}: line ${outcome.line} maps it to "${outcome.username}", who is no node`,
      );
}
