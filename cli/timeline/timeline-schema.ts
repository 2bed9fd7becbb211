import * as z from "zod/mini";
import { list } from "../../journal/form-schema.ts";

const span = { from: z.string(), to: z.string(), kind: z.string(), reason: z.string() };
const mark = { at: z.string(), kind: z.string(), reason: z.string() };

/** The fields of `timeline` for any work. */
export const pictureShape = {
  group: z.string(),
  state: z.string(),
  words: z.string(),
  from: z.string(),
  to: z.string(),
  rows: list(
    z.object({
      kind: z.string(),
      label: z.string(),
      state: z.string(),
      note: z.string(),
      spans: list(z.object(span)),
      marks: list(z.object(mark)),
    }),
  ),
};

/** The fields of `timeline` for a drain. */
export const drainShape = {
  ...pictureShape,
  instance: z.string(),
  node: z.string(),
  deadline: z.string(),
};
