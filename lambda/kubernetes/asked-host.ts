import { BlockList, isIP } from "node:net";

// Addresses of the asking machine itself: its metadata, its credentials, its neighbours on the link.
const own = new BlockList();
own.addSubnet("169.254.0.0", 16, "ipv4");
own.addSubnet("fe80::", 10, "ipv6");
own.addSubnet("fd00:ec2::", 32, "ipv6");

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addSubnet("0.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");
loopback.addAddress("::", "ipv6");

/**
 * Whether a check may ask at a URL. Its host is what a kubelet says of its node, so it may be any text.
 *
 * The runtime API of the function would hand out the function's next event.
 */
export function mayAsk({ hostname, port }: URL, runtimeApi: string): boolean {
  const address = hostname.replace(/^\[(.*)\]$/, "$1");
  const version = isIP(address);
  if (version === 0) return false;
  const family = version === 6 ? "ipv6" : "ipv4";
  if (own.check(address, family)) return false;
  const [, runtimePort = ""] = /:(\d+)$/.exec(runtimeApi) ?? [];
  return !loopback.check(address, family) || (port || "80") !== runtimePort;
}
