import { later, seconds } from "../base/time.ts";
import type { MachineNode } from "../drain/node.ts";
import type { DaemonPod } from "../group-work/group-nodes.port.ts";
import { startupTaintsOn } from "../launch/startup-taints.ts";
import { type DaemonDemands, lackingPods, podNames } from "./daemon-sets.ts";
import type { UpgradeOptions } from "./options.ts";
import type { NodeCheck, UpgradeScene } from "./scene.ts";

/** The demands on every new node of an upgrade. */
type Demands = Pick<UpgradeScene, "now" | "server" | "startupTaints"> & {
  readonly bookmark: { readonly options: Pick<UpgradeOptions, "check"> };
};

type AllDemands = DaemonDemands & Demands;

// DaemonSets that do not tolerate a node that is not ready create their pods only then.
const settles = seconds(5);

/** Why the object of a new node says that it cannot take pods yet; empty if it can. */
export function unreadiness(node: MachineNode, demands: Demands): string {
  const { server, startupTaints, now } = demands;
  const { check } = demands.bookmark.options;
  const { name, readiness, readinessMessage } = node;
  if (readiness !== "ready")
    return `node ${name} is ${readiness}: ${readinessMessage || "nothing is said"}`;
  if (node.providerId === "") return `node ${name} has no provider ID`;
  if (now < later(node.readinessSince, settles)) return `node ${name} has just become ready`;
  const left = startupTaintsOn(node, startupTaints);
  if (left.length > 0) return `node ${name} still has the taint ${left.join(", ")}`;
  const skew = skewOf(node.kubeletVersion, server);
  if (skew !== "") return `node ${name}: ${skew}`;
  return check.kind === "label" && node.labels[check.key] !== check.value
    ? `node ${name} does not have the label ${check.key}=${check.value}`
    : "";
}

/** Why a new node is not valid; empty if it is. A node without checks is not valid yet. */
export function invalidity(
  node: MachineNode,
  asked: NodeCheck | undefined,
  demands: AllDemands,
): string {
  const reason = unreadiness(node, demands);
  if (reason !== "") return reason;
  if (asked === undefined) return `node ${node.name} has not been asked yet`;
  const { daemons, answers } = asked;
  const { awaited } = lackingPods(node, daemons, demands);
  if (awaited.length > 0) return lackingText(node, daemons, awaited);
  return answers ? "" : `node ${node.name} does not answer its own check with 200`;
}

function lackingText(
  { name }: MachineNode,
  all: readonly DaemonPod[],
  awaited: readonly DaemonPod[],
): string {
  const ready = all.filter(({ readiness }) => readiness === "ready").length;
  return `node ${name} has ${ready} of ${all.length} pods of DaemonSets ready, and waits for ${podNames(awaited)}`;
}

/**
 * The most minor versions by which a kubelet may be older than the API server.
 * @see https://kubernetes.io/releases/version-skew-policy/#kubelet
 */
export const mostBehind = 3;

/** Why a kubelet of one version does not work with an API server of another; empty if it does, or a version is unknown. */
export function skewOf(kubelet: string, server: string): string {
  const [ours, theirs] = [minorOf(kubelet), minorOf(server)];
  if (ours === undefined || theirs === undefined) return "";
  if (ours > theirs)
    return `its kubelet ${kubelet} is newer than the control plane ${server}: upgrade that first`;
  return theirs - ours > mostBehind
    ? `its kubelet ${kubelet} is more than ${mostBehind} minor versions older than the control plane ${server}`
    : "";
}

/** The minor version in a version of Kubernetes, such as `v1.35.2-eks-1`; `undefined` if it has another form. */
export const minorOf = (version: string): number | undefined => {
  const [, minor] = /^v?1\.(\d{1,3})\b/.exec(version) ?? [];
  return minor === undefined ? undefined : Number(minor);
};

const parameterForm =
  /^\/aws\/service\/(?:eks\/optimized-ami|bottlerocket\/aws-k8s-|ami-windows-latest\/.*EKS_Optimized-)\/?(1\.\d{1,3})/;

/** The version of Kubernetes of the images that a public SSM parameter names; empty if its name does not tell. */
export const versionOfParameter = (parameter: string): string =>
  parameterForm.exec(parameter)?.[1] ?? "";
