import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DrainSite } from "./drain-site.ts";
import { pod } from "./manifests.ts";

/** Gives a node's kubelet a static pod, and waits until its mirror pod is ready in the API. */
export async function runStaticPod(site: DrainSite, name: string): Promise<void> {
  const { controlPlane } = site.world;
  const log = await readFile(join(controlPlane.folder, `log/kubelet-${site.name}.log`), "utf8");
  const root = /Using (\S+) as root dir/.exec(log)?.[1];
  if (root === undefined) throw new Error(`where does the kubelet of ${site.name} live?`);
  const found = await readdir(root);
  const folder = join(root, found.find((it) => it.startsWith("static-pods")) ?? "");
  const manifest = pod({ name, namespace: site.name });
  // The kubelet ignores hidden files, so that it only reads the complete file.
  const [hidden, shown] = [join(folder, `.${name}.json`), join(folder, `${name}.json`)];
  await writeFile(hidden, JSON.stringify(manifest));
  await rename(hidden, shown);
  await site.ready(`${name}-${site.name}`);
}
