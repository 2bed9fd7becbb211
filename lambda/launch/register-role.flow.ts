import { sleepFor } from "../base/clock.port.ts";
import { type Fault, faultOf } from "../base/fault.ts";
import type { InstanceId } from "../base/ids.ts";
import { type Duration, seconds } from "../base/time.ts";
import type { Ec2Instance } from "../group/ec2-instance.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import type { LaunchPorts } from "./launch.port.ts";

/** The state of a launched instance's role. */
export type RoleState = RegisteredRole | UnregisteredRole;

/** The role may join as a node. */
export interface RegisteredRole {
  readonly kind: "registered";
  readonly role: string;
  readonly ec2Instance: Ec2Instance;
}

/** The role is not registered, which says nothing of the node: somebody else may have mapped the role. */
export interface UnregisteredRole {
  readonly kind: "unregistered";
  readonly reason: string;
  /**
   * The fault on the way; `none` where EC2 or IAM do not know the role yet, or have not answered
   * yet.
   */
  readonly fault: Fault | "none";
  /** The try that goes on. */
  readonly underWay: Promise<RoleState> | "none";
  readonly ec2Instance: Ec2Instance | "unknown";
}

type RegistrationPorts = Pick<LaunchPorts, "roles" | "access" | "journal">;

/** Lets the role of an instance join the cluster, as far as that is possible; a fault is recorded and returned. */
export async function registerRole(
  instance: InstanceId,
  described: Promise<Ec2Instance | "unknown">,
  ports: RegistrationPorts,
): Promise<RoleState> {
  const state = await tryRegister(instance, described, ports);
  if (state.kind === "unregistered" && state.fault !== "none")
    ports.journal.record(faultEntry(state.fault));
  return state;
}

/** As `registerRole`, but a fault is recorded only if it is not the one that is known already. */
export async function registerAgain(
  instance: InstanceId,
  known: RoleState,
  ports: RegistrationPorts & Pick<LaunchPorts, "instances">,
): Promise<RoleState> {
  if (known.kind === "unregistered" && known.underWay !== "none") return known.underWay;
  const state = await tryRegister(instance, ports.instances.describe(instance), ports);
  if (state.kind === "unregistered" && state.fault !== "none" && !isSameState(state, known))
    ports.journal.record(faultEntry(state.fault));
  return state;
}

// Longer than all of it takes when nothing is wrong. Calls that hang take up to 40 seconds each, and a pass has to see the node too.
const firstTryWait = seconds(10);

/** The first try, if it is over in a moment; otherwise it goes on while the node is looked for. */
export function startRegistering(
  instance: InstanceId,
  described: Promise<Ec2Instance | "unknown">,
  ports: RegistrationPorts & Pick<LaunchPorts, "clock">,
): Promise<RoleState> {
  const underWay = registerRole(instance, described, ports);
  const reason = "EC2, IAM, EKS or the API server have not answered yet";
  const pending = { ...unknownYet(reason, "unknown"), underWay };
  return Promise.race([underWay, sleepFor(firstTryWait, ports.clock).then(() => pending)]);
}

/** Whether nothing has changed since an earlier try. */
export const isSameState = (one: RoleState, other: RoleState): boolean =>
  one.kind === other.kind &&
  reasonOf(one) === reasonOf(other) &&
  (one.ec2Instance === "unknown") === (other.ec2Instance === "unknown");

/** Why a role is not registered; empty if it is. */
export const reasonOf = (state: RoleState): string =>
  state.kind === "registered" ? "" : state.reason;

// EC2 and IAM learn of a profile and its role late.
const betweenLooks = seconds(5);
// A fault is tried again no more often than the node is looked for among all nodes.
const betweenTries = seconds(15);

/** The pause before the next try. */
export function restOf({ fault, underWay }: UnregisteredRole): Duration {
  if (underWay !== "none") return seconds(0);
  return fault === "none" ? betweenLooks : betweenTries;
}

/** Whether no further try helps before somebody changes something. */
export const needsSomebody = ({ fault }: UnregisteredRole): boolean =>
  fault !== "none" && (!fault.retryable || fault.code.startsWith("access."));

async function tryRegister(
  instance: InstanceId,
  described: Promise<Ec2Instance | "unknown">,
  ports: RegistrationPorts,
): Promise<RoleState> {
  let ec2Instance: Ec2Instance | "unknown" = "unknown";
  try {
    ec2Instance = await described;
    return ec2Instance === "unknown"
      ? unknownYet(`EC2 does not know ${instance} yet`, ec2Instance)
      : await registerRoleOf(instance, ec2Instance, ports);
  } catch (cause) {
    const fault = faultOf(cause);
    return { ...unknownYet(fault.message, ec2Instance), fault };
  }
}

const unknownYet = (reason: string, ec2Instance: Ec2Instance | "unknown"): UnregisteredRole => ({
  kind: "unregistered",
  reason,
  fault: "none",
  underWay: "none",
  ec2Instance,
});

/** Registers the role under which an instance runs, as EC2 and IAM know it now. */
async function registerRoleOf(
  instance: InstanceId,
  ec2Instance: Ec2Instance,
  { roles, access, journal }: RegistrationPorts,
): Promise<RoleState> {
  const { profile, platform } = ec2Instance;
  if (profile === "")
    return unknownYet(`instance ${instance} has no instance profile`, ec2Instance);
  const role = await roles.roleIn(profile);
  if (role === "none") return unknownYet(`there is no role in ${profile}`, ec2Instance);
  const registration = await access.register({ arn: role, platform });
  journal.record({ kind: "role-registered", role, platform, access: registration });
  return { kind: "registered", role, ec2Instance };
}
