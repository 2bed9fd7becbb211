import {
  admissionBindings,
  admissionPolicies,
} from "../../../../sandbox/kubernetes/admission-resources.ts";
import { type DoctorSite, type DoctorSiteOptions, idOf } from "../doctor-site.ts";

/** A link that is broken, and what `doctor` says of it. */
export interface Break {
  readonly how: string;
  readonly options?: DoctorSiteOptions;
  readonly breaking?: (site: DoctorSite) => unknown;
  readonly says: RegExp;
  /** Links that cannot be well or read either. @default none */
  readonly follows?: readonly string[];
}

/** The resources of the stack. */
export const id = {
  topic: idOf("AWS::SNS::Topic"),
  queue: idOf("AWS::SQS::Queue", /InboxQueue/),
  deadLetters: idOf("AWS::SQS::Queue", /DeadLetters/),
  mapping: idOf("AWS::Lambda::EventSourceMapping"),
  function: idOf("AWS::Lambda::Function", /NodeFunction/),
  role: idOf("AWS::IAM::Role", /NodeRole/),
  hooksRole: idOf("AWS::IAM::Role", /HooksRole/),
  rule: idOf("AWS::Events::Rule", /SpotInterruption/),
  alarm: idOf("AWS::CloudWatch::Alarm", /DeadLetters/),
  group: idOf("AWS::EC2::SecurityGroup"),
};
/** The security group of the cluster. */
export const clusterGroup = "sg-0a1b2c3d4e5f60718";
/** The account. */
export const account = "123456789012";
/** The ARN of something in the account. */
export const arn = (service: string, rest: string) =>
  `arn:aws:${service}:eu-west-1:${account}:${rest}`;
/** The topic of notices. */
export const topicArn = arn("sns", id.topic);
/** The hook of terminations. */
export const hook = "Terminate-LC-Hook";

/** The one entry of a map. */
export const only = <T>(map: ReadonlyMap<string, T>): readonly [string, T] => {
  const [entry] = map;
  if (entry === undefined) throw new Error("there is none");
  return entry;
};

/** Takes an action away from a role, as a permissions boundary would. */
export const denying =
  (role: string, denied: string) =>
  ({ aws }: DoctorSite): void => {
    const others = aws.authorize;
    aws.authorize = (request) =>
      request.action === denied && request.principal.includes(role) ? "denied" : others(request);
  };

/** Changes a fence as an administrator would. */
export const refencing =
  (name: string, change: (spec: object) => object) =>
  ({ cluster }: DoctorSite): void => {
    const resource = name === "binding" ? admissionBindings : admissionPolicies;
    const ref = { resource, name: "eks-node-lifecycle" };
    cluster.store.update(ref, (fence) => ({ ...fence, spec: change(fence.spec) }));
  };

/** Gives the fence annotations, in the place of those of whoever has applied it. */
export const appliedBy =
  (annotations: Readonly<Record<string, string>>) =>
  ({ cluster }: DoctorSite): void => {
    const ref = { resource: admissionPolicies, name: "eks-node-lifecycle" };
    cluster.store.update(ref, (fence) => ({
      ...fence,
      metadata: { ...fence.metadata, annotations },
    }));
  };

/** Changes words of the fence. */
export const rewording = (from: string, to: string) =>
  refencing("policy", (spec) => Object(JSON.parse(JSON.stringify(spec).replace(from, to))));

/** The ways to break some links, by the names of these. */
export type Breaks = Readonly<Record<string, readonly Break[]>>;
