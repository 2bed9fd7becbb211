import { AuthenticationV1Api, KubeConfig, type V1UserInfo } from "@kubernetes/client-node";
import type { ControlPlane } from "./control-plane.ts";

/** The configuration of a client that sends a bearer token. */
export function withToken(controlPlane: ControlPlane, token: string): KubeConfig {
  const kubeConfig = new KubeConfig();
  const caData = Buffer.from(controlPlane.certificateAuthority).toString("base64");
  const cluster = { name: "test", server: controlPlane.url, caData, skipTLSVerify: false };
  kubeConfig.loadFromClusterAndUser(cluster, { name: "test", token });
  return kubeConfig;
}

/**
 * The user that the API server recognizes in the holder of a token; rejects with HTTP 401 for none.
 */
export async function whoAmI(controlPlane: ControlPlane, token: string): Promise<V1UserInfo> {
  const api = withToken(controlPlane, token).makeApiClient(AuthenticationV1Api);
  const { status } = await api.createSelfSubjectReview({ body: {} });
  return status?.userInfo ?? {};
}
