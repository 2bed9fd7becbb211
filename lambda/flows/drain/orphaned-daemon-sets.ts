import type { Controller, Pod } from "../../domain/pod/pod.ts";
import type { Ports } from "../../ports/ports.ts";

type Owner = Extract<Controller, { readonly kind: "owner" }>;

/**
 * The UIDs of DaemonSets that own pods of the node but are gone: nobody puts such a pod back.
 *
 * A DaemonSet that cannot be asked about is taken to be there: its pods stay, and a warning says so. Those of other
 * API groups, such as OpenKruise's, are not asked about, for the function has no right to. One that goes during the
 * pass is found by the next.
 */
export async function orphanedDaemonSets(
  pods: readonly Pod[],
  { cluster, journal }: Ports,
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
      if (there === "unclear")
        journal.record({
          kind: "warning",
          about: `${namespace}/${controller.name}`,
          warnings: [unclear],
        });
      return there === "absent" ? [controller.uid] : [];
    }),
  );
  return new Set(gone.flat());
}

const unclear =
  "the API server does not say whether this DaemonSet is still there: its pods are left alone";

const isDaemonSet = ({ type, apiVersion }: Owner): boolean =>
  type === "DaemonSet" && apiVersion === "apps/v1";
