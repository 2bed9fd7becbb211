import * as z from "zod/mini";
import { Fault } from "../base/fault.ts";

/** An object that is in the cluster. */
export interface PresentObject {
  /** Unique: a later object of the same name has another version. */
  readonly version: string;
  readonly annotations: ReadonlyMap<string, string>;
}

const schema = z.pipe(
  z.object({
    metadata: z.object({
      resourceVersion: z.string(),
      annotations: z._default(z.record(z.string(), z.string()), {}),
    }),
  }),
  z.transform(
    ({ metadata: { resourceVersion, annotations } }): PresentObject => ({
      version: resourceVersion,
      annotations: new Map(Object.entries(annotations)),
    }),
  ),
);

/** Reads an object that the API server has sent; `doing` is for the fault. */
export function readPresentObject(doing: string, body: string): PresentObject {
  try {
    return z.parse(schema, JSON.parse(body));
  } catch (cause) {
    throw noObject(doing, cause);
  }
}

const noObject = (doing: string, cause: unknown): Fault =>
  new Fault("cluster.refused", `${doing}: the answer is no object`, { cause });
