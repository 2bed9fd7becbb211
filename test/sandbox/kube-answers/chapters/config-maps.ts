import type { Interviewer } from "../interviewer.ts";
import { space } from "../matter.ts";

/** Sends writes, with ConfigMaps as the example. */
export async function askToWrite(it: Interviewer): Promise<void> {
  const path = `${space}/configmaps`;
  const put = (title: string, name: string, body: object) =>
    it.note(title, { method: "PUT", path: `${path}/${name}`, body });
  const post = (title: string, body: object) =>
    it.note(title, { method: "POST", path, body }, ({ kind }: never) => kind);
  await post("a new ConfigMap", { metadata: { name: "a" }, data: { k: "v" } });
  await post("a ConfigMap that is there", { metadata: { name: "a" } });
  await put("an update of an old version", "a", {
    metadata: { name: "a", resourceVersion: "1" },
  });
  await put("an update of nothing", "zz", { metadata: { name: "zz" } });
  await it.note("a deleted ConfigMap", { method: "DELETE", path: `${path}/a` });
}
