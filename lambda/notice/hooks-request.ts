import { groupField, hookField } from "../base/field.ts";
import { read } from "../base/read.ts";
import { listOf, oneOf, optional, record, text } from "../base/schema.ts";
import { seconds } from "../base/time.ts";
import type { GroupHook } from "./group-hooks.port.ts";

/** CloudFormation's request for the hooks of the groups. */
export interface HooksRequest {
  /** Hooks that the stack did not have before. */
  readonly added: readonly GroupHook[];
  /** Hooks that it had before, and may have to change. */
  readonly kept: readonly GroupHook[];
  readonly unwanted: readonly GroupHook[];
  /** The topics of the stack: its own now, and its own before. */
  readonly topics: readonly string[];
  /** The fate of the hooks that a failed change has put. */
  readonly ifItFails: "keep" | "undo";
}

const properties = record({
  Groups: listOf(groupField, "a list of the names of groups"),
  Hooks: listOf(
    record({
      Name: hookField,
      Transition: oneOf(
        "autoscaling:EC2_INSTANCE_LAUNCHING",
        "autoscaling:EC2_INSTANCE_TERMINATING",
      ),
    }),
    "a list of hooks",
  ),
  Heartbeat: text("a number of seconds", /^\d{1,4}$/), // CloudFormation sends numbers as text
  TopicArn: text("the ARN of a topic", /^arn:/),
  RoleArn: text("the ARN of a role", /^arn:/),
});

const requestSchema = record({
  RequestType: oneOf("Create", "Update", "Delete"),
  ResourceProperties: properties,
  OldResourceProperties: optional(properties),
});

/** Reads a request of CloudFormation's custom resource. */
export function readHooksRequest(event: unknown): HooksRequest {
  const request = read(requestSchema, event, "");
  const { RequestType: type, ResourceProperties: now, OldResourceProperties: before } = request;
  const [wanted, had] = [hooksIn(now), before === undefined ? [] : hooksIn(before)];
  const topics = [now.TopicArn, before?.TopicArn ?? now.TopicArn];
  if (type === "Delete")
    return { added: [], kept: [], unwanted: wanted, topics, ifItFails: "keep" };
  return {
    added: without(wanted, had),
    kept: without(wanted, without(wanted, had)),
    unwanted: without(had, wanted),
    topics,
    // CDK's provider drops the Delete that follows a failed Create. After a failed Update CloudFormation sends another.
    ifItFails: type === "Create" ? "undo" : "keep",
  };
}

function without(hooks: readonly GroupHook[], others: readonly GroupHook[]): readonly GroupHook[] {
  const keys = new Set(others.map(keyOf));
  return hooks.filter((hook) => !keys.has(keyOf(hook)));
}

const keyOf = ({ group, name }: GroupHook): string => `${group}:${name}`; // no group has a colon in its name

const hooksIn = (its: ReturnType<typeof properties>): readonly GroupHook[] =>
  its.Groups.flatMap((group) =>
    its.Hooks.map(({ Name: name, Transition: transition }) => ({
      group,
      name,
      transition,
      heartbeat: seconds(Number(its.Heartbeat)),
      defaultResult: "CONTINUE", // a drain that fails must not hold instances back
      target: its.TopicArn,
      roleArn: its.RoleArn,
    })),
  );
