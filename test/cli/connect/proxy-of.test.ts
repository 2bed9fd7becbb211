import { describe, expect, it } from "vitest";
import { proxyOf } from "../../../cli/connect/proxy-of.ts";

const proxy = "http://proxy.example:3128";
const server = "https://api.eu.example.com:6443";

describe("the proxy of a server", () => {
  it.each([
    [{ HTTPS_PROXY: proxy }, proxy],
    [{ https_proxy: proxy }, proxy],
    [{ HTTPS_PROXY: "proxy.example:3128" }, proxy],
    [{ HTTPS_PROXY: "socks5://proxy.example" }, "socks5://proxy.example"],
    [{ HTTP_PROXY: proxy }, undefined],
    [{ HTTPS_PROXY: "" }, undefined],
    [{}, undefined],
  ])("is that which the environment names for TLS: %j", (env, expected) => {
    expect(proxyOf(server, env)).toBe(expected);
  });

  it.each([
    "*",
    "api.eu.example.com",
    "API.eu.example.com",
    "example.com",
    ".example.com",
    "*.example.com",
    "other, example.com",
    "example.com:6443",
  ])("is none where NO_PROXY covers it: %s", (NO_PROXY) => {
    expect(proxyOf(server, { HTTPS_PROXY: proxy, NO_PROXY })).toBeUndefined();
    expect(proxyOf(server, { HTTPS_PROXY: proxy, no_proxy: NO_PROXY })).toBeUndefined();
  });

  it.each([
    "",
    "xample.com",
    ".api.eu.example.com",
    "example.com:443",
    "example.org",
    "10.0.0.0/8",
  ])("is used where NO_PROXY is about others: %s", (NO_PROXY) => {
    expect(proxyOf(server, { HTTPS_PROXY: proxy, NO_PROXY })).toBe(proxy);
  });

  it.each([
    ["https://10.1.2.3", "10.0.0.0/8", undefined],
    ["https://10.1.2.3", "10.1.2.3", undefined],
    ["https://10.1.2.3", "10.1.2.3:443", undefined],
    ["https://10.1.2.3", "10.1.2.3:6443", proxy],
    ["https://10.1.2.3", "2.3", proxy],
    ["https://11.1.2.3", "10.0.0.0/8", proxy],
    ["https://[fd00::7]", "fd00::/8", undefined],
    ["https://[fd00::7]", "fd00::7", undefined],
    ["https://[fd00::7]", "[fd00::7]:443", undefined],
    ["https://[fe00::7]", "fd00::/8", proxy],
  ])("of an address %s goes by addresses and ranges: %s", (address, NO_PROXY, expected) => {
    expect(proxyOf(address, { HTTPS_PROXY: proxy, NO_PROXY })).toBe(expected);
  });

  it.each([
    "https://127.0.0.1:6443",
    "https://127.8.9.1",
    "https://[::1]:6443",
    "https://localhost",
  ])("on this computer is none: %s", (own) => {
    expect(proxyOf(own, { HTTPS_PROXY: proxy })).toBeUndefined();
  });
});
