// @ts-nocheck
export function refuse(): never {
  throw new Error("no");
}
