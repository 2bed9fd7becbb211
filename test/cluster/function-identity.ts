import { setHeaderOptions } from "@kubernetes/client-node";
import { productName } from "../../lambda/base/contract.ts";

/** Where `aws-auth` is. */
export const place = { name: "aws-auth", namespace: "kube-system" };

/** A request by a member of some group, with the name of a function: the API server notes it as the manager of fields. */
export const asMemberOf = (group: string, user: string) =>
  setHeaderOptions(
    "User-Agent",
    `${productName}/1`,
    setHeaderOptions("Impersonate-Group", group, setHeaderOptions("Impersonate-User", user)),
  );

/** A request by a member of the function's group. */
export const asTheFunction = asMemberOf("eks-node-lifecycle", "the-function");

/** A request by a member of the upgrade function's group. */
export const asTheUpgrade = asMemberOf("eks-node-lifecycle-upgrades", "the-upgrade");

/** A request by a member of the repair function's group. */
export const asTheRepair = asMemberOf("eks-node-lifecycle-repairs", "the-repair");
