/** The name of a shell's function that completes a program. */
export const functionName = (program: string): string => `_${program.replaceAll("-", "_")}`;
