import { describe } from "vitest";
import { contract } from "../contract/contract.ts";
import { startControlPlaneStage } from "./control-plane-stage.ts";

describe("a real control plane keeps the contract:", () => {
  contract(startControlPlaneStage);
});
