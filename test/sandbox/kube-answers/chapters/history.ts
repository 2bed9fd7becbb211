import type { Interviewer } from "../interviewer.ts";

/** Requests versions that the server has forgotten. */
export async function askForThePast(it: Interviewer): Promise<void> {
  await it.witness.forgetHistory();
  const watch = (title: string, path: string) => it.note(title, { path });
  await watch("a watch from a forgotten version", "/api/v1/nodes?watch=true&resourceVersion=1");
  const forgotten = Buffer.from('{"v":"meta.k8s.io/v1","rv":2,"start":"/node-1\\u0000"}');
  const token = forgotten.toString("base64url");
  await watch("a page of a forgotten version", `/api/v1/nodes?limit=1&continue=${token}`);
}
