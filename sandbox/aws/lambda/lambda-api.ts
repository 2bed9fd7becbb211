import {
  type FunctionConfiguration,
  GetFunctionConfiguration$,
  type GetFunctionConfigurationRequest,
} from "@aws-sdk/client-lambda";
import { type Operation, operation } from "../operation.ts";
import type { Records } from "../records/records.ts";
import type { FunctionRecord, LambdaFunctions } from "./lambda-functions.ts";

const wireFunction = (
  { name, role, environment, memory, timeout, state, modifiedAt }: FunctionRecord,
  arn: string,
): FunctionConfiguration => ({
  FunctionName: name,
  FunctionArn: arn,
  Role: role,
  Runtime: "nodejs24.x",
  Handler: "index.handler",
  MemorySize: memory,
  Timeout: timeout,
  State: state,
  LastUpdateStatus: "Successful",
  LastModified: new Date(modifiedAt).toISOString().replace("Z", "+0000"),
  Environment: { Variables: { ...environment } },
});

/** The operations of Lambda that the sandbox supports. */
export const lambdaOperations = (
  functions: LambdaFunctions,
  records: Records,
): readonly Operation[] => [
  operation<GetFunctionConfigurationRequest, FunctionConfiguration>(GetFunctionConfiguration$, {
    permissions: ({ FunctionName: name = "" }) => [
      { action: "lambda:GetFunctionConfiguration", resource: functions.arnOf(name) },
    ],
    run: ({ FunctionName: wanted = "" }) => {
      const its = functions.find(wanted);
      return {
        ...wireFunction(its, functions.arnOf(its.name)),
        ...records.functions.get(its.name),
      };
    },
  }),
];
