import { z } from "zod";

const schema = z.record(z.string(), z.number());

/** Reads the milliseconds of each test without a change. */
export const readDurations = (text: string): Readonly<Record<string, number>> =>
  schema.parse(JSON.parse(text));
