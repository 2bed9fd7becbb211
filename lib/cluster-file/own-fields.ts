// The subjects with fields of their own in the file of a cluster, a line each.

export * as webhook from "../webhook/webhook-schema.ts";
