import { tryRefusal } from "../../lambda/adapters/kubernetes/connection/kube-fault.ts";

/** Waits for the removal of an object that may not be there. */
export const ifThere = (removal: Promise<unknown>): Promise<unknown> =>
  removal.catch((cause: unknown) => {
    if (tryRefusal(cause)?.code !== 404) throw cause;
  });
