import { environment, trust } from "../base/contract.ts";
import { type GroupSelector, groupName } from "../base/ids.ts";
import type { QueueUrls } from "../notice/queue.port.ts";
import { filled, jsonList, textReader } from "./text-reader.ts";
import { readVariable, UnfitVariable, type Variables } from "./variables.ts";

/** Reads in which Region a function is; Lambda sets this variable. */
export const regionIn = ({ AWS_REGION: text }: Variables): string =>
  readVariable("AWS_REGION", text, filled("the name of a region"));

/** Reads the name of the cluster whose nodes a function works on. */
export const clusterNameIn = ({ [environment.clusterName]: text }: Variables): string =>
  readVariable(environment.clusterName, text, filled("the name of the EKS cluster"));

const groupList =
  'a JSON list of Auto Scaling group names and tags, such as ["workers", {"key": "eks", "value": "demo"}]';

type GroupOrTag = string | { readonly key: string; readonly value: string };

function isGroupOrTag(item: unknown): item is GroupOrTag {
  if (typeof item === "string") return item !== "";
  const { key, value, ...others } = Object(item);
  const isTag = typeof key === "string" && key !== "" && typeof value === "string";
  return isTag && Object.keys(others).length === 0;
}

/** Reads the groups whose instances a function may touch. */
export function managedGroupsIn({
  [environment.managedGroups]: text,
}: Variables): readonly GroupSelector[] {
  const managed = readVariable(environment.managedGroups, text, jsonList(groupList, isGroupOrTag));
  if (managed.length === 0) throw new UnfitVariable(environment.managedGroups, text, groupList);
  return managed.map((one) => (typeof one === "string" ? groupName(one) : one));
}

/** Reads the ARNs that the hooks of a deployment notify. */
export const hookTargetsIn = ({ [trust.hookTargets]: text = "" }: Variables): readonly string[] =>
  text.split(" ").filter((arn) => arn !== "");

/** Reads the queues of a function. */
export const queuesIn = (variables: Variables): QueueUrls => ({
  queueUrl: queueIn(environment.queueUrl, variables),
  deadLetterQueueUrl: queueIn(environment.deadLetterQueueUrl, variables),
});

const queueIn = (key: string, { [key]: text }: Variables): string =>
  readVariable(key, text, textReader("the URL of a queue", tryUrl));

const tryUrl = (text: string): string | undefined =>
  /^https?:$/.test(URL.parse(text)?.protocol ?? "") ? text : undefined;
