import * as z from "zod/mini";

/** A setting in the cluster's file, or in a file under it. */
export const saidSetting = z.object({
  setting: z.string(),
  /** Its key in the function's environment; empty for `upgrades` and `repairs`, which have functions of their own. */
  key: z.string(),
  value: z.string(),
  file: z.string(),
  /** The value in the deployment; `null` if unknown. */
  deployed: z.nullable(z.string()),
});

export type SettingInFile = z.input<typeof saidSetting>;
