import { once } from "../process/once.ts";
import type { NodeAccess, NodeAccessOptions } from "./node-access.ts";

/** The ports that only a launch needs; they are loaded with its first call. */
export function lateNodeAccess(options: NodeAccessOptions): NodeAccess {
  const ports = once(async () => {
    const { nodeAccessPorts } = await import("./node-access.ts");
    return nodeAccessPorts(options);
  });
  return {
    roles: { roleIn: async (profile) => (await ports()).roles.roleIn(profile) },
    access: { register: async (role) => (await ports()).access.register(role) },
  };
}
