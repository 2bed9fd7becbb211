import { Fault } from "./fault.ts";

/** Upgrades groups. */
export async function handler(): Promise<never> {
  throw new Fault("config.invalid", "upgrades: there is no upgrade yet");
}
