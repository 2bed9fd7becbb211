import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { listening } from "../../../sandbox/servers/listening.ts";

/** A way to the API server that a security group opens and shuts: who waits at a shut door never hears anything. */
export interface Door {
  readonly url: string;
  /** The server behind it. */
  leadTo(url: string): void;
  open(): void;
  shut(): void;
}

/** Makes an open door for one test. */
export async function aDoor(): Promise<Door> {
  const sockets = new Set<Socket>();
  let port = 0;
  let isOpen = true;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => undefined); // either side may disconnect at any time
  };
  const server = createServer((socket) => {
    keep(socket);
    if (!isOpen) return;
    const behind = connect(port, "127.0.0.1");
    keep(behind);
    socket.pipe(behind).pipe(socket);
  });
  const url = `https://${await listening(server)}`;
  const dropAll = () => sockets.forEach((socket) => void socket.destroy());
  onTestFinished(async () => {
    const closed = once(server, "close");
    server.close();
    dropAll();
    await closed;
  });
  return {
    url,
    leadTo: (to) => {
      port = Number(new URL(to).port);
    },
    open: () => {
      isOpen = true;
    },
    shut: () => {
      isOpen = false;
      dropAll();
    },
  };
}
