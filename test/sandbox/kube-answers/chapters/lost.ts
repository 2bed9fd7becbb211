import type { Interviewer } from "../interviewer.ts";
import { attachments, space } from "../matter.ts";

/** Requests objects and paths that do not exist. */
export async function askForTheLost(it: Interviewer): Promise<void> {
  await it.note("a pod that is not there", { path: `${space}/pods/none` });
  await it.note("a node that is not there", { path: "/api/v1/nodes/none" });
  const daemonSets = "/apis/apps/v1/namespaces/interview/daemonsets";
  await it.note("a DaemonSet that is not there", { path: `${daemonSets}/none` });
  await it.note("an attachment that is not there", { path: `${attachments}/none` });
  await it.note("a resource that is not there", { path: "/api/v1/nonsense" });
  await it.note("a group that is not there", { path: "/apis/foo.bar/v1/things" });
  await it.note("a path to nowhere", { path: "/nonsense" });
  await it.note("a list of a namespace that is not there", {
    path: "/api/v1/namespaces/none/pods",
  });
}
