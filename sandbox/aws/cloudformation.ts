import { randomUUID } from "node:crypto";
import {
  DescribeStacks$,
  type DescribeStacksInput,
  type DescribeStacksOutput,
} from "@aws-sdk/client-cloudformation";
import type { Instant } from "../../lambda/base/time.ts";
import type { Timeline } from "../timeline.ts";
import { type Account, arnOf } from "./account.ts";
import { AwsError } from "./aws-error.ts";
import { type Operation, operation } from "./operation.ts";

/** A stack as CloudFormation describes it. */
export interface StackRecord {
  readonly name: string;
  readonly arn: string;
  readonly createdAt: Instant;
  readonly outputs: Readonly<Record<string, string>>;
}

/** The stacks of an account. */
export class CloudFormation {
  readonly #timeline: Timeline;
  readonly #account: Account;
  readonly #stacks = new Map<string, StackRecord>();

  constructor(timeline: Timeline, account: Account) {
    this.#timeline = timeline;
    this.#account = account;
  }

  /** Records a stack that has been deployed. */
  addStack(name: string, outputs: Readonly<Record<string, string>>): void {
    const arn = this.arnOf(name, randomUUID());
    this.#stacks.set(name, { name, arn, createdAt: this.#timeline.now(), outputs });
  }

  /** Forgets a stack, as if somebody had deleted it. */
  deleteStack(name: string): void {
    this.#stacks.delete(name);
  }

  findStack(name: string): StackRecord {
    const stack = this.#stacks.get(name);
    if (stack !== undefined) return stack;
    throw new AwsError("ValidationError", `Stack with id ${name} does not exist`);
  }

  arnOf(name: string, id = "*"): string {
    return arnOf(this.#account, "cloudformation", `stack/${name}/${id}`);
  }
}

const wireStack = ({ name, arn, createdAt, outputs }: StackRecord) => ({
  StackName: name,
  StackId: arn,
  CreationTime: new Date(createdAt),
  StackStatus: "CREATE_COMPLETE" as const,
  Outputs: Object.entries(outputs).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue })),
});

/** The operations of CloudFormation that the sandbox supports; a request names one stack. */
export const cloudFormationOperations = (stacks: CloudFormation): readonly Operation[] => [
  operation<DescribeStacksInput, DescribeStacksOutput>(DescribeStacks$, {
    permissions: ({ StackName: name = "" }) => [
      { action: "cloudformation:DescribeStacks", resource: stacks.arnOf(name) },
    ],
    run: ({ StackName: name = "" }) => ({ Stacks: [wireStack(stacks.findStack(name))] }),
  }),
];
