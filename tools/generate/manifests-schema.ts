import { z } from "zod";

const names = z.array(z.string());

/** The fields of the manifests that the table of rights reads. */
export const manifestsSchema = z.array(
  z.object({
    kind: z.string(),
    roleRef: z.object({ name: z.string() }).optional(),
    rules: z
      .array(z.object({ resources: names, verbs: names, resourceNames: names.optional() }))
      .optional(),
    subjects: z.array(z.object({ name: z.string() })).optional(),
    spec: z
      .object({
        matchConditions: z.array(z.object({ expression: z.string() })).optional(),
        matchConstraints: z
          .object({ resourceRules: z.array(z.object({ resources: names })) })
          .optional(),
        rules: z
          .array(
            z.object({ subjects: z.array(z.object({ group: z.object({ name: z.string() }) })) }),
          )
          .optional(),
      })
      .optional(),
  }),
);

export type Manifest = z.infer<typeof manifestsSchema>[number];
