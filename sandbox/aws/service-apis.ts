import { autoScalingOperations } from "./auto-scaling/auto-scaling-api.ts";
import type { Aws } from "./aws.ts";
import { ec2Operations } from "./ec2/ec2-api.ts";
import { launchTemplateOperations } from "./ec2/launch-template-calls.ts";
import { eksOperations } from "./eks/eks-api.ts";
import { iamOperations } from "./iam/iam-api.ts";
import { ec2Codes, eksCodes, queryCodes, sqsCodes } from "./refusals.ts";
import type { ServiceApi } from "./service-api.ts";
import { sqsOperations } from "./sqs/sqs-api.ts";
import { JsonProtocol } from "./wire/json-protocol.ts";
import { QueryProtocol } from "./wire/query-protocol.ts";
import { RestJsonProtocol } from "./wire/rest-json-protocol.ts";

/** The APIs of all services of an account. */
export const serviceApis = (aws: Aws): readonly ServiceApi[] => [
  {
    signingName: "autoscaling",
    protocol: new QueryProtocol({
      version: "2011-01-01",
      namespace: "http://autoscaling.amazonaws.com/doc/2011-01-01/",
      style: "member",
    }),
    codes: queryCodes,
    operations: autoScalingOperations(aws.autoScaling, aws.timeline),
  },
  {
    signingName: "iam",
    protocol: new QueryProtocol({
      version: "2010-05-08",
      namespace: "https://iam.amazonaws.com/doc/2010-05-08/",
      style: "member",
    }),
    codes: queryCodes,
    operations: iamOperations(aws.iam),
  },
  {
    signingName: "ec2",
    protocol: new QueryProtocol({
      version: "2016-11-15",
      namespace: "http://ec2.amazonaws.com/doc/2016-11-15/",
      style: "ec2",
    }),
    codes: ec2Codes,
    operations: [
      ...ec2Operations(aws.ec2, aws.account),
      ...launchTemplateOperations(() =>
        aws.autoScaling.register
          .groups()
          .map(({ template }) => template)
          .filter(({ kind }) => kind === "template"),
      ),
    ],
  },
  {
    signingName: "sqs",
    protocol: new JsonProtocol("AmazonSQS"),
    codes: sqsCodes,
    operations: sqsOperations(aws.sqs, aws.timeline),
  },
  {
    signingName: "eks",
    protocol: new RestJsonProtocol(),
    codes: eksCodes,
    operations: eksOperations(aws.eks),
  },
];
