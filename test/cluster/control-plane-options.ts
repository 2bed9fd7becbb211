import { type Duration, wholeSeconds } from "../../lambda/domain/time.ts";
import type { RunFolder } from "./run-folder.ts";

/** An instance of a group and the node it becomes. */
export interface ClusterNode {
  readonly name: string;
  readonly instanceId: string;
  readonly zone: string;
}

/** What a control plane is started with. */
export interface ControlPlaneOptions {
  readonly nodes: readonly ClusterNode[];
  /** The cluster's name: with it, bearer tokens are judged by aws-iam-authenticator as on EKS. */
  readonly cluster?: string;
  /** The EC2 API that the authenticator asks for private DNS names. */
  readonly ec2Endpoint?: string;
  readonly authMode?: "CONFIG_MAP" | "API" | "API_AND_CONFIG_MAP";
  /** How long a node may be silent before it counts as not ready. */
  readonly monitorGrace?: Duration;
  /** Further variables of `test/control-plane/up`. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A node as the scripts take it. */
export const inShort = ({ name, instanceId, zone }: ClusterNode): string =>
  `${name}/${instanceId}/${zone}`;

/** The scripts' environment: this process's own, but for what would lead the authenticator astray. */
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
