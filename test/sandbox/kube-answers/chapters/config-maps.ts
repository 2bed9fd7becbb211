import type { Interviewer } from "../interviewer.ts";
import { space } from "../matter.ts";

/** Sends writes, with ConfigMaps as the example. */
export async function askToWrite(it: Interviewer): Promise<void> {
  const path = `${space}/configmaps`;
  const put = (title: string, name: string, body: object) =>
    it.note(title, { method: "PUT", path: `${path}/${name}`, body });
  const post = (title: string, body: object, query = "") =>
    it.note(title, { method: "POST", path: `${path}${query}`, body }, ({ kind }: never) => kind);
  await post("a new ConfigMap", { metadata: { name: "a" }, data: { k: "v" } });
  await post("a ConfigMap that is there", { metadata: { name: "a" } });
  await post("a ConfigMap of another namespace", { metadata: { name: "b", namespace: "x" } });
  await post("a ConfigMap without a name", { metadata: {} });
  await post("a ConfigMap with a bad name", { metadata: { name: "Zz_" } });
  await post("a ConfigMap with a version", { metadata: { name: "b", resourceVersion: "1" } });
  await post("a ConfigMap to try", { metadata: { name: "b" } }, "?dryRun=All");
  await it.note("the ConfigMap that was only tried", { path: `${path}/b` });
  await it.note("a ConfigMap in a namespace that is not there", {
    method: "POST",
    path: "/api/v1/namespaces/none/configmaps",
    body: { metadata: { name: "b" } },
  });
  await put("an update of an old version", "a", {
    metadata: { name: "a", resourceVersion: "1" },
  });
  await put("an update of another UID", "a", { metadata: { name: "a", uid: "1" } });
  await put("an update of another name", "a", { metadata: { name: "b" } });
  await put("an update without a name", "a", { metadata: {} });
  await put("an update of nothing", "zz", { metadata: { name: "zz" } });
  await it.note("a deleted ConfigMap", { method: "DELETE", path: `${path}/a` });
}
