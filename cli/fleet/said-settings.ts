import { EKSClient } from "@aws-sdk/client-eks";
import { textOf } from "../../lambda/config/form.ts";
import type { Setting } from "../../lambda/config/setting.ts";
import { nodeSettings } from "../../lambda/config/settings.ts";
import { fieldName } from "../../lib/cluster-file/field-name.ts";
import { type AwsAccess, regionOf } from "../connect/aws-access.ts";
import type { DeploymentParts } from "../connect/deployment-at.ts";
import type { SaidSetting } from "../status/status-schema.ts";
import { fileNamesIn, fileOf } from "./cluster-files.ts";

/** Where the files of clusters are, and what is deployed. */
interface SettingsPlace {
  readonly cwd: string;
  readonly aws: AwsAccess;
  readonly parts: DeploymentParts;
}

/** What the files in `clusters/` say of the settings of a cluster; nothing where it has no file that fits. */
export async function settingsSaid(
  name: string,
  { cwd, aws, parts }: SettingsPlace,
): Promise<readonly SaidSetting[]> {
  if (fileNamesIn(cwd).length === 0) return [];
  const region = await regionOf(new EKSClient(aws));
  const said = fileOf(name, region, cwd).fit?.said ?? [];
  const deployed =
    parts.function.kind === "known" ? (parts.function.value.Environment?.Variables ?? {}) : null;
  return Object.entries<Readonly<Record<string, Setting>>>(nodeSettings).flatMap(([part, rows]) =>
    Object.entries(rows).flatMap(([name, { key, form, default: usual }]) => {
      const setting = `${part}.${fieldName(name, form)}`;
      const found = said.find(({ path }) => path.join(".") === setting);
      if (found === undefined) return [];
      const now = deployed === null ? null : (deployed[key] ?? textOf(usual));
      return [{ setting, key, value: plain(found.value), file: found.file, deployed: now }];
    }),
  );
}

const plain = (value: unknown): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value);

/** Tells which file says which settings, and which of them are deployed otherwise. */
export const saidWords = (settings: readonly SaidSetting[]): readonly string[] =>
  [...Map.groupBy(settings, ({ file }) => file)].map(([file, its]) => {
    const all = its.map(({ setting, value, deployed }) =>
      deployed === null || deployed === value
        ? `${setting} ${value}`
        : `${setting} ${value} (deployed is ${deployed})`,
    );
    return `by ${file}: ${all.join(", ")}`;
  });
