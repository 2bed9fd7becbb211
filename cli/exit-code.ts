/** The exit codes of the command line. */
export const exitCodes = { done: 0, fault: 1, usage: 2, notDone: 3 } as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The exit code for several results: a fault counts before work that is not done. */
export function worstOf(codes: readonly ExitCode[]): ExitCode {
  const worst = [exitCodes.fault, exitCodes.notDone].find((code) => codes.includes(code));
  return worst ?? exitCodes.done;
}
