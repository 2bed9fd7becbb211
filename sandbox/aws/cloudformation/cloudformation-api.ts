import {
  DescribeStacks$,
  type DescribeStacksInput,
  type DescribeStacksOutput,
} from "@aws-sdk/client-cloudformation";
import { type Operation, operation } from "../operation.ts";
import type { CloudFormation, StackRecord } from "./cloudformation.ts";

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
