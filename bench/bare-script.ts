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

const { items, metadata } = Object(JSON.parse((await client.call("GET", selected)).text));
const left = new Set<string>(
  items.map(({ metadata: { uid } }: { metadata: { uid: string } }) => uid),
);
const watch = await client.begin(
  "GET",
  `${selected}&watch=true&resourceVersion=${metadata.resourceVersion}`,
);
const evicted = evictAll(client, items);
for await (const line of createInterface({ input: watch })) {
  const { type, object } = Object(JSON.parse(line));
  if (type === "DELETED") left.delete(object.metadata.uid);
  if (left.size === 0) break;
}
await evicted;
// The watch is still open; to break it would be an error.
process.exit();
