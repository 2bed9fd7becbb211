/** An object of the Kubernetes API, as a manifest has it. */
export interface ClusterObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Empty for an object of the whole cluster. */
  readonly namespace: string;
  readonly body: object;
}
