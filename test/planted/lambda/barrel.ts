// @ts-nocheck
export * from "./drained.ts";
export { told } from "./told.ts";
