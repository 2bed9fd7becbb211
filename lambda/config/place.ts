import * as z from "zod/mini";
import { environment } from "../contract.ts";
import { groupName, type ManagedGroup } from "../domain/ids.ts";
import { filled, jsonList, readVariable, type Variables } from "./variables.ts";

/** The queue from which a function takes its notices, and the queue for notices that it can never work on. */
export interface Queues {
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
}

/** Reads in which Region a function is; Lambda sets this variable. */
export const regionIn = ({ AWS_REGION: text }: Variables): string =>
  readVariable("AWS_REGION", text, filled("the name of a region"));

/** Reads the name of the cluster whose nodes a function works on. */
export const clusterNameIn = ({ [environment.clusterName]: text }: Variables): string =>
  readVariable(environment.clusterName, text, filled("the name of the EKS cluster"));

const groupList =
  'a JSON list of Auto Scaling group names and tags, such as ["workers", {"key": "eks", "value": "demo"}]';
const tag = z.strictObject({ key: filled(groupList), value: z.string(groupList) }, groupList);

/** Reads the groups whose instances a function may touch. */
export function managedGroupsIn({
  [environment.managedGroups]: text,
}: Variables): readonly ManagedGroup[] {
  const item = z.union([filled(groupList), tag], groupList);
  const schema = jsonList(item, groupList).check(z.minLength(1, groupList));
  const managed = readVariable(environment.managedGroups, text, schema);
  return managed.map((one) => (typeof one === "string" ? groupName(one) : one));
}

/** Reads the queues of a function. */
export const queuesIn = (variables: Variables): Queues => ({
  queueUrl: queueIn(environment.queueUrl, variables),
  deadLetterQueueUrl: queueIn(environment.deadLetterQueueUrl, variables),
});

const queueIn = (key: string, { [key]: text }: Variables): string =>
  readVariable(key, text, z.url({ protocol: /^https?$/, error: "the URL of a queue" }));
