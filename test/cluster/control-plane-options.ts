import { type Duration, wholeSeconds } from "../../lambda/base/time.ts";
import type { RunFolder } from "./run-folder.ts";

/** An instance of a group, and its node. */
export interface ClusterNode {
  readonly name: string;
  readonly instanceId: string;
  readonly zone: string;
}

/** The options of a control plane. */
export interface ControlPlaneOptions {
  readonly nodes: readonly ClusterNode[];
  /** The cluster's name; if it is set, aws-iam-authenticator checks bearer tokens as on EKS. */
  readonly cluster?: string;
  /** The EC2 API that the authenticator asks for private DNS names. */
  readonly ec2Endpoint?: string;
  readonly authMode?: "CONFIG_MAP" | "API" | "API_AND_CONFIG_MAP";
  /** How long a kubelet may be silent before its node counts as not ready. */
  readonly monitorGrace?: Duration;
  /** Further variables of `test/control-plane/up`. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A node in the form that the scripts read. */
export const inShort = ({ name, instanceId, zone }: ClusterNode): string =>
  `${name}/${instanceId}/${zone}`;

/**
 * The scripts' environment: this process's own, without the variables that would mislead the
 * authenticator.
 */
export function scriptEnvironment(
  folder: RunFolder,
  binaries: string,
  options: ControlPlaneOptions,
): NodeJS.ProcessEnv {
  const { cluster = "", ec2Endpoint = "", authMode = "CONFIG_MAP", monitorGrace, env } = options;
  const inherited = Object.entries(process.env).filter(([key]) => !key.startsWith("AWS_"));
  return {
    ...Object.fromEntries(inherited),
    KUBEBUILDER_ASSETS: binaries,
    RUN: folder.path,
    PORT: `${folder.port}`,
    CLUSTER: cluster,
    EC2_ENDPOINT: ec2Endpoint,
    AUTH_MODE: authMode,
    ...(monitorGrace === undefined ? {} : { MONITOR_GRACE: `${wholeSeconds(monitorGrace)}s` }),
    ...env,
  };
}
