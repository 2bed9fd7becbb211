import { type IPeer, Peer } from "aws-cdk-lib/aws-ec2";
import { rangeOf } from "./cluster-file/addresses.ts";

/** The peer for an address, a range of addresses, or a security group. */
export function peerOf(text: string): IPeer {
  if (text.startsWith("sg-")) return Peer.securityGroupId(text);
  return text.includes(":") ? Peer.ipv6(rangeOf(text)) : Peer.ipv4(rangeOf(text));
}
