import { isMap, type Json, type JsonMap, partsOf } from "../../../tools/generate/template/json.ts";
import { calledAlike, isCheck } from "./called-alike.ts";

export type Resources = Readonly<Record<string, JsonMap>>;

/** A difference that the template for any cluster may have from what the construct makes of a file. */
interface Difference {
  /** As the page of the template calls it. */
  readonly name: string;
  readonly without: (resources: Resources) => Resources;
}

/** The hooks: the construct makes a resource of each, and the template has a function put all. */
export const isHook = (id: string, { Type }: JsonMap): boolean =>
  Type === "AWS::AutoScaling::LifecycleHook" || id.startsWith("NodeLifecycleHooksAsked");

const ownArn =
  /^arn:(aws|\*):(autoscaling|ec2):[^:]*:[^:]*:((autoScalingGroup:\*:autoScalingGroupName|launch-template)\/.+)$/;

/** The ARNs of named groups and launch templates without account and Region, which CloudFormation cannot put into each of a list. */
function inAnyRegion(value: Json): Json {
  if (Array.isArray(value)) return value.map(inAnyRegion);
  const text = textIn(value);
  if (ownArn.test(text) && !text.endsWith("/*")) return text.replace(ownArn, "arn:*:$2:*:*:$3");
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inAnyRegion(one)]));
}

/** A text in which everything that is known only at the deployment is a star. */
export const textIn = (value: Json): string =>
  partsOf(value)
    .map((part) => (typeof part === "string" ? part : "*"))
    .join("");

/** Leaves out the entries of some keys, and the conditions that are empty without them. */
function without(value: Json, keys: readonly string[]): Json {
  if (Array.isArray(value)) return value.map((one) => without(one, keys));
  if (!isMap(value)) return value;
  const entries = Object.entries(value)
    .filter(([key]) => !keys.includes(key))
    .map(([key, one]) => [key, without(one, keys)] as const)
    .filter(([key, one]) => !(isMap(one) && Object.keys(one).length === 0 && isCondition(key)));
  return Object.fromEntries(entries);
}

const isCondition = (key: string) => key === "Condition" || key === "StringEquals";

/** A list of one as a text, as IAM reads both. */
export function likeIam(value: Json): Json {
  if (Array.isArray(value))
    return value.length === 1 ? likeIam(value[0] ?? "") : value.map(likeIam);
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, likeIam(one)]));
}

const each =
  (change: (value: Json) => Json) =>
  (resources: Resources): Resources =>
    Object.fromEntries(
      Object.entries(resources).map(([id, its]) => [id, change(its) as JsonMap] as const),
    );

const only =
  (keeps: (id: string, its: JsonMap) => boolean) =>
  (resources: Resources): Resources =>
    Object.fromEntries(Object.entries(resources).filter(([id, its]) => keeps(id, its)));

/** All differences of resources, each with what takes it away. */
export const differences: readonly Difference[] = [
  { name: "hooks", without: only((id, its) => !isHook(id, its)) },
  {
    name: "code",
    without: (all) => each(calledAlike)(only((id) => !isCheck(id))(all)),
  },
  { name: "ARNs of groups and launch templates", without: each(inAnyRegion) },
  { name: "fence of the Region", without: each((one) => without(one, ["aws:RequestedRegion"])) },
  { name: "another stack of the cluster", without: each((one) => without(one, ["Others"])) },
  { name: "dependencies", without: each((one) => without(one, ["Metadata", "DependsOn"])) },
  { name: "lists of one", without: each(likeIam) },
];

/** The resources as they may be compared, but for what is left in. */
export const comparable = (resources: Resources, leaving = ""): Resources =>
  differences
    .filter(({ name }) => name !== leaving)
    .reduce((all, one) => one.without(all), resources);
