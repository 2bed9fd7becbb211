import type { PodSpec } from "./pod.ts";

/** The affinity that binds a pod to one node by name, as DaemonSets write it. */
export const affinityTo = (node: string) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [
        { matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] },
      ],
    },
  },
});

/** The node that a pod is bound to by name, if it is. */
export function boundNode({ affinity }: PodSpec): string | undefined {
  const found = affinity as ReturnType<typeof affinityTo> | undefined;
  const required = found?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required?.nodeSelectorTerms[0]?.matchFields?.[0]?.values[0];
}

/** The node that a pod prefers by name, if it prefers one. */
export function preferredNode({ affinity }: PodSpec): string | undefined {
  const found = affinity as { readonly nodeAffinity?: Preferring } | undefined;
  const [first] = found?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return first?.preference.matchFields?.[0]?.values[0];
}

interface Preferring {
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
    readonly preference: { readonly matchFields?: readonly { readonly values: string[] }[] };
  }[];
}
