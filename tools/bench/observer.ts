import { request } from "node:https";
import { createInterface } from "node:readline";
import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";

/** Follows the pods of a node independently of the program that drains it. */
export interface Observer {
  /** Waits until all the pods that were there are gone, and returns when the last one was, in milliseconds since the epoch. */
  lastGone(): Promise<number>;
  stop(): void;
}

interface PodEvent {
  readonly type: string;
  readonly object: {
    readonly metadata: { readonly resourceVersion: string; readonly uid: string };
  };
}

/** Starts to follow the pods of a node, on a connection of its own. */
export async function observe(kubeconfig: string, node: string): Promise<Observer> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const fieldSelector = `spec.nodeName=${node}`;
  const api = config.makeApiClient(CoreV1Api);
  const { items, metadata } = await api.listPodForAllNamespaces({ fieldSelector });
  const left = new Set(items.map((pod) => pod.metadata?.uid ?? ""));
  const { promise: gone, resolve } = Promise.withResolvers<number>();
  const stop = new AbortController();
  let resourceVersion = metadata?.resourceVersion ?? "";

  const hear = (line: string): void => {
    const { type, object } = JSON.parse(line) as PodEvent;
    resourceVersion = object.metadata.resourceVersion;
    if (type === "DELETED" && left.delete(object.metadata.uid) && left.size === 0)
      resolve(Date.now());
  };
  /** A watch that ends is started again at the version it had reached. */
  const watch = async (): Promise<void> => {
    const query = new URLSearchParams({ watch: "true", fieldSelector, resourceVersion });
    const url = new URL(`/api/v1/pods?${query}`, config.getCurrentCluster()?.server);
    const options = {};
    await config.applyToHTTPSOptions(options);
    const sent = request(url, { ...options, agent: false, signal: stop.signal }, (answer) => {
      const lines = createInterface(answer.on("error", () => undefined));
      lines.on("line", hear).on("error", () => undefined);
      lines.on("close", () => stop.signal.aborted || void watch());
    });
    sent.on("error", () => undefined).end();
    await new Promise((began) => sent.once("response", began).once("error", began));
  };
  await watch();
  return {
    lastGone: () => gone,
    stop: () => stop.abort(),
  };
}
