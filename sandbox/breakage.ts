/** Every problem that a scenario can have before an event arrives, described for an operator. */
export const breakages = {
  "hook-completed": "somebody has completed the hook already",
  "no-node": "the instance never joined the cluster",
  "api-silent": "the API server does not answer",
  "token-refused": "the function's role is not mapped in aws-auth",
  "no-rbac": "the function's group has no role in the cluster",
  "budget-blocked": "a budget allows no eviction of the nginx pods",
} as const satisfies Record<string, string>;

/** The name of such a problem. */
export type Breakage = keyof typeof breakages;
