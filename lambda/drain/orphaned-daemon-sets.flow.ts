import type { DrainPorts } from "./drain.port.ts";
import type { Controller, Pod } from "./pod.ts";
import { daemonSetKey } from "./pod-class.ts";

/** Reads whether a DaemonSet exists, and the journal for when that fails. */
export interface Seeing extends Pick<DrainPorts, "journal"> {
  readonly cluster: Pick<DrainPorts["cluster"], "daemonSet">;
}

type Owner = Extract<Controller, { readonly kind: "owner" }>;

/**
 * The keys of DaemonSets that own pods of the node but are gone, so that nothing creates these pods again.
 *
 * If the API server does not say whether a DaemonSet exists, the drain leaves its pods alone, and warns. The drain also
 * leaves alone the pods of DaemonSets of other API groups, such as OpenKruise's, which the function has no right to
 * read. The next pass finds a DaemonSet that is deleted during this one.
 *
 * Others may name thousands of DaemonSets as owners of pods, and no pod is evicted before these are looked for. So only the
 * first of each namespace are.
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
  const byNamespace = Map.groupBy(daemonSets.values(), ({ namespace }) => namespace);
  for (const [about, { length }] of byNamespace)
    if (length > mostLookedFor)
      ports.journal.record({ kind: "warning", about, warnings: [tooMany] });
  const sought = [...byNamespace.values()].flatMap((some) => some.slice(0, mostLookedFor));
  const gone = await Promise.all(sought.map((one) => keyIfGone(one, ports)));
  return new Set(gone.flat());
}

// A node has far fewer of one namespace.
const mostLookedFor = 50;

async function keyIfGone(
  { namespace, owner }: { readonly namespace: string; readonly owner: Owner },
  { cluster, journal }: Seeing,
): Promise<readonly string[]> {
  const there = await cluster.daemonSet(namespace, owner.name);
  const about = `${namespace}/${owner.name}`;
  if (there === "unclear") journal.record({ kind: "warning", about, warnings: [unclear] });
  return there === "absent" ? [daemonSetKey(namespace, owner)] : [];
}

const unclear =
  "the API server does not say whether this DaemonSet is still there: its pods are left alone";

const tooMany = `its pods on this node have more than ${mostLookedFor} DaemonSets: the others are not looked for, and their pods are left alone`;

const isDaemonSet = ({ type, apiVersion }: Owner): boolean =>
  type === "DaemonSet" && apiVersion === "apps/v1";
