import type { DrainSettings } from "../../lambda/domain/drain/drain-policy.ts";
import type { ConnectionOptions } from "../connect/connection-options.ts";

/** What a person wants done with some nodes. */
export interface DrainRequest {
  /** The names of the nodes, or the ids of their instances. */
  readonly nodes: readonly string[];
  readonly what: "drain" | "dry-run" | "undo";
  readonly settings: DrainSettings;
  /** How many nodes are drained side by side. */
  readonly parallel: number;
  /** Whether AWS is asked about hooks and load balancers. */
  readonly asksAws: boolean;
  readonly connection: Pick<ConnectionOptions, "context" | "kubeconfig" | "profile" | "region">;
}
