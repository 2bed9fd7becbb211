import type { RunningFunction } from "./invocation.ts";
import { type FunctionSettings, LambdaService, type LambdaWorld } from "./lambda-service.ts";

/** Starts a function: with its bundle in processes, or with something else that answers events. */
export type FunctionCode = (settings: FunctionSettings, world: LambdaWorld) => RunningFunction;

/** Runs the bundle in a folder. The handler names file and export, such as `index.handler`. */
export const bundleIn =
  (folder: string, handler = "index.handler"): FunctionCode =>
  (settings, world) =>
    new LambdaService({ ...settings, folder, handler }, world);
