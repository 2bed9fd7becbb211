import { readFileSync } from "node:fs";
import { type Json, type JsonMap, refTo } from "./json.ts";
import type { Entries } from "./merge.ts";

/** The id of the function that publishes versions. */
export const publisherId = "CodePublisher";

const [logs, role, policy] = [
  `${publisherId}Logs`,
  `${publisherId}Role`,
  `${publisherId}Policy`,
] as const;

/** The ARN of a resource. */
export const arnOf = (id: string): JsonMap => ({ "Fn::GetAtt": [id, "Arn"] });

/** The ARNs of all versions and aliases of a function. */
export const arnOfVersions = (id: string): JsonMap => ({ "Fn::Join": ["", [arnOf(id), ":*"]] });

const deletion = { DeletionPolicy: "Delete", UpdateReplacePolicy: "Delete" };

/** The function that publishes versions of functions. Its code is a part of the template, so it needs no proof. */
export const codePublisher: Entries = {
  [logs]: { Type: "AWS::Logs::LogGroup", Properties: { RetentionInDays: 30 }, ...deletion },
  [role]: {
    Type: "AWS::IAM::Role",
    Properties: {
      AssumeRolePolicyDocument: documentOf({
        Effect: "Allow",
        Action: "sts:AssumeRole",
        Principal: { Service: "lambda.amazonaws.com" },
      }),
      Description: "Publishes versions of the functions of the stack",
    },
  },
  [policy]: {
    Type: "AWS::IAM::Policy",
    Properties: {
      PolicyName: policy,
      Roles: [refTo(role)],
      PolicyDocument: documentOf(allow(["logs:CreateLogStream", "logs:PutLogEvents"], arnOf(logs))),
    },
  },
  [publisherId]: {
    Type: "AWS::Lambda::Function",
    Properties: {
      Description: "Publishes versions of functions whose code is that of the template",
      Runtime: "nodejs24.x",
      Architectures: ["arm64"],
      Handler: "index.handler",
      Code: { ZipFile: readFileSync(new URL("publish-version.cjs", import.meta.url), "utf8") },
      Role: arnOf(role),
      Timeout: 300,
      MemorySize: 256,
      LoggingConfig: { LogGroup: refTo(logs) },
    },
    DependsOn: [policy],
  },
};

/** The publisher's rights for one function. One policy for all would have functions wait for each other in a circle. */
export const publishing = (PolicyName: string, id: string): JsonMap => ({
  Type: "AWS::IAM::Policy",
  Properties: {
    PolicyName,
    Roles: [refTo(role)],
    PolicyDocument: documentOf(
      allow("lambda:PublishVersion", arnOf(id)),
      allow("lambda:GetFunctionConfiguration", arnOfVersions(id)),
    ),
  },
});

function documentOf(...Statement: readonly JsonMap[]): JsonMap {
  return { Version: "2012-10-17", Statement };
}

function allow(Action: Json, Resource: Json): JsonMap {
  return { Effect: "Allow", Action, Resource };
}
