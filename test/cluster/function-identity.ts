import { setHeaderOptions } from "@kubernetes/client-node";

/** Where `aws-auth` is. */
export const place = { name: "aws-auth", namespace: "kube-system" };

/** A request by a member of the function's group. */
export const asTheFunction = setHeaderOptions(
  "Impersonate-Group",
  "eks-node-lifecycle",
  setHeaderOptions("Impersonate-User", "the-function"),
);
