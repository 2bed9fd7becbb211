import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";

/** Lets a server listen on loopback, at a free port unless one is given; returns host and port. */
export async function listening(server: Server, port = 0): Promise<string> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Closes a server and every connection to it. */
export async function closed(server: Server & { closeAllConnections(): void }): Promise<void> {
  const end = once(server, "close");
  server.close();
  server.closeAllConnections();
  await end;
}
