import { webhookEnvironment } from "../../../lambda/base/contract.ts";
import { either, isMap, type Json, noValue, partsOf, refTo, textOf } from "./json.ts";
import { type Parameter, parameters } from "./parameters.ts";

const all = Object.values(parameters).flat();
const lists = all.filter(({ kind }) => kind === "list");
const region = "any-north-1";
const inRegion = refTo("AWS::Region");

/** The placeholders and their texts, which the files have in common with no other text. */
const texts: readonly (readonly [placeholder: string, parts: readonly Json[]])[] = [
  ...all
    .filter(({ kind }) => kind === "text")
    .map(({ name, placeholder }) =>
      name === "CodeBucketPrefix"
        ? ([placeholder, [refTo(name), "-", inRegion]] as const)
        : ([placeholder, [refTo(name)]] as const),
    ),
  [region, [inRegion]],
];

const keys = new Map<string, Json>([
  ...all.flatMap(({ key, name }) => (key === undefined ? [] : [[key, refTo(name)] as const])),
  [webhookEnvironment.format, refTo("Webhook")],
  ["Force", refTo("DrainForce")], // of the function's rights in the cluster
]);

/** Puts parameters in the place of whatever stands for them. */
export function lifted(value: Json): Json {
  if (Array.isArray(value)) return liftedList(value);
  if (typeof value !== "string" && !isMap(value)) return value;
  if (!isMap(value) || partsOf(value)[0] !== value) return liftedText(value);
  const made = Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, keys.get(key) ?? lifted(one)]),
  );
  return ofGroups(made["Resource"])
    ? { ...made, Condition: inThisRegion(made["Condition"]) }
    : made;
}

/** The ARNs of the groups have wildcards for account and Region, and only the Region needs a fence. */
const ofGroups = (value: Json | undefined): boolean =>
  JSON.stringify(value ?? "").includes(`${groupArn}"`);

const groupArn = "autoScalingGroupName/";

function inThisRegion(condition: Json = {}): Json {
  const known = isMap(condition) ? condition : {};
  const equal = isMap(known["StringEquals"]) ? known["StringEquals"] : {};
  return { ...known, StringEquals: { ...equal, "aws:RequestedRegion": inRegion } };
}

function liftedList(items: readonly Json[]): Json {
  const [only] = items;
  const list = lists.find(({ placeholder }) => placeholder === only);
  if (list !== undefined && items.length === 1) return wholeList(list);
  if (!items.some((item) => mapped(item))) return items.map(lifted);
  return split(items.map((item) => mapped(item) ?? lifted(item)));
}

const wholeList = ({ name, usual }: Parameter): Json =>
  usual === "" && name === "AlarmTopicArns"
    ? either(`Has${name}`, refTo(name), noValue)
    : refTo(name);

/** A list of texts, some of which stand for lists: CloudFormation knows no list of lists. No name and no ARN has the separator. */
const split = (parts: readonly Json[]): Json => ({
  "Fn::Split": [
    separator,
    parts.length === 1 ? (parts[0] ?? "") : { "Fn::Join": [separator, parts] },
  ],
});

const separator = "?";

/**
 * The ARNs of everything in a list, as one text, if an item is the ARN of something in a list.
 *
 * CloudFormation can put a text before each item only if that text is known beforehand, and account and Region are not.
 */
function mapped(item: Json): Json | undefined {
  const parts = partsOf(item);
  const last = parts.at(-1);
  const list = lists.find(({ placeholder }) => String(last).endsWith(placeholder));
  if (list === undefined || typeof last !== "string") return undefined;
  const before = [...parts.slice(0, -1), last.slice(0, -list.placeholder.length)];
  const prefix = before
    .map((part) => (typeof part === "string" ? part.replaceAll(region, "*") : "*"))
    .join("");
  if (prefix !== "" && !prefix.startsWith("arn:")) return undefined;
  return textOf([prefix, { "Fn::Join": [`${separator}${prefix}`, refTo(list.name)] }]);
}

function liftedText(value: Json): Json {
  const list = lists.find(({ placeholder }) => placeholder === value);
  if (list !== undefined) return refTo(list.name);
  const inList = mapped(value);
  if (inList !== undefined) return split([inList]);
  return textOf(
    partsOf(value).flatMap((part) =>
      typeof part === "string" ? liftedPart(part) : [lifted(part)],
    ),
  );
}

/** A list in a text is in JSON, as the functions read it. */
function liftedPart(text: string): readonly Json[] {
  const inJson = lists.map(
    ({ name, placeholder }) => [placeholder, [{ "Fn::Join": ['","', refTo(name)] }]] as const,
  );
  return [...inJson, ...texts].reduce<readonly Json[]>(
    (parts, [placeholder, instead]) =>
      parts.flatMap((part) =>
        typeof part === "string"
          ? part
              .split(placeholder)
              .flatMap((piece, at) => (at === 0 ? [piece] : [...instead, piece]))
          : [part],
      ),
    [text],
  );
}
