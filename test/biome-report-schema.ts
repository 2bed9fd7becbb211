import { z } from "zod";

/** The parts of the output of `biome lint --reporter=json` that the tests read. */
export const biomeReportSchema = z.object({
  diagnostics: z.array(
    z.object({
      category: z.string(),
      message: z.string(),
      severity: z.string(),
      location: z.object({ path: z.string() }),
    }),
  ),
});

/** One finding of the linter. */
export type Diagnostic = z.infer<typeof biomeReportSchema>["diagnostics"][number];
