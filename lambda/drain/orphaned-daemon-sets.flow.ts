import type { Ports } from "../registrations/ports.ts";
import type { Controller, Pod } from "./pod.ts";

/** Reads whether a DaemonSet exists, and the journal for when that fails. */
export interface Seeing extends Pick<Ports, "journal"> {
  readonly cluster: Pick<Ports["cluster"], "daemonSet">;
}

type Owner = Extract<Controller, { readonly kind: "owner" }>;

/**
 * The UIDs of DaemonSets that own pods of the node but are gone, so that nothing creates these pods again.
 *
 * If the API server does not say whether a DaemonSet exists, the drain leaves its pods alone, and warns. The drain also
 * leaves alone the pods of DaemonSets of other API groups, such as OpenKruise's, which the function has no right to
 * read. The next pass finds a DaemonSet that is deleted during this one.
 */
export async function orphanedDaemonSets(
  pods: readonly Pod[],
  ports: Seeing,
): Promise<ReadonlySet<string>> {
  const owned = pods.flatMap(({ namespace, controller }) =>
    controller.kind === "owner" && isDaemonSet(controller)
      ? [{ namespace, owner: controller }]
      : [],
  );
  const daemonSets = new Map(owned.map((one) => [JSON.stringify(one), one]));
  const uids = await Promise.all([...daemonSets.values()].map((one) => uidIfGone(one, ports)));
  return new Set(uids.flat());
}

interface DaemonSet {
  readonly namespace: string;
  readonly owner: Owner;
}

async function uidIfGone(
  { namespace, owner }: DaemonSet,
  { cluster, journal }: Seeing,
): Promise<readonly string[]> {
  const there = await cluster.daemonSet(namespace, owner.name);
  const about = `${namespace}/${owner.name}`;
  if (there === "unclear") journal.record({ kind: "warning", about, warnings: [unclear] });
  return there === "absent" ? [owner.uid] : [];
}

const unclear =
  "the API server does not say whether this DaemonSet is still there: its pods are left alone";

const isDaemonSet = ({ type, apiVersion }: Owner): boolean =>
  type === "DaemonSet" && apiVersion === "apps/v1";
