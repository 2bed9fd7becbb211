import { parseConfig } from "../../lambda/config/config.ts";
import {
  environment,
  groupLaunchSettings,
  groupSettings,
  hookKeys,
  launchKeys,
  settingKeys,
} from "../../lambda/contract.ts";
import { Fault } from "../../lambda/fault.ts";
import { type Row, readMarkdown } from "./read-markdown.ts";

type Variables = Readonly<Record<string, string>>;

/** What the function cannot do without. */
const least: Variables = {
  AWS_REGION: "eu-west-1",
  [environment.clusterName]: "demo",
  [environment.managedGroups]: '["workers"]',
  [environment.queueUrl]: "https://sqs.eu-west-1.amazonaws.com/123456789012/notices",
  [environment.deadLetterQueueUrl]: "https://sqs.eu-west-1.amazonaws.com/123456789012/dead",
};

const required: readonly string[] = Object.values(environment);
const optional: readonly string[] = [settingKeys, launchKeys, hookKeys].flatMap((keys) =>
  Object.values(keys),
);
const ofGroups: readonly string[] = [...groupSettings, ...groupLaunchSettings];

/** Where a document's table of the configuration says other than the function does. */
export function configurationGaps(text: string): readonly string[] {
  const rows = readMarkdown(text).tables.find(([first]) => first !== undefined && "Key" in first);
  const told = (rows ?? []).map((row) => ({ key: keyOf(row), row }));
  const keys = told.map(({ key }) => key);
  return [
    ...[...required, ...optional]
      .filter((key) => !keys.includes(key))
      .map((key) => `${key}: no row`),
    ...keys.filter((key, at) => keys.indexOf(key) !== at).map((key) => `${key}: two rows`),
    ...told.flatMap(({ key, row }) => rowGaps(key, row)),
  ];
}

function rowGaps(key: string, row: Row): readonly string[] {
  if (![...required, ...optional].includes(key)) return [`${key}: is no key of the function`];
  const { Default: written = "", Meaning: meaning = "" } = row;
  const found = [
    ["Default", defaultOf(key, written), written],
    ["May be", expectation(key), plain(row["May be"])],
    ["Tag on a group", tagOf(key), plain(row["Tag on a group"])],
  ] as const;
  const wrong = found.filter(([, actual, written]) => actual !== written);
  return [
    ...wrong.map(([column, actual, written]) => `${key}: ${column} is ${actual}, not ${written}`),
    ...(meaning === "" ? [`${key}: has no meaning`] : []),
  ];
}

const keyOf = ({ Key: key }: Row): string => plain(key);

const plain = (cell = ""): string => cell.replaceAll("`", "");

/** The default as it is written, if to set it is to leave it out. */
function defaultOf(key: string, written: string): string {
  if (required.includes(key)) return "required";
  const value = written === "empty" ? "" : plain(written);
  const same = tryEffect({ ...least, [key]: value }) === tryEffect(least);
  return same ? written : "another";
}

/** Everything that the variables bring about, as text; what they cannot, as the refusal. */
function tryEffect(variables: Variables): string {
  try {
    const config = parseConfig(variables);
    return JSON.stringify([config, config.drain.settingsFor({}), config.launch.settingsFor({})]);
  } catch (cause) {
    return cause instanceof Fault ? cause.message : String(cause);
  }
}

/** What the function itself says that a value must be, when it is given none or an impossible one. */
function expectation(key: string): string {
  const { [key]: _, ...others } = least;
  const variables = required.includes(key) ? others : { ...least, [key]: "no such value" };
  return /: expected (.*), got /.exec(tryEffect(variables))?.[1] ?? "anything";
}

/** The tag by which a group overrides a setting, if the function heeds it. */
function tagOf(key: string): string {
  if (!ofGroups.includes(key)) return "–";
  const tag = `eks-node-lifecycle/${key.toLowerCase().replaceAll("_", "-")}`;
  const { drain, launch } = parseConfig(least);
  const tags = { [tag]: "no such value" };
  const refused = [drain, launch].flatMap((policy) => policy.settingsFor(tags).refused);
  return refused.length === 1 ? tag : "not heeded";
}
