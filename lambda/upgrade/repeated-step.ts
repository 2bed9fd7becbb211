import type { MachineNode } from "../drain/node.ts";
import type { UpgradeStep } from "./scene.ts";

/** What a step writes, and into which nodes. */
export interface Deed {
  readonly title: string;
  readonly nodes: readonly MachineNode[];
  /** The same, node by node: a few kubelets that take turns make many sets of nodes. */
  readonly parts: readonly string[];
}

/**
 * The deed of a step. A pass that would do each of its parts a third time waits instead: somebody takes it back at once, such as
 * the kubelet of a node, and would have the pass go on without a rest. `undefined` for steps that others do not take back so.
 */
export function tryDeed(step: UpgradeStep): Deed | undefined {
  if (step.kind === "soak") {
    const title = `${step.kind} ${step.soak === "owed" ? step.soak : "begins"}`;
    return { title, nodes: [], parts: [title] };
  }
  const nodes = nodesOf(step);
  if (nodes.length === 0) return undefined;
  const names = nodes.map(({ name }) => name);
  const parts = names.map((name) => `${step.kind} ${name}`);
  return { title: [step.kind, ...names].join(" "), nodes, parts };
}

function nodesOf(step: UpgradeStep): readonly MachineNode[] {
  if ("nodes" in step) return step.nodes;
  return step.kind === "begin" ? step.attempts.map(({ node }) => node) : [];
}
