import * as z from "zod/mini";

const schema = z.iso.datetime({ offset: true });

/** Whether zod takes a text for a time with its offset. */
export const isIsoTime = (text: string): boolean => z.safeParse(schema, text).success;
