import type { Duration } from "aws-cdk-lib";
import { launchKeys } from "../../lambda/contract.ts";
import { given } from "./given.ts";

/** How instances are launched; the README's table of the configuration says what each means. */
export interface LaunchOptions {
  /** How long a launch may take, from the notice's own time. @default 15 minutes */
  readonly timeout?: Duration;
  /** Whether an instance goes into service only once its node is ready. @default "on" */
  readonly gate?: "off" | "on";
  /** The taints, by their keys, that a new node bears until it has been set up. @default none */
  readonly startupTaints?: readonly string[];
  /** What becomes of an instance whose node is not ready in time. @default "CONTINUE" */
  readonly atDeadline?: "ABANDON" | "CONTINUE";
  /** By what the roles of nodes are let in. @default "auto" */
  readonly access?: "access-entry" | "auto" | "aws-auth";
}

/** The environment that says how instances are launched; what is left out keeps the function's own default. */
export function launchSettingsOf(launch: LaunchOptions): Readonly<Record<string, string>> {
  const { timeout, gate, startupTaints, atDeadline, access } = launch;
  return given([
    [launchKeys.timeout, timeout?.toSeconds().toString()],
    [launchKeys.gate, gate],
    [launchKeys.startupTaints, startupTaints && JSON.stringify(startupTaints)],
    [launchKeys.atDeadline, atDeadline],
    [launchKeys.access, access],
  ]);
}
