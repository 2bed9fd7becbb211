import * as subjects from "./subjects.ts";

/** The subjects' parts of the output for programs. */
export const ownSchemas = await Promise.all(
  Object.values(subjects).map(({ inOutput }) => inOutput()),
);
