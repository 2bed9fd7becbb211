import { type Instant, instant } from "../base/time.ts";

/** An object of the Kubernetes API as JSON has it: like client-node's model, but with times as texts. */
export type AsSent<T> = T extends Date
  ? string
  : T extends object
    ? { [K in keyof T]: AsSent<T[K]> }
    : T;

/** A time of the Kubernetes API; long ago where an object has none. */
export const instantOf = (time: string | undefined): Instant =>
  instant(typeof time === "string" ? Date.parse(time) : 0);
