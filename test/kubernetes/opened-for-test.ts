import { onTestFinished } from "vitest";
import type { OpenConnection } from "../../lambda/aws/eks-cluster-client.ts";
import { KubeConnection } from "../../lambda/kubernetes/kube-connection.ts";

/** Makes a connection that is closed when the test is over. */
export const openedForTest: OpenConnection = (address, token) => {
  const connection = new KubeConnection(address, token);
  onTestFinished(() => connection.close());
  return connection;
};
