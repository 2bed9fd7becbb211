import type { AsSent } from "../../lambda/kubernetes/as-sent.ts";

/** An object as the API server sends it: a field that is `undefined` here is left out. */
export const kubeObject = <T>(sent: unknown): AsSent<T> => Object(JSON.parse(JSON.stringify(sent)));

/** A part of an object with changes; a field that is `undefined` here is left out. */
export type Part = Readonly<Record<string, unknown>>;
