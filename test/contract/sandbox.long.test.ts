import { describe } from "vitest";
import { contract } from "./contract.ts";
import { startSandboxStage } from "./sandbox-stage.ts";

describe.concurrent("the sandbox keeps the contract:", () => {
  contract(startSandboxStage);
});
