// @ts-nocheck
export const now = (): number => Date.now();
