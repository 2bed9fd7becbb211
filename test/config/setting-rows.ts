import type { Setting } from "../../lambda/config/setting.ts";
import { allSettings } from "../../lib/cluster-file/all-settings.ts";

/** A row of the table of settings, with its name and its group of settings. */
export interface SettingRow extends Setting {
  readonly name: string;
  readonly group: keyof typeof allSettings;
}

const groups = ["drain", "hooks", "launch", "events", "reports", "repair"] as const;

/** Every row of the table of settings. */
export const settingRows: readonly SettingRow[] = groups.flatMap((group) =>
  Object.entries<Setting>(allSettings[group]).map(([name, row]) => ({ ...row, name, group })),
);
