import type { Form } from "../../lambda/config/form.ts";
import type { Setting } from "../../lambda/config/setting.ts";

/** The name of a setting in a cluster's file. A time is a number there, so its name ends with the unit. */
export type FieldName<N extends string, S extends Setting> = S["form"]["kind"] extends
  | "held-seconds"
  | "seconds"
  ? `${N}Seconds`
  : N;

/** Names a setting as a cluster's file does, such as `timeoutSeconds`. */
export const fieldName = (name: string, form: Form): string =>
  isTime(form) ? `${name}Seconds` : name;

/** Whether the value of a setting is a time. */
export const isTime = ({ kind }: Form): boolean => kind === "held-seconds" || kind === "seconds";
