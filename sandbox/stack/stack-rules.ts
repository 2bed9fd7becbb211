import type { Outgoing } from "../aws/message.ts";
import type { Stack } from "./stack-policies.ts";
import { properties, type RuleTarget } from "./template-schema.ts";

/** An event as EventBridge has it. */
export type BusEvent = Readonly<Record<string, unknown>>;

/**
 * Puts an event on the account's event bus, and returns the rules whose target took it. A scheduled event names its rule
 * among its resources; nothing here sends one by itself.
 */
export type PutEvent = (event: BusEvent) => readonly string[];

const bridge = "events.amazonaws.com";

/** Makes the event bus with the rules of the stack. EventBridge reports no error when a target refuses an event. */
export const eventBus =
  (stack: Stack): PutEvent =>
  (event) =>
    stack.resources
      .of("AWS::Events::Rule", properties.rule)
      .filter(({ its }) => its.State === "ENABLED")
      .filter(({ id, its: { EventPattern: pattern, ScheduleExpression: schedule } }) =>
        schedule === undefined
          ? matches(pattern ?? {}, event)
          : equals(stack.names.arn(id), concerns(event)),
      )
      .filter(({ id, its }) =>
        its.Targets.map((target) => tell(stack, { id, target, event })).some(Boolean),
      )
      .map(({ id }) => id);

const concerns = ({ resources }: BusEvent): unknown => resources;

/**
 * Sends an event to the queue of a rule. One that the queue refuses goes to the rule's dead letters, if these admit the rule.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-dlq.html
 */
function tell(
  stack: Stack,
  {
    id,
    target,
    event,
  }: {
    /** The rule's id. */
    readonly id: string;
    readonly target: RuleTarget;
    readonly event: BusEvent;
  },
): boolean {
  const rule = stack.names.arn(id);
  const body = bodyOf(target, event);
  if (send(stack, { rule, body, attributes: {} }, target.Arn)) return true;
  const text = (StringValue: string) => ({ DataType: "String", StringValue });
  const attributes = {
    RULE_ARN: text(rule),
    TARGET_ARN: text(stack.names.text(target.Arn)),
    ERROR_CODE: text("NO_PERMISSIONS"),
    ERROR_MESSAGE: text("Lack of permissions to invoke cross account target."),
  };
  const letters = target.DeadLetterConfig?.Arn;
  if (letters !== undefined) send(stack, { rule, body, attributes }, letters);
  return false;
}

/** The body of an event for a target, whose template may name some fields. */
function bodyOf({ InputTransformer: transformer }: RuleTarget, event: BusEvent): string {
  if (transformer === undefined) return JSON.stringify(event);
  const { InputPathsMap: paths, InputTemplate: template } = transformer;
  return template.replaceAll(/<(\w+)>/g, (_, name: string) =>
    JSON.stringify(event[paths[name]?.replace(/^\$\./, "") ?? ""]),
  );
}

/** Sends to a queue if its policy admits the rule; says whether it did. */
function send(
  stack: Stack,
  {
    rule,
    body,
    attributes,
  }: Pick<Outgoing, "attributes" | "body"> & {
    /** The ARN of the rule. */
    readonly rule: string;
  },
  queueArn: unknown,
): boolean {
  const { names, policies, aws } = stack;
  const name = names.idOf(queueArn);
  const context = { "aws:SourceArn": rule, "aws:SecureTransport": "true" };
  const attempt = { by: bridge, action: "sqs:SendMessage", resource: names.arn(name), context };
  if (policies.ofResource(names.text({ Ref: name }), attempt) !== "allowed") return false;
  aws.sqs.findQueue(name).send({ body, senderId: bridge, attributes, traceHeader: "" });
  return true;
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
