import { isIP } from "node:net";
import { type IPeer, Peer } from "aws-cdk-lib/aws-ec2";

const bits: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

/** Whether a text is an address, or a range of them, such as 10.0.0.2 and 10.0.0.0/16. */
export function isAddresses(text: string): boolean {
  const [address = "", size = "0", ...rest] = text.split("/");
  const most = bits[isIP(address)] ?? -1;
  return rest.length === 0 && /^\d{1,3}$/.test(size) && Number(size) <= most;
}

/** The peer for an address, a range of addresses, or a security group. */
export function peerOf(text: string): IPeer {
  if (text.startsWith("sg-")) return Peer.securityGroupId(text);
  const [address = "", size] = text.split("/");
  const range = `${address}/${size ?? bits[isIP(address)]}`;
  return isIP(address) === 6 ? Peer.ipv6(range) : Peer.ipv4(range);
}
