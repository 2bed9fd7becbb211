import type { Interviewer } from "../interviewer.ts";
import { merge, space } from "../matter.ts";
import type { Question } from "../witness.ts";

/** Sends requests as users with fewer rights, or with none. */
export async function askAsOthers(it: Interviewer): Promise<void> {
  const nobody = (title: string, question: Question) =>
    it.note(title, { as: "nobody", ...question });
  await it.note("a token that nobody gave", { as: "impostor", path: "/api/v1/nodes" });
  await nobody("a forbidden get", { path: "/api/v1/nodes/x" });
  await nobody("a forbidden list", { path: "/api/v1/nodes" });
  await nobody("a forbidden watch in a namespace", { path: `${space}/pods?watch=1` });
  await nobody("a forbidden eviction", {
    method: "POST",
    path: `${space}/pods/x/eviction`,
    body: {},
  });
  await nobody("a forbidden get in a group", {
    path: "/apis/apps/v1/namespaces/interview/daemonsets/x",
  });
  await nobody("a forbidden patch", {
    path: `${space}/configmaps/aws-auth`,
    ...merge({}),
  });
  await nobody("health for everybody", { path: "/readyz" });
}
