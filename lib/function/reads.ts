import { Grant, type IGrantable } from "aws-cdk-lib/aws-iam";

/** A read action, and the ARNs of its resources. */
export type Read = readonly [action: string, ...resourceArns: readonly [string, ...string[]]];

/** Allows somebody to read. */
export const allow = (grantee: IGrantable, reads: readonly Read[]): Grant =>
  reads
    .map(([action, ...resourceArns]) =>
      Grant.addToPrincipal({ grantee, actions: [action], resourceArns }),
    )
    .reduce((all, one) => all.combine(one));
