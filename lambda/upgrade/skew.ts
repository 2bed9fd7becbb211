/** How many minor versions a kubelet may be older than the API server. @see https://kubernetes.io/releases/version-skew-policy/#kubelet */
const mostBehind = 3;

/** Why a kubelet of that version does not go with an API server of that one; empty when it does, or nobody knows. */
export function skewOf(kubelet: string, server: string): string {
  const [ours, theirs] = [minorOf(kubelet), minorOf(server)];
  if (ours === undefined || theirs === undefined) return "";
  if (ours > theirs)
    return `its kubelet ${kubelet} is newer than the control plane ${server}: upgrade that first`;
  return theirs - ours > mostBehind
    ? `its kubelet ${kubelet} is more than ${mostBehind} minor versions older than the control plane ${server}`
    : "";
}

const minorOf = (version: string): number | undefined => {
  const [, minor] = /^v?1\.(\d{1,3})\b/.exec(version) ?? [];
  return minor === undefined ? undefined : Number(minor);
};

const parameterForm =
  /^\/aws\/service\/(?:eks\/optimized-ami|bottlerocket\/aws-k8s-|ami-windows-latest\/.*EKS_Optimized-)\/?(1\.\d{1,3})/;

/** The version of Kubernetes that the images of a public parameter of SSM are made for; empty where its name does not say. */
export const versionOfParameter = (parameter: string): string =>
  parameterForm.exec(parameter)?.[1] ?? "";
