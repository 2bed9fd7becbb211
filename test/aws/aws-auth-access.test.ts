import { describe } from "vitest";
import { startSandboxAccessStage } from "../contract/access-stage.ts";
import { registeringRoles } from "../contract/registering-roles.ts";

describe("registering roles in aws-auth, in the sandbox", () => {
  registeringRoles(startSandboxAccessStage);
});
