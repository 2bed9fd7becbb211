/** Why an ill instance is left alone. */
export type LeftAlone =
  /** It has not come into service, or a launch hook holds it. */
  | { readonly kind: "launching"; readonly state: string }
  | { readonly kind: "warm-pool"; readonly state: string }
  | { readonly kind: "standby"; readonly state: string }
  /** It leaves its group, and not because of a repair. */
  | { readonly kind: "leaving"; readonly state: string }
  | { readonly kind: "protected" }
  /** It is drained for another reason. */
  | { readonly kind: "marked"; readonly reason: string }
  /** Somebody has cordoned its node. */
  | { readonly kind: "cordoned" };
