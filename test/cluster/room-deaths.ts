import { AppsV1Api, AutoscalingV2Api, CoreV1Api } from "@kubernetes/client-node";
import { vi } from "vitest";
import { costAnnotation, recordAnnotation } from "../../lambda/making-room/record.ts";
import type { AdmissionRequest } from "./admission-review-schema.ts";
import { inNamespaces, registration, startWebhook } from "./admission-webhook.ts";
import type { RealWorld } from "./real-world.ts";
import { patience } from "./room-world.ts";

const matters = [
  { name: "counts", apiGroup: "apps", resource: "deployments" },
  { name: "scalers", apiGroup: "autoscaling", resource: "horizontalpodautoscalers" },
  { name: "costs", apiGroup: "", resource: "pods" },
] as const;

const noted = ({ annotations = {} }: AdmissionRequest["object"]["metadata"]): string =>
  annotations[recordAnnotation] ?? annotations[costAnnotation] ?? "nothing";

/** The deaths of a function: a word for each. */
export interface Deaths {
  /** As `before deployments web up`. */
  readonly all: ReadonlySet<string>;
  close(): void;
}

/** Lets the node function die at each kind of write that makes room for an app: once before it takes place, and once after. */
export async function killAtWrites(world: RealWorld, revive: () => void): Promise<Deaths> {
  const all = new Set<string>();
  const die = () => {
    world.coolDown();
    revive();
  };
  let isHeard = false;
  const webhook = await startWebhook(async (request) => {
    isHeard = true;
    const { name, resource, userInfo, object } = request;
    if (!userInfo.groups.includes("eks-node-lifecycle")) return "allowed";
    const [app = ""] = name.split("-");
    const [word = ""] = noted(object.metadata).split(":");
    const write = `${resource.resource} ${app} ${resource.resource === "pods" ? "cheap" : word}`;
    if (!all.has(`before ${write}`)) {
      all.add(`before ${write}`);
      die();
      return { message: "whoever asks for this is dead" };
    }
    if (!all.has(`after ${write}`)) {
      all.add(`after ${write}`);
      void writtenIn(world, request).then(die);
    }
    return "allowed";
  });
  const scope = inNamespaces("default");
  const rules = matters.map((matter) => ({ ...matter, scope, operation: "UPDATE" as const }));
  await world.controlPlane.apply(registration(webhook, ...rules));
  const trial = ["annotate", "pods", "--all", "tried=", "--dry-run=server"];
  await vi.waitFor(async () => {
    await world.controlPlane.kubectlText(...trial);
    if (!isHeard) throw new Error("the API server does not call the webhook yet");
  }, patience);
  return { all, close: () => webhook.close() };
}

/** Waits until a write that is allowed has taken place. */
function writtenIn({ controlPlane }: RealWorld, { name, resource, object }: AdmissionRequest) {
  const its = { name, namespace: "default" };
  const read = {
    deployments: () => controlPlane.api(AppsV1Api).readNamespacedDeployment(its),
    pods: () => controlPlane.api(CoreV1Api).readNamespacedPod(its),
    horizontalpodautoscalers: () =>
      controlPlane.api(AutoscalingV2Api).readNamespacedHorizontalPodAutoscaler(its),
  }[resource.resource];
  return vi.waitFor(
    async () => {
      const { metadata } = (await read?.()) ?? {};
      const { annotations = {} } = metadata ?? {};
      if (noted({ annotations }) !== noted(object.metadata)) throw new Error("not written yet");
    },
    { ...patience, interval: 5 },
  );
}
