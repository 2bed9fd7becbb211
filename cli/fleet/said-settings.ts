import { EKSClient } from "@aws-sdk/client-eks";
import type { FunctionConfiguration } from "@aws-sdk/client-lambda";
import { textOf } from "../../lambda/config/form.ts";
import type { Setting } from "../../lambda/config/setting.ts";
import { nodeSettings } from "../../lambda/config/settings.ts";
import { fieldName } from "../../lib/cluster-file/field-name.ts";
import { ownParts } from "../../lib/cluster-file/own-settings.ts";
import type { ReadFile } from "../../lib/cluster-file/read-cluster-config.ts";
import { type AwsAccess, regionOf } from "../connect/aws-access.ts";
import { type DeploymentParts, functionOf, isAbsent } from "../connect/deployment-at.ts";
import { type Found, unknown } from "../connect/found.ts";
import type { SettingInFile } from "../status/setting-schema.ts";
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
  const { fit } = fileOf(name, region, cwd);
  if (fit === undefined) return [];
  const own = await Promise.all(
    ownParts.map(async ({ settings, functionName }) => {
      const isSaid = fit.said.some(({ path: [part = ""] }) => part in settings);
      const found = isSaid ? await functionOf(parts.output(functionName), aws) : absent;
      return isAbsent(found) ? [] : settingsIn(fit, settings, found);
    }),
  );
  return [
    ...switchesIn(fit, name, parts),
    ...settingsIn(fit, nodeSettings, parts.function),
    ...own.flat(),
  ];
}

const absent: Found<FunctionConfiguration> = unknown("nothing asks", "", "output");

type Settings = Readonly<Record<string, Readonly<Record<string, Setting>>>>;

/** The settings of one function in the files. */
function settingsIn(
  { said }: ReadFile,
  table: Settings,
  deployed: Found<FunctionConfiguration>,
): readonly SettingInFile[] {
  const variables =
    deployed.kind === "known" ? (deployed.value.Environment?.Variables ?? {}) : null;
  return Object.entries(table).flatMap(([part, rows]) =>
    Object.entries(rows).flatMap(([name, { key, form, default: usual }]) => {
      const setting = `${part}.${fieldName(name, form)}`;
      const found = said.find(({ path }) => path.join(".") === setting);
      if (found === undefined) return [];
      const now = variables === null ? null : (variables[key] ?? textOf(usual));
      return [{ setting, key, value: plain(found.value), file: found.file, deployed: now }];
    }),
  );
}

/** Upgrades and repairs by the files, if a file sets them or the deployment differs. */
function switchesIn(
  { config, said }: ReadFile,
  name: string,
  { output }: DeploymentParts,
): readonly SettingInFile[] {
  const all = (["upgrades", "repairs"] as const).map((setting) => {
    const saying = said.find(({ path }) => path.join(".") === setting);
    const deployed = switched(output(switches[setting]));
    const file = saying?.file ?? `the file of ${name}`;
    return { saying, difference: { setting, key: "", value: config[setting], file, deployed } };
  });
  return all
    .filter(({ saying, difference }) => saying !== undefined || differing([difference]).length > 0)
    .map(({ difference }) => difference);
}

const switches = { upgrades: "UpgradeFunctionName", repairs: "RepairFunctionName" } as const;

const switched = (functionName: Found<string>): "off" | "on" | null => {
  if (functionName.kind === "known") return "on";
  return functionName.lack === "output" ? "off" : null;
};

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

/** The settings whose deployed value is another than that of the files. */
export const differing = (settings: readonly SettingInFile[]): readonly SettingInFile[] =>
  settings.filter(({ value, deployed }) => deployed !== null && deployed !== value);
