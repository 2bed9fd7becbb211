import { describe } from "vitest";
import { startSandboxAccessStage } from "../../contract/access-stage.ts";
import { admittingRoles } from "../../contract/admitting-roles.ts";

describe("admitting roles by aws-auth, in the sandbox", () => {
  admittingRoles(startSandboxAccessStage);
});
