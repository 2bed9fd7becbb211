// @ts-nocheck
export const title = (): string => process.title;
