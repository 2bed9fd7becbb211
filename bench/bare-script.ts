/**
 * The contender that does as little as possible: it lists the pods of a node once, evicts 20 at a time over
 * kept-alive connections, and retries refused evictions after half a second.
 *
 *     node bench/bare-script.ts NODE KUBECONFIG
 */
import { bareClient, evictAll } from "./bare-client.ts";

const [, , node = "", kubeconfig = ""] = process.argv;
const client = bareClient(kubeconfig);

const listPath = `/api/v1/pods?fieldSelector=spec.nodeName=${node}`;
const podsOf = async () => Object(JSON.parse((await client.call("GET", listPath)).text)).items;

await evictAll(client, await podsOf());
while ((await podsOf()).length > 0)
  await new Promise((resolve) => {
    setTimeout(resolve, 200);
  });
client.close();
