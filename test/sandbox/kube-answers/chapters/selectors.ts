import type { Interviewer } from "../interviewer.ts";
import { attachments } from "../matter.ts";

/** Sends selectors and options that make no sense. */
export async function askWithSelectors(it: Interviewer): Promise<void> {
  const ask = (title: string, path: string) => it.note(title, { path });
  await ask("an unknown field of pods", "/api/v1/pods?fieldSelector=spec.foo%3Dx");
  await ask("an unknown field of nodes", "/api/v1/nodes?fieldSelector=metadata.namespace%3Dx");
  await ask("an unknown field of configmaps", "/api/v1/configmaps?fieldSelector=data%3Dx");
  await ask("an unknown field of attachments", `${attachments}?fieldSelector=spec.nodeName%3Dx`);
  await ask("a field selector that cannot be read", "/api/v1/pods?fieldSelector=foo");
  await ask("an unknown field in a watch", "/api/v1/nodes?watch=true&fieldSelector=a.b%3Dc");
  await ask("a limit that is no number", "/api/v1/pods?limit=x");
  await ask("a version that is no number", "/api/v1/pods?resourceVersion=abc");
  await ask("a version that is no number, watched", "/api/v1/pods?watch=1&resourceVersion=abc");
  await ask("a version of the future", "/api/v1/nodes?resourceVersion=99999999");
  await ask("a node of the future", "/api/v1/nodes/node-1?resourceVersion=99999999");
  await ask("a match without a version", "/api/v1/pods?resourceVersionMatch=Exact");
  const nowhere = Buffer.from('{"v":"meta.k8s.io/v1","rv":0,"start":"/x"}').toString("base64url");
  await ask("a page of no version", `/api/v1/nodes?limit=1&continue=${nowhere}`);
  const latest = Buffer.from('{"v":"meta.k8s.io/v1","rv":-1,"start":"/x"}').toString("base64url");
  await ask("a page of two versions", `/api/v1/nodes?continue=${latest}&resourceVersion=5`);
}
