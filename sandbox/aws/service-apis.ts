import { autoScalingOperations } from "./auto-scaling-api.ts";
import type { Aws } from "./aws.ts";
import { classicOperations } from "./classic-api.ts";
import { cloudFormationOperations } from "./cloudformation.ts";
import { ec2Operations } from "./ec2-api.ts";
import { eksOperations } from "./eks-api.ts";
import { targetGroupOperations } from "./elb-v2-api.ts";
import { fisOperations } from "./fis.ts";
import { iamOperations, simulationOperations } from "./iam-api.ts";
import { imageOperations } from "./images.ts";
import { JsonProtocol } from "./json-protocol.ts";
import { lambdaOperations } from "./lambda-functions.ts";
import { launchTemplateOperations } from "./launch-templates.ts";
import { logsOperations } from "./log-groups.ts";
import { ssmOperations } from "./parameters.ts";
import { QueryProtocol } from "./query-protocol.ts";
import {
  alarmOperations,
  keyOperations,
  mappingOperations,
  networkOperations,
  ruleOperations,
  snsOperations,
  stackResourceOperations,
} from "./record-calls.ts";
import { ec2Codes, eksCodes, queryCodes, sqsCodes } from "./refusals.ts";
import { RestJsonProtocol } from "./rest-json-protocol.ts";
import { secretsOperations } from "./secrets.ts";
import type { ServiceApi } from "./service-api.ts";
import { sqsOperations } from "./sqs-api.ts";
import { zonalShiftOperations } from "./zonal-shifts.ts";

const memberStyle = (version: string, namespace: string): QueryProtocol =>
  new QueryProtocol({ version, namespace: `${namespace}/doc/${version}/`, style: "member" });

const balancers = "http://elasticloadbalancing.amazonaws.com";

/** Both generations of load balancers answer at the same endpoint; the version of a request tells them apart. */
const balancerApis = ({ elb, ec2 }: Aws): readonly ServiceApi[] => [
  {
    signingName: "elasticloadbalancing",
    protocol: memberStyle("2015-12-01", balancers),
    codes: queryCodes,
    operations: targetGroupOperations(elb),
  },
  {
    signingName: "elasticloadbalancing",
    protocol: memberStyle("2012-06-01", balancers),
    codes: queryCodes,
    operations: classicOperations(elb, ec2),
  },
];

/** What people ask about a deployment, and what its webhook needs. */
const deploymentApis = (aws: Aws): readonly ServiceApi[] => [
  {
    signingName: "cloudformation",
    protocol: memberStyle("2010-05-15", "http://cloudformation.amazonaws.com"),
    codes: queryCodes,
    operations: [
      ...cloudFormationOperations(aws.cloudFormation),
      ...stackResourceOperations(aws.records),
    ],
  },
  {
    signingName: "lambda",
    protocol: new RestJsonProtocol("/2015-03-31/"),
    codes: eksCodes,
    operations: [...lambdaOperations(aws.lambda, aws.records), ...mappingOperations(aws.records)],
  },
  {
    signingName: "sns",
    protocol: memberStyle("2010-03-31", "http://sns.amazonaws.com"),
    codes: queryCodes,
    operations: snsOperations(aws.records),
  },
  {
    signingName: "events",
    protocol: new JsonProtocol("AWSEvents"),
    codes: eksCodes,
    operations: ruleOperations(aws.records),
  },
  {
    signingName: "monitoring",
    protocol: new JsonProtocol("GraniteServiceVersion20100801"),
    codes: queryCodes,
    operations: alarmOperations(aws.records),
  },
  {
    signingName: "kms",
    protocol: new JsonProtocol("TrentService"),
    codes: eksCodes,
    operations: keyOperations(aws.records),
  },
  {
    signingName: "secretsmanager",
    protocol: new JsonProtocol("secretsmanager"),
    codes: eksCodes,
    operations: secretsOperations(aws.secrets),
  },
];

/** Services whose client the SDK does not have here. */
const otherApis = ({ zonalShifts, fis }: Aws): readonly ServiceApi[] => [
  {
    signingName: "arc-zonal-shift",
    protocol: new RestJsonProtocol("/zonalshifts"),
    codes: eksCodes,
    operations: zonalShiftOperations(zonalShifts),
  },
  ...["/actions/", "/experiment"].map((path) => ({
    signingName: "fis",
    protocol: new RestJsonProtocol(path),
    codes: eksCodes,
    operations: fisOperations(fis),
  })),
];

/** The APIs of all services of an account. */
export const serviceApis = (aws: Aws): readonly ServiceApi[] => [
  {
    signingName: "autoscaling",
    protocol: memberStyle("2011-01-01", "http://autoscaling.amazonaws.com"),
    codes: queryCodes,
    operations: autoScalingOperations(aws),
  },
  {
    signingName: "iam",
    protocol: memberStyle("2010-05-08", "https://iam.amazonaws.com"),
    codes: queryCodes,
    operations: [...iamOperations(aws.iam), ...simulationOperations(aws)],
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
      ...networkOperations(aws.records, aws.account),
      ...launchTemplateOperations(aws.templates, aws.account),
      ...imageOperations(aws.images),
    ],
  },
  ...balancerApis(aws),
  ...deploymentApis(aws),
  {
    signingName: "sqs",
    protocol: new JsonProtocol("AmazonSQS"),
    codes: sqsCodes,
    operations: sqsOperations(aws),
  },
  {
    signingName: "ssm",
    protocol: new JsonProtocol("AmazonSSM"),
    codes: eksCodes,
    operations: ssmOperations(aws.parameters),
  },
  {
    signingName: "logs",
    protocol: new JsonProtocol("Logs_20140328"),
    codes: eksCodes,
    operations: logsOperations(aws.logs),
  },
  ...otherApis(aws),
  {
    signingName: "eks",
    protocol: new RestJsonProtocol("/"),
    codes: eksCodes,
    operations: eksOperations(aws.eks),
  },
];
