import * as subjects from "./subjects.ts";

/** What subjects add to the output for programs. */
export const ownSchemas = await Promise.all(
  Object.values(subjects).map(({ inOutput }) => inOutput()),
);
