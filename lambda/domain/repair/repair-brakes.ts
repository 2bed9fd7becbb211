import type { Instant } from "../time.ts";

/** What keeps the repairs of a group, or of a zone. */
export type RepairBrake =
  | { readonly kind: "dry-run" }
  | { readonly kind: "at-once"; readonly underWay: number; readonly allowed: number }
  | {
      readonly kind: "per-hour";
      readonly begun: number;
      readonly allowed: number;
      readonly until: Instant;
    }
  | {
      readonly kind: "ill-share";
      readonly ill: number;
      readonly of: number;
      readonly allowed: number;
    }
  | { readonly kind: "refresh" }
  | { readonly kind: "upgrade" }
  | { readonly kind: "suspended"; readonly processes: readonly string[] }
  | { readonly kind: "activity-failed"; readonly at: Instant; readonly message: string }
  | { readonly kind: "zone-ill"; readonly zone: string; readonly ill: number }
  | { readonly kind: "zone-shifted"; readonly zone: string }
  | {
      readonly kind: "same-cause";
      readonly cause: string;
      readonly version: string;
      readonly times: number;
      readonly until: Instant;
    }
  /** No managed instance has a node, so nobody can be missed. */
  | { readonly kind: "no-nodes"; readonly instances: number };

/** The kinds of brakes. */
export const brakeKinds = [
  "dry-run",
  "at-once",
  "per-hour",
  "ill-share",
  "refresh",
  "upgrade",
  "suspended",
  "activity-failed",
  "zone-ill",
  "zone-shifted",
  "same-cause",
  "no-nodes",
] as const satisfies readonly RepairBrake["kind"][];
