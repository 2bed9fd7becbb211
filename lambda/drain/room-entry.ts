import type { NodeName } from "../base/ids.ts";
import type { ObjectRef } from "./pod.ts";

/** The journal's entry about a workload whose pods are made elsewhere first. */
export type RoomEntry =
  /** A pod is made elsewhere first, because the budget of one on the node has nothing to spare. */
  { readonly kind: "making-room"; readonly node: NodeName } & RoomChange;

/** A change, or its refusal, of a workload's count to make room. */
export interface RoomChange {
  /** Its namespace, kind and name. */
  readonly workload: string;
  readonly owner: ObjectRef;
  readonly stage: "given up" | "made" | "not tried" | "put back" | "surged";
  /** The count before and after; both the same where it was not changed. */
  readonly from: number;
  readonly to: number;
  /** For which node and budget, or why not. */
  readonly why: string;
}
