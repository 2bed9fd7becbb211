import type { Controller, Pod } from "../domain/pod.ts";
import type { Ports } from "../ports.ts";

type Owner = Extract<Controller, { readonly kind: "owner" }>;

/**
 * The UIDs of DaemonSets that own pods of the node but are gone: nobody puts such a pod back.
 *
 * A DaemonSet that cannot be asked about is taken to be there, and its pods stay.
 */
export async function orphanedDaemonSets(
  pods: readonly Pod[],
  { cluster }: Ports,
): Promise<ReadonlySet<string>> {
  const owners = new Map(
    pods
      .filter((pod) => pod.controller.kind === "owner" && isDaemonSet(pod.controller))
      .map((pod) => [JSON.stringify([pod.namespace, pod.controller]), pod]),
  );
  const gone = await Promise.all(
    [...owners.values()].map(async ({ namespace, controller }) => {
      if (controller.kind === "none") return [];
      const there = await cluster.daemonSet(namespace, controller.name);
      return there === "absent" ? [controller.uid] : [];
    }),
  );
  return new Set(gone.flat());
}

const isDaemonSet = ({ type, apiVersion }: Owner): boolean =>
  type === "DaemonSet" && apiVersion === "apps/v1";
