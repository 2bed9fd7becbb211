import http from "node:http";
import net from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { Http1Transport } from "../../lambda/http/http1-transport.ts";
import { wholeBody } from "../../lambda/http/transport.ts";
import { serve } from "../support/loopback.ts";

it("connects to the bare address of an IPv6 endpoint, and names it in brackets", async () => {
  const server = await serve("http", ({ headers }, response) => {
    response.end(headers.host);
  });
  onTestFinished(() => server.close());
  const dialled: unknown[] = [];
  const agent = new http.Agent();
  // Not every computer has IPv6.
  agent.createConnection = ({ host }) => {
    dialled.push(host);
    return net.connect(Number(server.url.port), "127.0.0.1");
  };
  const transport = new Http1Transport(new URL("http://[2001:db8::7]:6443"), agent);
  const { signal } = new AbortController();
  const request = { method: "GET", path: "/", headers: {}, body: undefined, signal };
  const { body } = await transport.request(request);
  expect((await wholeBody(body)).toString()).toBe("[2001:db8::7]:6443");
  expect(dialled).toEqual(["2001:db8::7"]);
});
