/** The annotation by which Cluster Autoscaler leaves a node alone. */
export const scaleDownAnnotation = "cluster-autoscaler.kubernetes.io/scale-down-disabled";

/**
 * The annotation by which an upgrade knows that it has written the one of Cluster Autoscaler itself. The fence lets the two
 * come and go together alone.
 */
export const ownScaleDownAnnotation = "eks-node-lifecycle/scale-down-disabled";
