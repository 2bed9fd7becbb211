import type { InstanceId } from "../base/ids.ts";
import type { Ec2Instance } from "../drain/ec2-instance.ts";
import type { LaunchPorts } from "../registrations/ports.ts";

/** An instance that has no role yet, and why. */
export interface NoRole {
  readonly kind: "no-role";
  readonly reason: string;
}

/** Whether the role of an instance may join as a node. */
export type RegisteredRole = { readonly kind: "registered"; readonly role: string } | NoRole;

/** Lets the role of an instance join the cluster, and records that in the journal. */
export async function registerRole(
  instance: InstanceId,
  ec2Instance: Ec2Instance,
  ports: Pick<LaunchPorts, "roles" | "access" | "journal">,
): Promise<RegisteredRole> {
  const found = await findRole(instance, ec2Instance, ports);
  if (found.kind === "no-role") return found;
  const { role } = found;
  const { platform } = ec2Instance;
  const admitted = await ports.access.register({ arn: role, platform });
  ports.journal.record({ kind: "role-registered", role, platform, access: admitted });
  return { kind: "registered", role };
}

/** The role under which an instance runs, as EC2 and IAM know it now. */
export async function findRole(
  instance: InstanceId,
  { profile }: Pick<Ec2Instance, "profile">,
  { roles }: Pick<LaunchPorts, "roles">,
): Promise<{ readonly kind: "found"; readonly role: string } | NoRole> {
  if (profile === "")
    return { kind: "no-role", reason: `instance ${instance} has no instance profile` };
  const role = await roles.roleIn(profile);
  return role === "none"
    ? { kind: "no-role", reason: `there is no role in ${profile}` }
    : { kind: "found", role };
}
