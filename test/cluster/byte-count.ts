import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Servers that pass on what comes to them, and count the bytes of the answers. */
export class ByteCount {
  readonly #closing: (() => Promise<unknown>)[] = [];
  /** How many bytes the servers behind have sent. */
  answered = 0;

  /** The URL of a server that passes everything on to the server with this URL. */
  async through(url: string): Promise<string> {
    const { hostname, port, protocol } = new URL(url);
    const sockets = new Set<Socket>();
    const server = createServer((caller) => {
      const behind = connect(Number(port), hostname);
      for (const socket of [caller, behind]) {
        sockets.add(socket);
        socket.on("error", () => socket.destroy());
      }
      behind.on("data", ({ length }) => {
        this.answered += length;
      });
      caller.pipe(behind);
      behind.pipe(caller);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    this.#closing.push(async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    });
    return `${protocol}//127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const close of this.#closing) await close();
  }
}
