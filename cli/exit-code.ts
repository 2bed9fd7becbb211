/** The exit codes of the command line: work done, a fault, wrong usage, or work not done. */
export const exitCodes = { done: 0, fault: 1, usage: 2, notDone: 3 } as const;

/** One of the exit codes. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
