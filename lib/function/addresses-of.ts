import { type IPeer, type IVpc, Peer } from "aws-cdk-lib/aws-ec2";

/** Everything in a VPC, if its addresses are known: they are not for one that is imported without them. */
export function addressesOf(vpc: IVpc): readonly IPeer[] {
  try {
    return [Peer.ipv4(vpc.vpcCidrBlock)];
  } catch {
    return []; // CDK has no other way to ask
  }
}
