import { type IPeer, type IVpc, Peer } from "aws-cdk-lib/aws-ec2";

/** The CIDR block of a VPC as a peer; none for an imported VPC whose CIDR block is not given. */
export function addressesOf(vpc: IVpc): readonly IPeer[] {
  try {
    return [Peer.ipv4(vpc.vpcCidrBlock)];
  } catch {
    return []; // CDK offers no check that does not throw
  }
}
