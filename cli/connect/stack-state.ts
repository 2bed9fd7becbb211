import {
  CloudFormationClient,
  paginateDescribeStackEvents,
  type Stack,
  type StackEvent,
  type StackStatus,
} from "@aws-sdk/client-cloudformation";
import { legible } from "../../lambda/base/legible.ts";
import type { AwsAccess } from "./aws-access.ts";
import { readFrom } from "./found.ts";

/** The right to read why a stack failed, which commands need only where it did. */
export const stackEventsAction = "cloudformation:DescribeStackEvents";

/** The state of a stack. */
export interface StackState {
  readonly stack: string;
  readonly status: string;
  /** Why; empty if CloudFormation does not say, or nothing failed. */
  readonly reason: string;
}

/** The consequences of a stack's state for the deployment. */
interface StateRow {
  /** `settled` is as it was meant; `absent` has nothing that works; of `unsettled` some part works. */
  readonly kind: "absent" | "settled" | "unsettled";
  readonly means: string;
  /**
   * The next step; `STACK` stands for the name of the stack, and `FAILURE` for the step that
   * failed.
   */
  readonly next: string;
}

const settled: StateRow = { kind: "settled", means: "", next: "" };
const absent = (means: string, next: string): StateRow => ({ kind: "absent", means, next });
const unsettled = (means: string, next: string): StateRow => ({ kind: "unsettled", means, next });
const until = (end: string): string =>
  `wait for its end, as by \`aws cloudformation wait ${end} --stack-name STACK\`, and look again`;
const again = "correct FAILURE, and deploy again (docs/deploy.md)";
const removal =
  "or leave behind what cannot be deleted: `aws cloudformation delete-stack --stack-name STACK --retain-resources LOGICAL-ID` (docs/deploy.md#removing-it)";

const rows: Readonly<Record<StackStatus, StateRow>> = {
  CREATE_COMPLETE: settled,
  CREATE_FAILED: absent(
    "its creation failed, and what was made is still there",
    `${again}; the AWS CLI cannot, before \`aws cloudformation delete-stack --stack-name STACK\``,
  ),
  CREATE_IN_PROGRESS: absent("it is being created", until("stack-create-complete")),
  DELETE_COMPLETE: absent("it was deleted", "deploy it (docs/deploy.md)"),
  DELETE_FAILED: unsettled(
    "its deletion failed midway, so parts of it are gone",
    `correct FAILURE, and destroy it again; ${removal}`,
  ),
  DELETE_IN_PROGRESS: unsettled("it is being deleted", until("stack-delete-complete")),
  IMPORT_COMPLETE: settled,
  IMPORT_IN_PROGRESS: unsettled("it is importing resources", until("stack-import-complete")),
  IMPORT_ROLLBACK_COMPLETE: unsettled(
    "an import of resources failed and was rolled back: what runs is what ran before it",
    again,
  ),
  IMPORT_ROLLBACK_FAILED: unsettled("an import of resources failed, and its rollback too", again),
  IMPORT_ROLLBACK_IN_PROGRESS: unsettled(
    "an import of resources failed, and is being rolled back",
    until("stack-rollback-complete"),
  ),
  REVIEW_IN_PROGRESS: absent(
    "it has a change set that nobody has executed, and no resources",
    "deploy it (docs/deploy.md), or execute the change set",
  ),
  ROLLBACK_COMPLETE: absent(
    "its creation failed, and what was made is deleted again",
    `${again}: CDK deletes this stack first, and the AWS CLI needs \`aws cloudformation delete-stack --stack-name STACK\``,
  ),
  ROLLBACK_FAILED: absent(
    "its creation failed, and the deletion of what was made too",
    `delete it, and deploy again: \`aws cloudformation delete-stack --stack-name STACK\`; ${removal}`,
  ),
  ROLLBACK_IN_PROGRESS: absent(
    "its creation failed, and what was made is being deleted",
    until("stack-rollback-complete"),
  ),
  UPDATE_COMPLETE: settled,
  UPDATE_COMPLETE_CLEANUP_IN_PROGRESS: settled,
  UPDATE_FAILED: unsettled(
    "its last update failed, and was not rolled back: some parts are new, others are not",
    `${again}, or take it back: \`aws cloudformation rollback-stack --stack-name STACK\``,
  ),
  UPDATE_IN_PROGRESS: unsettled("it is being updated", until("stack-update-complete")),
  UPDATE_ROLLBACK_COMPLETE: unsettled(
    "its last update failed and was rolled back: what runs is what ran before it",
    again,
  ),
  UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS: unsettled(
    "its last update failed and was rolled back: what runs is what ran before it",
    again,
  ),
  UPDATE_ROLLBACK_FAILED: unsettled(
    "its last update failed, and its rollback too, so nothing can be deployed",
    "correct FAILURE, then `aws cloudformation continue-update-rollback --stack-name STACK`, and deploy again",
  ),
  UPDATE_ROLLBACK_IN_PROGRESS: unsettled(
    "its last update failed, and is being rolled back",
    until("stack-rollback-complete"),
  ),
};

