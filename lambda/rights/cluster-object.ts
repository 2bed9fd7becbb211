/** An object of the Kubernetes API, as a manifest contains it. */
export interface ClusterObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Empty for an object that belongs to the whole cluster. */
  readonly namespace: string;
  readonly body: object;
}
