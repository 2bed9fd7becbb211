import type { V1NodeSelector, V1NodeSelectorTerm, V1PodSpec } from "@kubernetes/client-node";
import type { Requirement } from "../drain/budget.ts";
import type { NodeDemand, NodeTerm } from "../drain/reschedulable-pod.ts";
import type { AsSent } from "./as-sent.ts";

/** What a pod's specification demands of its node. */
export function demandsOf({
  nodeSelector = {},
  affinity,
}: AsSent<V1PodSpec>): readonly NodeDemand[] {
  const labels = Object.entries(nodeSelector).map(
    ([key, value]): Requirement => ({ key, operator: "In", values: [value] }),
  );
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return [
    ...(labels.length === 0 ? [] : [{ from: "node selector", anyOf: [{ labels, fields: [] }] }]),
    ...(required === undefined ? [] : [demandOf("node affinity", required)]),
  ];
}

/** Reads a node selector of the Kubernetes API. */
export const demandOf = (from: string, selector: AsSent<V1NodeSelector>): NodeDemand => ({
  from,
  anyOf: selector.nodeSelectorTerms.map(termOf),
});

const termOf = ({
  matchExpressions = [],
  matchFields = [],
}: AsSent<V1NodeSelectorTerm>): NodeTerm => ({
  labels: matchExpressions.map(requirementOf),
  fields: matchFields.map(requirementOf),
});

const requirementOf = ({
  key,
  operator,
  values = [],
}: {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}): Requirement => ({ key, operator, values });
