import { environment } from "../../lambda/base/contract.ts";
import { parseConfig } from "../../lambda/config/config.ts";
import { textOf } from "../../lambda/config/form.ts";
import { tagOf } from "../../lambda/config/group-settings.ts";
import type { Setting } from "../../lambda/config/setting.ts";
import { UnfitVariable, wordsOf } from "../../lambda/config/variables.ts";
import { allSettings } from "../../lib/cluster-file/all-settings.ts";
import { fieldName } from "../../lib/cluster-file/field-name.ts";
import { parseOwn } from "../../lib/cluster-file/own-settings.ts";
import { meaningIn } from "./doc-comments.ts";
import { settingComments, settingSources } from "./setting-comments.ts";
import { type Cells, tableOf, withTable } from "./table.ts";

/** Replaces the table of settings in a document by a table made from the code. */
export const withSettingsTable = (document: string): string =>
  withTable("settings", settingsTable(), document);

function settingsTable(): string {
  const settings = Object.entries(allSettings).flatMap(([part, group]) =>
    Object.entries<Setting>(group).map(([name, setting]) => settingRow(part, name, setting)),
  );
  const rows = [
    ["Key", "In the cluster's file", "Default", "May be", "Tag on a group", "Meaning"],
    ...Object.values(environment).map(requiredRow),
    ...settings,
  ];
  return tableOf(rows);
}

const requiredRow = (key: string): Cells => [
  code(key),
  "–",
  "required",
  expectedOf(key, undefined),
  "–",
  meaningOf(key),
];

const settingRow = (part: string, name: string, setting: Setting): Cells => {
  const { key, scope, form, default: usual } = setting;
  return [
    code(key),
    code(`${part}.${fieldName(name, form)}`),
    usual === "" ? "empty" : code(textOf(usual).replaceAll(",", ", ")),
    expectedOf(key, "no such value"),
    scope === "group" ? code(tagOf(key)) : "–",
    meaningOf(key),
  ];
};

const code = (text: string): string => `\`${text}\``;

const comments = settingComments();

function meaningOf(key: string): string {
  const comment = comments.get(key);
  if (comment === undefined)
    throw new Error(`there is no comment above ${key} in ${settingSources.join(" or ")}`);
  return meaningIn(comment);
}

/** The smallest environment in which the function starts. */
const least = {
  AWS_REGION: "eu-west-1",
  [environment.clusterName]: "demo",
  [environment.managedGroups]: '["workers"]',
  [environment.queueUrl]: "https://sqs.eu-west-1.amazonaws.com/123456789012/notices",
  [environment.deadLetterQueueUrl]: "https://sqs.eu-west-1.amazonaws.com/123456789012/dead",
};

/** The expected value, taken from the function's own message when it refuses a wrong value. */
function expectedOf(key: string, wrong: string | undefined): string {
  try {
    const variables = { ...least, [key]: wrong };
    parseConfig(variables);
    parseOwn(variables);
  } catch (cause) {
    if (cause instanceof UnfitVariable) return wordsOf(cause.expected);
    throw cause;
  }
  throw new Error(`${key} may be anything`);
}
