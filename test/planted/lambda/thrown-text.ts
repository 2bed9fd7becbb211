// @ts-nocheck
export function refuse(): never {
  throw "no";
}
