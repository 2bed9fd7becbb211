// @ts-nocheck
import { Fault } from "./fault.ts";

export async function describe(ask: () => Promise<string>): Promise<string> {
  try {
    return await ask();
  } catch (error) {
    throw new Fault("cluster.unreachable", `describing the cluster: ${error}`);
  }
}
