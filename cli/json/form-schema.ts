import * as z from "zod/mini";

/** The version of what the command line writes for programs. Version 1 may gain kinds and fields, but loses none. */
export const outputVersion = 1;

/** The fields of every object that is written for programs. */
export const versioned = { version: z.literal(outputVersion) };

/** The form of an object of some kind. */
export const form = <Kind extends string, Shape extends z.core.$ZodLooseShape>(
  kind: Kind,
  shape: Shape,
) => z.object({ ...versioned, kind: z.literal(kind), ...shape });
