import { arnOf, arnOfVersions, codePublisher, publisherId, publishing } from "./code-publisher.ts";
import { isMap, isSame, type Json, type JsonMap, refTo } from "./json.ts";
import type { Entries } from "./merge.ts";

/** The alias of a function by which everybody calls it: a version whose code was compared with the template. */
const checkedAlias = "checked";

/** The type of the custom resource that is a version of a function. */
const versionType = "Custom::EksNodeLifecycleVersion";

/** A template's resources and outputs. */
interface Called {
  readonly Resources: Entries;
  readonly Outputs: Json;
}

/**
 * Has every caller of a function call a version of it, whose code has the hash that stands in the template.
 *
 * A version also keeps the settings of its function. AWS::Lambda::Version is made once, and would go on with the first
 * values of parameters, so a function, whose code stands in the template, publishes a version whenever anything changes.
 */
export function checkedCode(
  { Resources, Outputs }: Called,
  hashes: ReadonlyMap<string, string>,
): Called {
  const ids = Object.keys(Resources).filter((id) => Resources[id]?.["Type"] === lambdaFunction);
  const calling = Object.entries(Resources).map(([id, its]): [string, JsonMap] => [
    id,
    callingAliases(its, ids),
  ]);
  const functions = calling.filter(([id]) => ids.includes(id));
  const versions = functions.flatMap(([id, its]) => [
    [versionOf(id), version(id, its, hashes)] as const,
    [aliasOf(id), alias(id, its)] as const,
    [rightsOf(id), { ...publishing(rightsOf(id), id), ...likewise(its) }] as const,
  ]);
  return {
    Resources: { ...Object.fromEntries([...calling, ...versions]), ...codePublisher },
    Outputs: replaced(Outputs, (value) => {
      const id = ids.find((one) => isSame(value, refTo(one)));
      return id === undefined ? undefined : named(id);
    }),
  };
}

const lambdaFunction = "AWS::Lambda::Function";
const aliasOf = (id: string): string => `${id}Alias`;
const versionOf = (id: string): string => `${id}Version`;
const rightsOf = (id: string): string => `${id}Published`;

/** The name of a function with its alias, by which Lambda describes what runs. */
const named = (id: string): JsonMap => ({ "Fn::Join": ["", [refTo(id), `:${checkedAlias}`]] });

/** The condition that a resource shares with a function. */
const likewise = ({ Condition }: JsonMap): JsonMap =>
  Condition === undefined ? {} : { Condition };

/** The version of a function. CloudFormation asks for a new one when any of its properties changes. */
function version(id: string, its: JsonMap, hashes: ReadonlyMap<string, string>): JsonMap {
  const { Properties = {} } = its;
  const { Code = {} } = isMap(Properties) ? Properties : {};
  const { S3Key: Archive = "" } = isMap(Code) ? Code : {};
  const CodeSha256 = typeof Archive === "string" ? hashes.get(Archive) : undefined;
  if (CodeSha256 === undefined) throw new Error(`there is no archive of the code of ${id}`);
  return {
    Type: versionType,
    Properties: {
      ServiceToken: arnOf(publisherId),
      ServiceTimeout: "360",
      FunctionName: refTo(id),
      CodeSha256,
      Archive,
      Function: Properties,
    },
    UpdateReplacePolicy: "Delete",
    DeletionPolicy: "Delete",
    DependsOn: [rightsOf(id)],
    ...likewise(its),
  };
}

const alias = (id: string, its: JsonMap): JsonMap => ({
  Type: "AWS::Lambda::Alias",
  Properties: {
    FunctionName: refTo(id),
    Name: checkedAlias,
    FunctionVersion: { "Fn::GetAtt": [versionOf(id), "Version"] },
  },
  ...likewise(its),
});

/** Metrics have the name of a function as their dimension, be it called by an alias or not. */
const measuring = ["AWS::CloudWatch::Alarm", "AWS::CloudWatch::Dashboard"];

/** A resource that names the aliases of functions. */
function callingAliases(its: JsonMap, ids: readonly string[]): JsonMap {
  const { Type = "", Properties } = its;
  if (measuring.some((one) => one === Type) || !isMap(Properties)) return its;
  if (Type === "AWS::Lambda::EventInvokeConfig") {
    const id = ids.find((one) => isSame(Properties["FunctionName"], refTo(one))) ?? "";
    return {
      ...its,
      Properties: { ...Properties, Qualifier: checkedAlias },
      DependsOn: [aliasOf(id)],
    };
  }
  const aliases = replaced(Properties, (value) => {
    const id = ids.find((one) => namesOf(one).some((name) => isSame(value, name)));
    return id === undefined ? undefined : refTo(aliasOf(id));
  });
  return { ...its, Properties: aliases };
}

/** The ways in which a template names a function that is called. A policy of CDK also names its versions, of which it needs one. */
const namesOf = (id: string): readonly Json[] => {
  return [refTo(id), arnOf(id), [arnOf(id), arnOfVersions(id)]];
};

/** A value in which others stand in the place of some. */
function replaced(value: Json, instead: (value: Json) => Json | undefined): Json {
  const other = instead(value);
  if (other !== undefined) return other;
  if (Array.isArray(value)) return value.map((one) => replaced(one, instead));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]): [string, Json] => [name, replaced(one, instead)]),
  );
}
