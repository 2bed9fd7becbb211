import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { startSilentServer } from "../../sandbox/servers/silent-server.ts";

it("a silent server accepts a connection, sends nothing, and ends the connection when it closes", async () => {
  const server = await startSilentServer();
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  socket.on("error", () => undefined);
  let heard = 0;
  socket.on("data", ({ length }) => {
    heard += length;
  });
  await once(socket, "connect");
  socket.write("anybody there?");
  await pause(100);
  expect([heard, socket.closed]).toEqual([0, false]);

  await server.close();

  await expect.poll(() => socket.closed).toBe(true);
  expect(heard).toBe(0);
});
