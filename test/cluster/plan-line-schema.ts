import * as z from "zod/mini";
import { planFields } from "../../cli/plan/plan-schema.ts";

/** The line that `plan --json` writes for a node. */
export const planLineSchema = z.object(planFields);

/** What `plan` says of a node. */
export type Plan = z.infer<typeof planLineSchema>;
