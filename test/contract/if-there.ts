import { ApiException } from "@kubernetes/client-node";

/** With what status the API server refused a request of client-node; `undefined` if something else went wrong. */
export const refusedWith = (cause: unknown): number | undefined =>
  cause instanceof ApiException ? cause.code : undefined;

/** Waits for a removal of what may be gone already. */
export const ifThere = (removal: Promise<unknown>): Promise<unknown> =>
  removal.catch((cause: unknown) => {
    if (refusedWith(cause) !== 404) throw cause;
  });
