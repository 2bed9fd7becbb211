import { autoScalingOperations } from "./auto-scaling-api.ts";
import type { Aws } from "./aws.ts";
import { classicOperations } from "./classic-api.ts";
import { ec2Operations } from "./ec2-api.ts";
import { eksOperations } from "./eks-api.ts";
import { targetGroupOperations } from "./elb-v2-api.ts";
import { fisOperations } from "./fis.ts";
import { iamOperations } from "./iam-api.ts";
import { JsonProtocol } from "./json-protocol.ts";
import { launchTemplateOperations } from "./launch-templates.ts";
import { logsOperations } from "./log-groups.ts";
import { QueryProtocol } from "./query-protocol.ts";
import { recordCalls } from "./record-calls.ts";
import { ec2Codes, eksCodes, queryCodes, sqsCodes } from "./refusals.ts";
import { RestJsonProtocol } from "./rest-json-protocol.ts";
import { sqsOperations } from "./sqs-api.ts";
import type { ServiceApi } from "./wire.ts";
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

/** Services that tell of what is recorded of a deployment, with their protocols and codes. */
const recordProtocols: Readonly<Record<string, Pick<ServiceApi, "codes" | "protocol">>> = {
  cloudformation: {
    protocol: memberStyle("2010-05-15", "http://cloudformation.amazonaws.com"),
    codes: queryCodes,
  },
  lambda: { protocol: new RestJsonProtocol("/2015-03-31/"), codes: eksCodes },
  sns: { protocol: memberStyle("2010-03-31", "http://sns.amazonaws.com"), codes: queryCodes },
  events: { protocol: new JsonProtocol("AWSEvents"), codes: eksCodes },
  monitoring: { protocol: new JsonProtocol("GraniteServiceVersion20100801"), codes: queryCodes },
  kms: { protocol: new JsonProtocol("TrentService"), codes: eksCodes },
  secretsmanager: { protocol: new JsonProtocol("secretsmanager"), codes: eksCodes },
  ssm: { protocol: new JsonProtocol("AmazonSSM"), codes: eksCodes },
};

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
export function serviceApis(aws: Aws): readonly ServiceApi[] {
  const recorded = recordCalls(aws.records, aws.account);
  const recordApis = Object.entries(recordProtocols).map(([signingName, spoken]) => ({
    ...{ ...spoken, signingName, operations: recorded[signingName] ?? [] },
  }));
  return [
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
      operations: iamOperations(aws),
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
        ...launchTemplateOperations(aws.templates, aws.account),
        ...(recorded["ec2"] ?? []),
      ],
    },
    ...balancerApis(aws),
    ...recordApis,
    {
      signingName: "sqs",
      protocol: new JsonProtocol("AmazonSQS"),
      codes: sqsCodes,
      operations: sqsOperations(aws),
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
}
