// The subjects with settings of their own, a line each.
export * as repair from "../repair/in-cluster-file.ts";
