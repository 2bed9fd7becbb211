import { EKSClient } from "@aws-sdk/client-eks";
import { textOf } from "../../lambda/config/form.ts";
import type { Setting } from "../../lambda/config/setting.ts";
import { nodeSettings } from "../../lambda/config/settings.ts";
import { fieldName } from "../../lib/cluster-file/field-name.ts";
import { type AwsAccess, regionOf } from "../connect/aws-access.ts";
import type { DeploymentParts } from "../connect/deployment-at.ts";
import type { SettingInFile } from "../status/status-schema.ts";
import { fileNamesIn, fileOf } from "./cluster-files.ts";

/** The settings in the files of `clusters/`; empty if the cluster has no file. */
export async function settingsSaid(
  name: string,
  cwd: string,
  aws: AwsAccess,
  parts: DeploymentParts,
): Promise<readonly SettingInFile[]> {
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

/** Says which file has which settings, and which of them differ from the deployment. */
export const saidWords = (settings: readonly SettingInFile[]): readonly string[] =>
  [...Map.groupBy(settings, ({ file }) => file)].map(([file, its]) => {
    const all = its.map(({ setting, value, deployed }) =>
      deployed === null || deployed === value
        ? `${setting} ${value}`
        : `${setting} ${value} (deployed is ${deployed})`,
    );
    return `by ${file}: ${all.join(", ")}`;
  });
