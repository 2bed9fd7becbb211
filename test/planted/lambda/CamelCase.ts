// @ts-nocheck
export const drained = "drained";
