import { fileForTest } from "../folder-for-test.ts";

/** An API server, with its authority as PEM. */
export interface Served {
  readonly endpoint: string;
  readonly certificateAuthority: string;
}

/** A user as a kubeconfig has it, such as `{ token: "…" }`. */
export type KubeconfigUser = Readonly<Record<string, unknown>>;

/** The text of a kubeconfig with one context, `demo`. */
function kubeconfigOf(
  { endpoint: server, certificateAuthority }: Served,
  user: KubeconfigUser,
): string {
  const authority = Buffer.from(certificateAuthority).toString("base64");
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "demo", cluster: { server, "certificate-authority-data": authority } }],
    users: [{ name: "somebody", user }],
    contexts: [{ name: "demo", context: { cluster: "demo", user: "somebody" } }],
    "current-context": "demo",
  });
}

/** Writes a kubeconfig for an API server, and returns its path. */
export const kubeconfigFile = (served: Served, user: KubeconfigUser): string =>
  fileForTest("kubeconfig", kubeconfigOf(served, user));
