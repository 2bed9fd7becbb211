/** The versions of Kubernetes on which the suites of a control plane run, with all between them. */
export const testedVersions = { oldest: "1.33", newest: "1.36" } as const;
