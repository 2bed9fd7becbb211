import type { AccessChoice } from "../lambda/domain/access.ts";
import type { AuthenticationMode } from "./cluster-place.ts";
import { Refusal } from "./refusal.ts";

/** By what nodes are to be let in. */
export interface AccessWish {
  readonly authenticationMode: AuthenticationMode;
  readonly access?: AccessChoice | undefined;
  readonly launching?: "held" | "not held" | undefined;
}

/** What would do where a cluster does not know the way in that is wanted; `undefined` where it does. */
export function tryOtherAccess(wish: AccessWish): string | undefined {
  const { authenticationMode: mode, access, launching } = wish;
  if (launching === "not held") return undefined;
  if (mode === "CONFIG_MAP" && access === "access-entry")
    return '"auto" or "aws-auth", for a cluster in mode CONFIG_MAP has no access entries';
  if (mode === "API" && access === "aws-auth")
    return '"auto" or "access-entry", for a cluster in mode API does not read aws-auth';
  return undefined;
}

/** Refuses a way in by which the cluster would let in no node. */
export function assertAccess(wish: AccessWish): void {
  const other = tryOtherAccess(wish);
  if (other === undefined) return;
  throw new Refusal(`nodes cannot be let in by ${JSON.stringify(wish.access)}; ${other} will do`);
}
