import { describe } from "vitest";
import { contract } from "./contract.ts";
import { startSandboxStage } from "./sandbox-stage.ts";

// One after the other, as on a real control plane.
describe("the sandbox keeps the contract:", () => {
  contract(startSandboxStage);
});
