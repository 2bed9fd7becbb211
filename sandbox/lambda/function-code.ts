import type { RunningFunction } from "./invocation.ts";
import { type FunctionSettings, LambdaService, type LambdaWorld } from "./lambda-service.ts";

/** What runs a function: processes with its bundle, or something else that answers events. */
export type FunctionCode = (settings: FunctionSettings, world: LambdaWorld) => RunningFunction;

/** Runs the bundle that is in a folder; the handler is file and export, such as `index.handler`. */
export const bundleIn =
  (folder: string, handler = "index.handler"): FunctionCode =>
  (settings, world) =>
    new LambdaService({ ...settings, folder, handler }, world);
