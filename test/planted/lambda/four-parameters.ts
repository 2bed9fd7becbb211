// @ts-nocheck
export const sum = (a: number, b: number, c: number, d: number): number => a + b + c + d;
