import type { Interviewer } from "../interviewer.ts";
import { attachments, deletionOf, merge, pod, space } from "../matter.ts";
import type { Seen } from "../seen.ts";

/** Sends deletions, and changes of finalizers. */
export async function askToDelete(it: Interviewer): Promise<void> {
  const held = { finalizers: ["example.com/hold"] };
  await it.make(`${space}/pods`, pod("held", { meta: held }));
  await it.running("held");
  const path = `${space}/pods/held`;
  const remove = (title: string, body?: unknown, look?: (pod: Seen) => unknown) =>
    it.note(title, { method: "DELETE", path, body }, look as (object: never) => unknown);
  await it.note("a deletion of nothing", { method: "DELETE", path: `${space}/pods/none` });
  await remove("a deletion of another UID", { preconditions: { uid: "x" } });
  await remove("a deletion of an old version", { preconditions: { resourceVersion: "1" } });
  await remove("a deletion, tried", { dryRun: ["All"], gracePeriodSeconds: 7 }, deletionOf);
  await remove("a deletion with a grace", { gracePeriodSeconds: 7 }, deletionOf);
  await remove("a deletion at once of a pod that is held", { gracePeriodSeconds: 0 }, deletionOf);
  await it.evict("an eviction of a pod that is held", "held");
  await it.note(
    "a pod that is let go",
    { path, ...merge({ metadata: { finalizers: null } }) },
    deletionOf,
  );
  await it.note("the pod that was held", { path });
  await it.make(attachments, {
    metadata: { name: "va-1", finalizers: ["external-attacher/ebs-csi-aws-com"] },
    spec: { attacher: "x.io", nodeName: "node-1", source: { persistentVolumeName: "pv-1" } },
  });
  const va = `${attachments}/va-1`;
  await it.note(
    "a volume that is attached",
    {
      path: `${va}/status`,
      ...merge({ status: { attached: true } }),
    },
    ({ status }: Seen) => status,
  );
  await it.note(
    "a volume that only says so",
    { path: va, ...merge({ status: { attached: false } }) },
    ({ status }: Seen) => status,
  );
  await it.note("an attachment of another UID", {
    method: "DELETE",
    path: va,
    body: { preconditions: { uid: "x" } },
  });
  await it.note("an attachment that is to go", { method: "DELETE", path: va }, deletionOf);
  await it.note(
    "an attachment that is let go",
    { path: va, ...merge({ metadata: { finalizers: [] } }) },
    deletionOf,
  );
  await it.note("the attachment after that", { path: va });
}
