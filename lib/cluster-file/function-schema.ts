import * as z from "zod";
import { list, oneOf, onOrOff, part, whole } from "./field-schema.ts";
import { securityGroupId } from "./name-schema.ts";

const retentions = [
  ...[1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827],
  ...[2192, 2557, 2922, 3288, 3653],
];
const kept = `days as CloudWatch Logs has them: ${retentions.join(", ")}`;
const ownGroups = "a list of the ids of security groups, 5 at most";

/** The part of a cluster's file that says how Lambda runs the functions. */
export const lambda = part({
  memoryMegabytes: whole(256, 10_240).default(512),
  concurrency: whole(2, 1000)
    .default(10)
    .describe("How many batches of ten notices may be in work at the same time."),
  reservedConcurrency: whole(2, 1000)
    .optional()
    .describe(
      "How many invocations Lambda keeps free for the function, which never has more; at least `concurrency`.",
    ),
  logRetentionDays: z
    .literal(retentions, kept)
    .default(30)
    .describe("How long all logs of the stack are kept."),
  architecture: oneOf("arm64", "x86_64").default("arm64"),
  tracing: onOrOff("Whether X-Ray traces the function's invocations.").default("off"),
  securityGroupIds: list(securityGroupId("the id of a security group"), ownGroups)
    .max(5, ownGroups) // Lambda takes no more
    .optional()
    .describe(
      "Security groups for the functions, to which no rule is added; without it, one is made.",
    ),
});
