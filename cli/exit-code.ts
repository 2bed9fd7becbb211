/** What the command line ends with: done, broken, used wrongly, or not done. */
export const exitCodes = { done: 0, fault: 1, usage: 2, notDone: 3 } as const;

/** One of the exit codes. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
