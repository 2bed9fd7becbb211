import { type Clock, sleepFor } from "../base/clock.port.ts";
import { Fault } from "../base/fault.ts";
import { tryRoleArn } from "../base/role-arn.ts";
import { milliseconds } from "../base/time.ts";
import { type AwsAuthEdit, awsAuthEdit } from "../launch/aws-auth/edit.ts";
import { type RoleInMap, roleInMap } from "../launch/aws-auth/role-in-map.ts";
import { mappingJson } from "../launch/aws-auth/text.ts";
import type { RoleRegistry } from "../launch/launch.port.ts";
import {
  type NodeRole,
  nodeMapping,
  type Registration,
  type RoleMapping,
} from "../launch/node-mapping.ts";
import { LastText } from "../process/last-text.ts";
import { type EventFacts, eventBody } from "../report/event-body.ts";
import type { EventRecorder } from "../report/report.port.ts";
import { type AwsAuthMap, awsAuthTitle, type SentMap } from "./aws-auth-map.ts";

/** The map that gets the roles, and what is needed to write it. */
interface AwsAuthAccessOptions {
  readonly map: AwsAuthMap;
  readonly events: EventRecorder;
  readonly clock: Clock;
}

/** The rights of a role in the map, and the version of the map. */
interface RoleCheck {
  readonly standing: RoleInMap;
  readonly version: string;
}

const mostTries = 20;
const longestPause = 1000;

/** Registers the roles of nodes by entries in `aws-auth`. */
export class AwsAuthAccess implements RoleRegistry {
  readonly #options: AwsAuthAccessOptions;
  // Many instances of one role start at once, and the map may be long.
  readonly #edits = new LastText<AwsAuthEdit>();
  readonly #standings = new LastText<RoleInMap>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: AwsAuthAccessOptions) {
    this.#options = options;
  }

  /** Registers one role after the other: most waiting calls find that the call before has mapped their role. */
  register(role: NodeRole): Promise<Registration> {
    const registration = this.#last.then(() => this.#register(role));
    this.#last = registration.catch(() => undefined);
    return registration;
  }

  /** Reads what the map gives to a role, and the version of the map. */
  async standing(role: NodeRole): Promise<RoleCheck> {
    const map = await this.#options.map.read();
    const text = mapRolesOf(map);
    const standing = this.#standings.recall(text, keyOf(role), () =>
      roleInMap(text, mappingOf(role)),
    );
    return { standing, version: versionOf(map) };
  }

  async #register(role: NodeRole, tries = mostTries): Promise<Registration> {
    const { map } = this.#options;
    const found = await map.read();
    const text = mapRolesOf(found);
    const outcome = this.#edits.recall(text, keyOf(role), () => awsAuthEdit(text, mappingOf(role)));
    if (outcome.kind === "already") return registrationIn(found, "none");
    if (outcome.kind !== "edited") {
      const fault = refusal(role, outcome);
      await this.#tell(found, notMapped(fault.message));
      throw fault;
    }
    const written = await map.write(found, outcome.text);
    if (written === "changed") return this.#retry(role, tries - 1);
    await this.#tell(
      written,
      mapped(`${role.arn} may join the cluster as a node (${role.platform})`),
    );
    return registrationIn(written, "added");
  }

  /** Records an Event at the map, once for each version of it; a failure to do so is ignored. */
  async #tell(map: SentMap, said: AwsAuthEventText): Promise<void> {
    const { events, clock } = this.#options;
    const { name = "", namespace = "", uid = "" } = map.metadata ?? {};
    const regarding = { apiVersion: "v1", kind: "ConfigMap", namespace, name, uid };
    const key = [awsAuthTitle, versionOf(map), said.reason].join("\n");
    const body = eventBody({ ...said, action: "Launch", regarding }, clock.now());
    await events.record({ key, namespace, body }, "new").catch(() => undefined);
  }

  async #retry(role: NodeRole, tries: number): Promise<Registration> {
    if (tries === 0)
      throw new Fault("cluster.refused", `writing ${awsAuthTitle}: others kept writing it`);
    const pause = milliseconds(Math.random() * longestPause);
    await sleepFor(pause, this.#options.clock);
    return this.#register(role, tries);
  }
}

type AwsAuthEventText = Pick<EventFacts, "note" | "reason" | "type">;

const mapped = (note: string): AwsAuthEventText => ({
  reason: "NodeRoleMapped",
  type: "Normal",
  note,
});

const notMapped = (note: string): AwsAuthEventText => ({
  reason: "NodeRoleNotMapped",
  type: "Warning",
  note,
});

const keyOf = ({ arn, platform }: NodeRole): string => `${arn} ${platform}`;

const mapRolesOf = ({ data }: SentMap): string => {
  const { mapRoles = "" } = data ?? {};
  return mapRoles;
};

function mappingOf({ arn, platform }: NodeRole): RoleMapping {
  const role = tryRoleArn(arn);
  if (role === undefined)
    throw new Fault("aws.refused", `mapping ${arn}: this is not the ARN of a role`);
  return nodeMapping(role, platform);
}

const versionOf = ({ metadata }: SentMap): string => metadata?.resourceVersion ?? "";

const registrationIn = (map: SentMap, change: Registration["change"]): Registration => ({
  by: "aws-auth",
  change,
  version: versionOf(map),
});

type AwsAuthRefusal = Extract<
  AwsAuthEdit | RoleInMap,
  { readonly kind: "taken" | "lacking" | "unreadable" | "other" }
>;

/** The fault of a role that could not be registered because of the content of `aws-auth`. */
export function refusal(role: NodeRole, outcome: AwsAuthRefusal): Fault {
  const doing = `mapping ${role.arn} in ${awsAuthTitle}, mapRoles`;
  if (outcome.kind === "unreadable")
    return new Fault("access.unreadable", `${doing}: ${outcome.reason}; ${wayOut(role)}`);
  const { line } = outcome;
  if (outcome.kind === "taken") {
    const what = `line ${line} maps it to "${outcome.username}", who is no node`;
    return new Fault("access.taken", `${doing}: ${what}`);
  }
  const lacks = `the entry in line ${line} lacks ${outcome.lacks.join(", ")}`;
  if (outcome.kind === "lacking")
    return new Fault("access.taken", `${doing}: ${lacks}, and only its owner may change it`);
  const what = `${lacks}; an access entry would take ${outcome.has.join(", ")} from its nodes`;
  return new Fault("access.incomplete", `${doing}: ${what}`);
}

function wayOut({ arn, platform }: NodeRole): string {
  const role = tryRoleArn(arn);
  const line =
    role === undefined
      ? ""
      : `, or add this entry by hand, written as the others are: ${mappingJson(nodeMapping(role, platform))}`;
  return `make an access entry for the role if the cluster has access entries${line}`;
}
