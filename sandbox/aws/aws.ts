import type { Timeline } from "../timeline.ts";
import { AccessKeys } from "./access-keys.ts";
import type { Account } from "./account.ts";
import { AutoScaling } from "./auto-scaling.ts";
import type { AwsAuthData } from "./aws-auth.ts";
import { CallTrail } from "./calls.ts";
import { Ec2, Ec2Instances } from "./ec2.ts";
import { Eks } from "./eks.ts";
import { Elb } from "./elb.ts";
import { Faults } from "./faults.ts";
import { Fis } from "./fis.ts";
import { Iam } from "./iam.ts";
import type { Deliver } from "./instance-journeys.ts";
import { LaunchTemplates } from "./launch-templates.ts";
import { LogGroups } from "./log-groups.ts";
import type { CallPermission } from "./operation.ts";
import { Records } from "./records.ts";
import { Sns } from "./sns.ts";
import { Sqs } from "./sqs.ts";
import { tokenAuthenticator } from "./token-authenticator.ts";
import { ZonalShifts } from "./zonal-shifts.ts";

/** The request of a principal. */
export interface PrincipalRequest extends CallPermission {
  readonly principal: string;
}

/** Decides as IAM policies would. */
export type Authorize = (request: PrincipalRequest) => "allowed" | "denied";

/** An AWS account of the sandbox: its services, its planned faults and its recorded calls. */
export class Aws {
  readonly timeline: Timeline;
  readonly account: Account;
  readonly keys: AccessKeys;
  readonly iam: Iam;
  readonly ec2: Ec2;
  readonly templates: LaunchTemplates;
  readonly sqs: Sqs;
  readonly sns: Sns;
  readonly eks: Eks;
  readonly elb: Elb;
  readonly logs: LogGroups;
  readonly autoScaling: AutoScaling;
  readonly records: Records;
  readonly zonalShifts: ZonalShifts;
  readonly fis: Fis;
  readonly faults = new Faults();
  readonly calls = new CallTrail();
  /** Unless this is replaced, every known principal may do everything. */
  authorize: Authorize = () => "allowed";

  constructor(timeline: Timeline, account: Account) {
    this.timeline = timeline;
    this.account = account;
    this.keys = new AccessKeys(timeline, account);
    this.iam = new Iam(account);
    this.ec2 = new Ec2(timeline);
    this.templates = new LaunchTemplates(timeline);
    this.sqs = new Sqs(timeline, account);
    this.sns = new Sns(timeline, account);
    this.eks = new Eks({ timeline, account, iam: this.iam });
    this.elb = new Elb(timeline, account);
    this.records = new Records(timeline, account);
    this.logs = new LogGroups(timeline, account);
    this.zonalShifts = new ZonalShifts(timeline);
    const { elb, templates, zonalShifts } = this;
    const ec2Instances = new Ec2Instances(this.ec2);
    const deliver = this.#deliver;
    this.autoScaling = new AutoScaling({
      timeline,
      account,
      elb,
      ec2Instances,
      templates,
      zonalShifts,
      deliver,
    });
    const { iam, ec2, autoScaling } = this;
    this.fis = new Fis({ timeline, iam, ec2, autoScaling });
  }

  /** The authenticator that the API server of a cluster uses. */
  authenticator(cluster: string, awsAuth: () => AwsAuthData | undefined) {
    return tokenAuthenticator(this.timeline, this.keys, this.eks.authenticated(cluster, awsAuth));
  }

  /** A hook's target is a topic or a queue. */
  readonly #deliver: Deliver = (targetArn, publication) => {
    const queue = this.sqs.tryFindByArn(targetArn);
    const { message: body } = publication;
    if (this.sns.hasTopic(targetArn)) this.sns.publish(targetArn, publication);
    else if (queue === undefined) return "unreachable";
    else queue.send({ body, senderId: "AutoScaling", attributes: {}, traceHeader: "" });
    return "delivered";
  };
}
