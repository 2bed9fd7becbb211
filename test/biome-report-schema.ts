import { z } from "zod";

/** What `biome lint --reporter=json` prints, as far as it is looked at. */
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
