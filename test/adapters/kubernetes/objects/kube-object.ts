import { ObjectSerializer } from "@kubernetes/client-node/dist/gen/models/ObjectSerializer.js";

/** An object as the API server sends it, read as the client reads it. */
export const kubeObject = <T>(type: string, sent: unknown): T =>
  ObjectSerializer.deserialize(JSON.parse(JSON.stringify(sent)), type, "") as T;

/** A part of an object with changes; a field that is `undefined` here is left out. */
export type Part = Readonly<Record<string, unknown>>;
