import type { Interviewer } from "../interviewer.ts";

/** Requests versions that the server has forgotten. */
export async function askForThePast(it: Interviewer): Promise<void> {
  await it.witness.forgetHistory();
  const path = "/api/v1/nodes?watch=true&resourceVersion=1";
  await it.note("a watch from a forgotten version", { path });
}
