import { Stack, Token } from "aws-cdk-lib";
import {
  CfnSecurityGroupEgress,
  CfnSecurityGroupIngress,
  type IPeer,
  type ISecurityGroup,
  type Port,
  type SecurityGroup,
} from "aws-cdk-lib/aws-ec2";
import { Construct } from "constructs";
import { pathIn } from "../path-in.ts";

/** The traffic that a rule of a security group allows, and the reason. */
export interface SecurityRule {
  readonly peer: IPeer;
  readonly port: Port;
  readonly description: string;
}

/**
 * Lets a peer into a security group. CDK would put the path of the stack into the id of a rule for another group. EC2 has but
 * one rule of a kind, so that a stack with another path could not make it.
 */
export function letIn(group: SecurityGroup, { peer, port, description }: SecurityRule): void {
  if (isGroup(peer))
    new CfnSecurityGroupIngress(group, `from ${idOf(peer, group)}:${port.toString()}`, {
      groupId: group.securityGroupId,
      description,
      ...peer.toIngressRuleConfig(),
      ...port.toRuleJson(),
    });
  else group.addIngressRule(peer, port, description);
}

/** Lets the members of a security group out to a peer. */
export function letOut(group: SecurityGroup, { peer, port, description }: SecurityRule): void {
  if (isGroup(peer))
    new CfnSecurityGroupEgress(group, `to ${idOf(peer, group)}:${port.toString()}`, {
      groupId: group.securityGroupId,
      description,
      ...peer.toEgressRuleConfig(),
      ...port.toRuleJson(),
    });
  else group.addEgressRule(peer, port, description);
}

const isGroup = (peer: IPeer): peer is ISecurityGroup => Construct.isConstruct(peer);

const idOf = (peer: ISecurityGroup, group: SecurityGroup): string =>
  Token.isUnresolved(peer.securityGroupId) ? pathIn(Stack.of(group), peer) : peer.securityGroupId;
