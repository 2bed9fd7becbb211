import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { listening } from "./listening.ts";

/** A server that accepts connections and never sends anything. */
export interface SilentServer {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts a server on loopback that never answers. It behaves like a server behind a firewall
 * that lets only the start of a connection through.
 */
export async function startSilentServer(): Promise<SilentServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined); // a caller may disconnect at any time
  });
  return {
    url: `https://${await listening(server)}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
