import { z } from "zod";

const place = z.object({ line: z.number(), column: z.number() });

/** The report of a run, in the schema of mutation-testing-elements. */
const reportSchema = z.object({
  files: z.record(
    z.string(),
    z.object({
      source: z.string(),
      mutants: z.array(
        z.object({
          mutatorName: z.string(),
          replacement: z.string().optional(),
          status: z.string(),
          location: z.object({ start: place, end: place }),
        }),
      ),
    }),
  ),
});
export type Report = z.infer<typeof reportSchema>;

/** Reads the report of a run. */
export const readReport = (text: string): Report => reportSchema.parse(JSON.parse(text));
