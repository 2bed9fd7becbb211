/**
 * The parts that the function's rights in a cluster come in, in the order in which they are applied.
 *
 * The fence is there before there is anything to be fenced in. A part that no deployment chooses any more stays in this
 * list, so that it is removed wherever it was applied.
 */
export const rightsParts = ["fence", "rbac", "force"] as const;

/** Manifests that are applied together, or not at all. */
export type RightsPart = (typeof rightsParts)[number];

/** Which rights the function is to have in a cluster. */
export interface Rights {
  readonly parts: readonly RightsPart[];
  /** The key of the taint that the fence lets it write; empty for none. */
  readonly ownTaint: string;
}

/** The rights that a deployment chooses. */
export const rightsFor = (force: "at-deadline" | "never", ownTaint: string): Rights => ({
  parts: force === "never" ? ["fence", "rbac"] : ["fence", "rbac", "force"],
  ownTaint,
});
