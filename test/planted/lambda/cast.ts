// @ts-nocheck
export const nameOf = (value: unknown): string => value as string;
