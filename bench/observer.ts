import { CoreV1Api, KubeConfig, type V1Pod, Watch } from "@kubernetes/client-node";

/** Follows the pods of a node from outside, whoever drains it. */
export interface Observer {
  /** When the last pod was gone, in milliseconds since the epoch. */
  lastGone(): number;
  stop(): void;
}

/** Starts to follow the pods of a node. */
export async function observe(kubeconfig: string, node: string): Promise<Observer> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const fieldSelector = `spec.nodeName=${node}`;
  const api = config.makeApiClient(CoreV1Api);
  const { metadata } = await api.listPodForAllNamespaces({ fieldSelector });
  const { resourceVersion } = metadata ?? {};
  let last = 0;
  const controller = await new Watch(config).watch(
    "/api/v1/pods",
    { fieldSelector, resourceVersion },
    (type: string, _pod: V1Pod) => {
      if (type === "DELETED") last = Date.now();
    },
    () => undefined,
  );
  return { lastGone: () => last, stop: () => controller.abort() };
}
