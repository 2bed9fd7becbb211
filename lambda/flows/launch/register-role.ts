import type { InstanceId } from "../../domain/ids.ts";
import type { Ec2Instance } from "../../domain/node/ec2-instance.ts";
import type { LaunchPorts } from "../../ports/ports.ts";

/** Whether the role of an instance may join as a node. */
export type RegisteredRole =
  | { readonly kind: "registered"; readonly role: string }
  | { readonly kind: "no-role"; readonly reason: string };

/** Lets the role of an instance join the cluster, and records that in the journal. */
export async function registerRole(
  instance: InstanceId,
  { profile, platform }: Ec2Instance,
  { roles, access, journal }: Pick<LaunchPorts, "roles" | "access" | "journal">,
): Promise<RegisteredRole> {
  if (profile === "")
    return { kind: "no-role", reason: `instance ${instance} has no instance profile` };
  const role = await roles.roleIn(profile);
  if (role === "none") return { kind: "no-role", reason: `there is no role in ${profile}` };
  const admitted = await access.register({ arn: role, platform });
  journal.record({ kind: "role-registered", role, platform, access: admitted });
  return { kind: "registered", role };
}
