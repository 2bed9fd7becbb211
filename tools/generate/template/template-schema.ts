import * as z from "zod";
import type { Json } from "./json.ts";

const text = z.string();

const texts = z.object({ pattern: z.optional(text), patternErrorMessage: z.optional(text) });

/** The schema of clusters' files about a field, or about each item of a list. */
export const fieldSchema = z.object({
  ...texts.shape,
  description: z.optional(text),
  enum: z.optional(z.array(text)),
  items: z.optional(texts),
  minimum: z.optional(z.number()),
  maximum: z.optional(z.number()),
});

/** A field, as far as a parameter can say the same. */
export type Field = z.infer<typeof fieldSchema>;

/** A part of that schema that has fields. */
export const withFields = z.object({ properties: z.record(text, z.unknown()) });

const json: z.ZodType<Json> = z.json();
const entries = z.record(text, z.record(text, json));

/** A template as CDK writes it. */
export const synthesisedSchema = z.object({ Resources: entries, Outputs: z._default(entries, {}) });
