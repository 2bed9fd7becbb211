/** The exit codes of the command line: work done, a fault, wrong usage, or work not done. */
export const exitCodes = { done: 0, fault: 1, usage: 2, notDone: 3 } as const;

/** One of the exit codes. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit code of several pieces of work: a fault counts first, then work that is not done. */
export function worstOf(codes: readonly ExitCode[]): ExitCode {
  const worst = [exitCodes.fault, exitCodes.notDone].find((code) => codes.includes(code));
  return worst ?? exitCodes.done;
}
