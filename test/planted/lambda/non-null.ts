// @ts-nocheck
export const first = (pods: readonly string[]): string => pods[0]!;
