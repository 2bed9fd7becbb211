import type { GroupName } from "../base/ids.ts";

/** An instance as its Auto Scaling group sees it. */
export type Membership =
  | { readonly kind: "none" }
  | { readonly kind: "member"; readonly group: GroupName; readonly state: string };
