/**
 * The contender that does as little as possible and still waits as we do: one list, one watch that tells when the last pod
 * is gone, and 20 evictions at a time over kept-alive connections.
 *
 *     node bench/bare-script.ts NODE KUBECONFIG
 */
import { createInterface } from "node:readline";
import { bareClient, evictAll } from "./bare-client.ts";

const [, , node = "", kubeconfig = ""] = process.argv;
const client = bareClient(kubeconfig);
const selected = `/api/v1/pods?fieldSelector=spec.nodeName=${node}`;

/** Lists the pods of the node, and watches them from there. */
async function follow() {
  const { items, metadata } = Object(JSON.parse((await client.call("GET", selected)).text));
  const from = `${selected}&watch=true&resourceVersion=${metadata.resourceVersion}`;
  const uids = items.map(({ metadata: { uid } }: { metadata: { uid: string } }) => uid);
  return { items, left: new Set<string>(uids), watch: await client.begin("GET", from) };
}

/** Whether these pods are gone before the watch ends: the API server ends a watch that it cannot serve in time. */
async function emptied({ left, watch }: Awaited<ReturnType<typeof follow>>): Promise<boolean> {
  for await (const line of left.size === 0 ? [] : createInterface({ input: watch })) {
    const { type, object } = Object(JSON.parse(line));
    if (type === "DELETED") left.delete(object.metadata.uid);
    if (left.size === 0) break;
  }
  return left.size === 0;
}

let followed = await follow();
const evicted = evictAll(client, followed.items);
while (!(await emptied(followed))) followed = await follow();
await evicted;
// The watch is still open; to break it would be an error.
process.exit();
