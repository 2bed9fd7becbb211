import { Grant, type IGrantable } from "aws-cdk-lib/aws-iam";

export type Read = readonly [action: string, ...resourceArns: readonly [string, ...string[]]];

export const allow = (grantee: IGrantable, reads: readonly Read[]): Grant =>
  reads
    .map(([action, ...resourceArns]) =>
      Grant.addToPrincipal({ grantee, actions: [action], resourceArns }),
    )
    .reduce((all, one) => all.combine(one));
