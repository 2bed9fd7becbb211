import { exitCodes } from "../../cli/exit-code.ts";
import { main } from "../../cli/main.ts";
import { capturedIo } from "../cli/captured-io.ts";
import { type Plan, planLineSchema } from "./plan-line-schema.ts";

/** A node of a cluster, and the settings by which it would be drained. */
export interface Foreseen {
  readonly kubeconfig: string;
  readonly node: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** Runs `plan` for a node. */
export async function foresee({ kubeconfig, node, settings }: Foreseen): Promise<Plan> {
  const set = Object.entries(settings).flatMap(([key, value]) => ["--set", `${key}=${value}`]);
  const io = capturedIo();
  const code = await main(
    ["plan", "--kubeconfig", kubeconfig, "--ask", ...set, node, "--json"],
    io,
  );
  const [first = ""] = io.out().split("\n");
  if (code !== exitCodes.done && code !== exitCodes.notDone) throw new Error(io.err());
  const plan = planLineSchema.parse(JSON.parse(first));
  const never = plan.pods.some(({ fate }) => fate === "never");
  if ((code === exitCodes.notDone) !== never) throw new Error(`plan of ${node}: exit code ${code}`);
  return plan;
}