const isKnown = (status: string): status is StackStatus => Object.hasOwn(rows, status);

/** The state of a stack in words, and the next step. */
export function standingOf({ stack, status, reason }: StackState) {
  const { kind, means, next } = isKnown(status)
    ? rows[status]
    : unsettled("a state that this program does not know", "see what CloudFormation says of it");
  const reasonText = reason === "" ? "" : ` (${reason})`;
  const failure =
    reason === ""
      ? "what `aws cloudformation describe-stack-events --stack-name STACK` shows as failed"
      : "what the reason names";
  return {
    kind,
    found: `stack ${stack} is ${status}: ${means}${reasonText}`,
    remedy: next.replaceAll("FAILURE", failure).replaceAll("STACK", stack),
  };
}

/** Reads the state of a stack, and where something failed, what failed first. */
export async function stateOf(
  stack: string,
  described: Partial<Stack>,
  aws: AwsAccess,
): Promise<StackState> {
  const { StackId: id = stack, StackStatusReason: reasonText = "" } = described;
  const status: string = described.StackStatus ?? "";
  if (!/FAILED|ROLLBACK/.test(status)) return { stack, status, reason: "" };
  const events = await readFrom(`reading the events of stack ${stack}`, stackEventsAction, () =>
    eventsOf(id, aws),
  );
  const failure = events.kind === "known" ? firstFailure(events.value, { id, status }) : "";
  const why = failure || reasonText || (events.kind === "known" ? "" : `unknown: ${events.why}`);
  return { stack, status, reason: legible(why.slice(0, longestReason)) };
}

const longestReason = 500;
const mostEvents = 1000;

/** The events of a stack, the newest first. A large stack has some hundreds for each update. */
async function eventsOf(StackName: string, aws: AwsAccess): Promise<readonly StackEvent[]> {
  const client = new CloudFormationClient(aws);
  const events: StackEvent[] = [];
  for await (const { StackEvents = [] } of paginateDescribeStackEvents({ client }, { StackName })) {
    events.push(...StackEvents);
    if (events.length >= mostEvents) break;
  }
  return events;
}

/**
 * The first failure of what has led to a state. That of a rollback or a deletion that failed lies after its begin; what was
 * rolled back failed before that. Resources that CloudFormation cancels have not failed themselves.
 */
function firstFailure(
  events: readonly StackEvent[],
  { id, status }: { readonly id: string; readonly status: string },
): string {
  const steps = events.map(stepOf);
  const isBegin = ({ of, now }: StackStep): boolean =>
    of === id &&
    now.endsWith("_IN_PROGRESS") &&
    !now.includes("CLEANUP") &&
    (status.endsWith("_FAILED") || !now.includes("ROLLBACK"));
  const begin = steps.findIndex(isBegin);
  const first = (begin < 0 ? steps : steps.slice(0, begin)).findLast(
    ({ of, now, why }) =>
      of !== id && now.endsWith("_FAILED") && !/^Resource \w+ cancelled/.test(why),
  );
  return first === undefined ? "" : `${first.name}: ${first.why || "no reason is given"}`;
}

/** A step of CloudFormation with a resource, or with the stack itself. */
interface StackStep {
  /** The physical id of the resource; the id of the stack if it is about that. */
  readonly of: string;
  readonly name: string;
  readonly now: string;
  readonly why: string;
}

const stepOf = (event: StackEvent): StackStep => ({
  of: event.PhysicalResourceId ?? "",
  name: event.LogicalResourceId ?? "",
  now: event.ResourceStatus ?? "",
  why: event.ResourceStatusReason ?? "",
});
