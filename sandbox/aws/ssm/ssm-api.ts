import {
  GetParameter$,
  type GetParameterRequest,
  type GetParameterResult,
} from "@aws-sdk/client-ssm";
import { type Operation, operation } from "../operation.ts";
import type { Parameters } from "./parameters.ts";

/** The operation of SSM that the sandbox supports. */
export const ssmOperations = (parameters: Parameters): readonly Operation[] => [
  operation<GetParameterRequest, GetParameterResult>(GetParameter$, {
    permissions: ({ Name = "" }) => [
      { action: "ssm:GetParameter", resource: parameters.arnOf(Name) },
    ],
    run: ({ Name = "" }) => ({
      Parameter: {
        ARN: parameters.arnOf(Name),
        Name,
        Type: "String",
        Value: parameters.find(Name),
        Version: 1,
      },
    }),
  }),
];
