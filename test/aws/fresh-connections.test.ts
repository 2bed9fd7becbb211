import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { DescribeClusterCommand, EKSClient } from "@aws-sdk/client-eks";
import { afterEach, describe, expect, it, vi } from "vitest";
import { awsClientOptions } from "../../lambda/aws/aws-client-options.ts";
import { teaching } from "../../lambda/aws/taught-client.ts";
import { seconds } from "../../lambda/base/time.ts";
import { ServerClock } from "../../lambda/process/server-clock.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";

/** A server that answers the requests of its connections, until somebody has them die without a word. */
async function aServer() {
  const dead = new Set<Socket>();
  const live = new Set<Socket>();
  const answers: (() => void)[] = [];
  let answering = true;
  const server = createServer((request, response) => {
    if (dead.has(request.socket)) return;
    const answer = () => response.setHeader("content-type", "application/json").end("{}");
    if (answering) answer();
    else answers.push(answer);
  });
  server.keepAliveTimeout = seconds(600);
  server.on("connection", (socket) => live.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  ends.push(() => {
    for (const socket of live) socket.destroy();
    server.close();
  });
  return {
    endpoint: `http://127.0.0.1:${port}`,
    connections: () => live.size,
    waiting: () => answers.length,
    hold() {
      answering = false;
    },
    release() {
      for (const answer of answers) answer();
    },
    die() {
      for (const socket of live) dead.add(socket);
    },
  };
}

const ends: (() => void)[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const end of ends.splice(0)) end();
});

const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" };
const kinds = {
  "of a function that asks for nothing else": {},
  "whose answers teach a clock": teaching(new ServerClock(systemClock)),
};

describe.each(Object.entries(kinds))("a client of AWS %s", (_, options) => {
  async function aClient() {
    vi.useFakeTimers({ toFake: ["Date"] });
    const server = await aServer();
    const { endpoint } = server;
    const client = new EKSClient({
      ...awsClientOptions("eu-west-1"),
      ...options,
      endpoint,
      credentials,
    });
    ends.push(() => client.destroy());
    const ask = () => client.send(new DescribeClusterCommand({ name: "demo" }));
    await ask();
    return { server, ask };
  }
  const passed = (time: number) => vi.setSystemTime(Date.now() + time);

  it("keeps its connection from one request to the next", async () => {
    const { server, ask } = await aClient();
    passed(seconds(20));
    await ask();
    expect(server.connections()).toBe(1);
  });

  it("asks over a new connection after the function was frozen, while which the old one died", async () => {
    const { server, ask } = await aClient();
    server.die();
    passed(seconds(40));
    const { $metadata } = await ask();
    expect([server.connections(), $metadata.attempts]).toEqual([2, 1]);
  });

  it("cuts off no request that is under way when another begins late", async () => {
    const { server, ask } = await aClient();
    server.hold();
    const first = ask();
    await expect.poll(server.waiting).toBe(1);
    passed(seconds(40));
    const second = ask();
    await expect.poll(server.waiting).toBe(2);
    server.release();
    const answers = await Promise.all([first, second]);
    expect(answers.map(({ $metadata }) => $metadata.attempts)).toEqual([1, 1]);
  });
});
