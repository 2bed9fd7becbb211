import { BlockList, isIP } from "node:net";
import { urlToHttpOptions } from "node:url";

/**
 * The proxy that an environment names for a server, as Go's programs such as kubectl read it: none for a loopback address.
 * @see https://pkg.go.dev/golang.org/x/net/http/httpproxy#Config
 */
export function proxyOf(
  server: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const proxy = env["HTTPS_PROXY"] || env["https_proxy"] || "";
  if (proxy === "" || !URL.canParse(server)) return undefined;
  const { protocol, port } = new URL(server);
  const { hostname } = urlToHttpOptions(new URL(server));
  const host = `${hostname}`.toLowerCase();
  const excluded = (env["NO_PROXY"] || env["no_proxy"] || "").split(",");
  if (protocol !== "https:" || isLoopback(host)) return undefined;
  if (excluded.some((one) => covers(one.trim().toLowerCase(), host, port || "443")))
    return undefined;
  return /^[a-z\d]+:\/\//i.test(proxy) ? proxy : `http://${proxy}`;
}

const familyOf = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

/** True if an entry of NO_PROXY is about a server: `*`, an address, a range of addresses, or a domain with all below it. */
function covers(entry: string, host: string, port: string): boolean {
  if (entry === "" || entry === "*") return entry === "*";
  const [, range = "", prefix = ""] = /^([\da-f.:]+)\/(\d+)$/.exec(entry) ?? [];
  if (isIP(range) !== 0) return isIP(host) !== 0 && isWithin(host, range, Number(prefix));
  const { name, only } = isIP(entry) === 0 ? placeIn(entry) : { name: entry, only: "" };
  return (only === "" || only === port) && isAbout(name, host);
}

/** The name in an entry, and the port if it has one. */
function placeIn(entry: string) {
  const [, name = entry, only = ""] = /^(.+?|\[.+\]):(\d+)$/.exec(entry) ?? [];
  return { name: name.replace(/^\[|\]$/g, "").replace(/^\*(?=\.)/, ""), only };
}

const isAbout = (name: string, host: string): boolean =>
  isIP(name) !== 0 || isIP(host) !== 0
    ? name === host
    : (name.startsWith(".") ? host : `.${host}`).endsWith(name.startsWith(".") ? name : `.${name}`);

function isWithin(host: string, range: string, prefix: number): boolean {
  const list = new BlockList();
  list.addSubnet(range, prefix, familyOf(range));
  return list.check(host, familyOf(host));
}
