import * as autoscaling from "@aws-sdk/client-auto-scaling";
import * as cloudformation from "@aws-sdk/client-cloudformation";
import * as ec2 from "@aws-sdk/client-ec2";
import * as eks from "@aws-sdk/client-eks";
import * as lambda from "@aws-sdk/client-lambda";
import * as sqs from "@aws-sdk/client-sqs";
import { NormalizedSchema } from "@smithy/core/schema";

const services: Readonly<Record<string, object>> = {
  autoscaling,
  cloudformation,
  ec2,
  eks,
  lambda,
  sqs,
};

/** Options of the AWS CLI itself, which every command has. */
const ofTheCli = new Set(["query", "output"]);

/** Commands that name a file for the answer after their options. */
const namesFile = new Set(["lambda invoke"]);

/** What is wrong with a command of the AWS CLI, by the models of the services: its operation, its options, or what they get. */
export function awsGaps(words: readonly string[]): readonly string[] {
  const [, service = "", command = "", ...rest] = words;
  const input = inputOf(service, command);
  if (input === undefined) return [`${service} has no ${command}`];
  const args = namesFile.has(`${service} ${command}`) ? rest.slice(0, -1) : rest;
  const options = optionsIn(args).filter(({ name }) => !ofTheCli.has(name));
  const given = options.map(({ name }) => plain(name.replace(/^no-/, "")));
  return [
    ...requiredIn(input)
      .filter((member) => !given.includes(plain(member)))
      .map((member) => `${command} needs ${member}`),
    ...options.flatMap((option) => optionGaps(option, input)),
  ];
}

/** A name without what the CLI and the model write differently. */
const plain = (name: string): string => name.replaceAll("-", "").toLowerCase();

function inputOf(service: string, command: string): NormalizedSchema | undefined {
  const found = Object.entries(services[service] ?? {}).find(
    ([name]) => name.endsWith("$") && plain(name.slice(0, -1)) === plain(command),
  );
  const model: unknown = found?.[1];
  return Array.isArray(model) ? NormalizedSchema.of(model[4]) : undefined;
}

/** The model lists the required members first, and holds their number. */
function requiredIn(input: NormalizedSchema): readonly string[] {
  const schema: unknown = input.getSchema();
  const [, , , , names, , count] = Array.isArray(schema) ? schema : [];
  return Array.isArray(names) && typeof count === "number" ? names.slice(0, count) : [];
}

interface Option {
  readonly name: string;
  readonly values: readonly string[];
}

/** An option is a word that begins with two dashes; what follows, up to the next one, are its values. */
function optionsIn(args: readonly string[]): readonly Option[] {
  const starts = args.flatMap((word, at) => (word.startsWith("--") ? [at] : []));
  return starts.map((at, index) => ({
    name: args[at]?.slice(2) ?? "",
    values: args.slice(at + 1, starts[index + 1]),
  }));
}

function optionGaps({ name, values }: Option, input: NormalizedSchema): readonly string[] {
  const members = Object.entries(input.getMemberSchemas());
  const meant = [plain(name), plain(name.replace(/^no-/, ""))];
  const [, member] = members.find(([one]) => meant.includes(plain(one))) ?? [];
  if (member === undefined) return [`--${name} does not exist`];
  if (member.isBooleanSchema()) return values.length === 0 ? [] : [`--${name} takes no value`];
  if (values.length === 0) return [`--${name} needs a value`];
  if (member.isListSchema())
    return values.flatMap((value) => shorthandGaps(value, member.getValueSchema()));
  return values.length === 1 ? [] : [`--${name} takes one value`];
}

/** What is wrong with the keys of a value such as `Key=a,Value=b`. */
function shorthandGaps(value: string, item: NormalizedSchema): readonly string[] {
  if (!item.isStructSchema() || value.startsWith("file://")) return [];
  const known = Object.keys(item.getMemberSchemas());
  const keys = value.split(",").map((pair) => pair.split("=")[0] ?? "");
  return keys.filter((key) => !known.includes(key)).map((key) => `there is no ${key} in ${value}`);
}
