import type { NodeName } from "../base/ids.ts";
import type { UpgradeStep } from "./scene.ts";

/**
 * What a step writes of which nodes. A pass that would write it a third time waits instead: somebody takes it back at once, such
 * as the kubelet of a node, and would have the pass go on without a rest. `undefined` for steps that others do not take back so.
 */
export function tryDeed(step: UpgradeStep): string | undefined {
  if (step.kind === "soak") return `${step.kind} ${step.soak === "owed" ? step.soak : "begins"}`;
  const names = namesIn(step);
  return names.length === 0 ? undefined : [step.kind, ...names].join(" ");
}

function namesIn(step: UpgradeStep): readonly NodeName[] {
  if ("nodes" in step) return step.nodes.map(({ name }) => name);
  return step.kind === "begin" ? step.attempts.map(({ node }) => node.name) : [];
}
