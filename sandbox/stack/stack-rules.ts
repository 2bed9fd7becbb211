import type { Stack } from "./stack.ts";
import { properties } from "./template-schema.ts";
import { usesKey } from "./topic-key.ts";

/** An event as EventBridge has it. */
export type BusEvent = Readonly<Record<string, unknown>>;

/** Puts an event on the account's event bus, and returns the rules that published it to a topic. */
export type PutEvent = (event: BusEvent) => readonly string[];

const bridge = "events.amazonaws.com";
// EventBridge documents no other condition keys for the policies of topics.
const context = { "aws:PrincipalIsAWSService": "true", "aws:SecureTransport": "true" };

/** Makes the event bus with the rules of the stack. EventBridge reports no error when a topic or its key refuses an event. */
export const eventBus =
  (stack: Stack): PutEvent =>
  (event) =>
    stack.resources
      .of("AWS::Events::Rule", properties.rule)
      .filter(({ its }) => its.State === "ENABLED" && matches(its.EventPattern, event))
      .filter(({ its }) => tell(stack, its.Targets, event) > 0)
      .map(({ id }) => id);

interface Target {
  readonly Arn: unknown;
}

/** Publishes an event to each topic of a rule that admits EventBridge, and returns how many there were. */
function tell(stack: Stack, targets: readonly Target[], event: BusEvent): number {
  const topics = targets
    .map(({ Arn }) => stack.names.text(Arn))
    .filter((topic) => stack.aws.sns.hasTopic(topic) && admits(stack, topic));
  for (const topic of topics)
    stack.aws.sns.publish(topic, { subject: "", message: JSON.stringify(event) });
  return topics.length;
}

function admits({ resources, names, policies }: Stack, topic: string): boolean {
  const may = (action: string, resource: string) =>
    policies.ofResource(resource, { by: bridge, action, resource, context }) === "allowed";
  return usesKey({ resources, names }, topic, may) && may("sns:Publish", topic);
}

/** @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-event-patterns.html */
function matches(pattern: object, event: unknown): boolean {
  if (typeof event !== "object" || event === null) return false;
  const values = new Map(Object.entries(event));
  return Object.entries(pattern).every(([key, wanted]: [string, unknown]) => {
    if (Array.isArray(wanted)) return wanted.some((one) => equals(one, values.get(key)));
    return typeof wanted === "object" && wanted !== null && matches(wanted, values.get(key));
  });
}

function equals(wanted: unknown, actual: unknown): boolean {
  if (typeof wanted === "object")
    throw new Error(`the sandbox knows no filter ${JSON.stringify(wanted)}`);
  return [actual].flat().includes(wanted);
}
