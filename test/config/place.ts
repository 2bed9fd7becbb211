import { Fault } from "../../lambda/base/fault.ts";
import { parseConfig } from "../../lambda/config/config.ts";
import type { Variables } from "../../lambda/config/variables.ts";
import { parseRepairConfig } from "../../lambda/repair/repair-config.ts";

/** The smallest environment in which the function starts. */
export const place = {
  AWS_REGION: "eu-west-1",
  CLUSTER_NAME: "demo",
  MANAGED_GROUPS: '["workers","gpu"]',
  QUEUE_URL: "https://sqs.eu-west-1.amazonaws.com/123456789012/notices",
  DEAD_LETTER_QUEUE_URL: "https://sqs.eu-west-1.amazonaws.com/123456789012/dead-letters",
};

/** The complaint about this environment with a change. The test fails if there is another fault, or none. */
export function complaintOf(change: Variables): string {
  try {
    parseConfig({ ...place, ...change });
    parseRepairConfig({ ...place, ...change });
  } catch (cause) {
    if (cause instanceof Fault && cause.code === "config.invalid") return cause.message;
    throw cause;
  }
  throw new Error(`${JSON.stringify(change)} was accepted`);
}
