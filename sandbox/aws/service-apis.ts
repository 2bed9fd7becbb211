import { autoScalingOperations } from "./auto-scaling-api.ts";
import type { Aws } from "./aws.ts";
import { classicOperations } from "./classic-api.ts";
import { ec2Operations } from "./ec2-api.ts";
import { eksOperations } from "./eks-api.ts";
import { targetGroupOperations } from "./elb-v2-api.ts";
import { fisOperations } from "./fis.ts";
import { iamOperations } from "./iam-api.ts";
import { jsonProtocol, restJsonProtocol } from "./json-protocols.ts";
import { launchTemplateOperations } from "./launch-templates.ts";
import { logsOperations } from "./log-groups.ts";
import type { Operation } from "./operation.ts";
import { queryProtocol } from "./query-protocol.ts";
import { recordCalls } from "./record-calls.ts";
import { ec2Codes, eksCodes, queryCodes, sqsCodes } from "./refusals.ts";
import { sqsOperations } from "./sqs-api.ts";
import type { Protocol, ServiceApi } from "./wire.ts";
import { zonalShiftOperations } from "./zonal-shifts.ts";

/** A service that speaks the query protocol, with lists of members. */
const query = (
  signingName: string,
  version: string,
  operations: readonly Operation[],
  host = `http://${signingName}.amazonaws.com`,
): ServiceApi => {
  const namespace = `${host}/doc/${version}/`;
  const protocol = queryProtocol({ version, namespace, style: "member" });
  return { signingName, protocol, codes: queryCodes, operations };
};

/** A service that speaks JSON, with codes as EKS has them. */
const json = (
  signingName: string,
  protocol: Protocol,
  operations: readonly Operation[],
  codes = eksCodes,
): ServiceApi => ({ signingName, protocol, codes, operations });

const ec2Api = ({ ec2, account, templates }: Aws, recorded: readonly Operation[]): ServiceApi => ({
  signingName: "ec2",
  protocol: queryProtocol({
    version: "2016-11-15",
    namespace: "http://ec2.amazonaws.com/doc/2016-11-15/",
    style: "ec2",
  }),
  codes: ec2Codes,
  operations: [
    ...ec2Operations(ec2, account),
    ...launchTemplateOperations(templates, account),
    ...recorded,
  ],
});

/** The APIs of all services of an account. */
export function serviceApis(aws: Aws): readonly ServiceApi[] {
  const recorded = recordCalls(aws.records, aws.account);
  const { elb, ec2 } = aws;
  const fis = fisOperations(aws.fis);
  const alarms = "GraniteServiceVersion20100801";
  return [
    query("autoscaling", "2011-01-01", autoScalingOperations(aws)),
    query("iam", "2010-05-08", iamOperations(aws), "https://iam.amazonaws.com"),
    ec2Api(aws, recorded.ec2),
    // Both generations of load balancers answer at the same endpoint; the version of a request tells them apart.
    query("elasticloadbalancing", "2015-12-01", targetGroupOperations(elb)),
    query("elasticloadbalancing", "2012-06-01", classicOperations(elb, ec2)),
    query("cloudformation", "2010-05-15", recorded.cloudformation),
    query("sns", "2010-03-31", recorded.sns),
    json("lambda", restJsonProtocol("/2015-03-31/"), recorded.lambda),
    json("lambda", restJsonProtocol("/2019-09-30/"), recorded.lambda), // the concurrency of a function
    json("events", jsonProtocol("AWSEvents"), recorded.events),
    json("monitoring", jsonProtocol(alarms), recorded.monitoring, queryCodes),
    json("kms", jsonProtocol("TrentService"), recorded.kms),
    json("secretsmanager", jsonProtocol("secretsmanager"), recorded.secretsmanager),
    json("ssm", jsonProtocol("AmazonSSM"), recorded.ssm),
    json("sqs", jsonProtocol("AmazonSQS"), sqsOperations(aws), sqsCodes),
    json("logs", jsonProtocol("Logs_20140328"), logsOperations(aws.logs)),
    json(
      "arc-zonal-shift",
      restJsonProtocol("/zonalshifts"),
      zonalShiftOperations(aws.zonalShifts),
    ),
    json("fis", restJsonProtocol("/actions/"), fis),
    json("fis", restJsonProtocol("/experiment"), fis),
    json("eks", restJsonProtocol("/"), eksOperations(aws.eks)),
  ];
}
