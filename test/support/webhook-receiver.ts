import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { loopbackCertificate } from "../../sandbox/servers/certificates.ts";

/** What a webhook was sent. */
export interface Received {
  readonly path: string;
  readonly type: string | undefined;
  readonly body: string;
}

/** Answers a message; without an answer the server hangs. */
export type Answer = (response: ServerResponse, received: Received) => void;

/** Takes every message. */
export const takes: Answer = (response) => response.writeHead(200).end("ok");

/** A webhook on loopback until the test ends, whose certificate only those trust who are given its authority. */
export async function webhookReceiver(answer: Answer = takes) {
  const {
    key,
    certificate: cert,
    authority,
  } = await loopbackCertificate(`webhook ${randomUUID()}`);
  const received: Received[] = [];
  const answering = { answer };
  const server = createServer({ key, cert }, (request: IncomingMessage, response) => {
    void text(request).then((body) => {
      const one = { path: request.url ?? "", type: request.headers["content-type"], body };
      received.push(one);
      answering.answer(response, one);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const folder = mkdtempSync(join(tmpdir(), "webhook-"));
  writeFileSync(join(folder, "authority.pem"), authority);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });
  const { port } = server.address() as AddressInfo;
  return {
    received,
    authority,
    /** A folder that is removed with the webhook. */
    folder,
    /** The file with the authority, for `NODE_EXTRA_CA_CERTS`. */
    authorityFile: join(folder, "authority.pem"),
    url: `https://127.0.0.1:${port}/services/T0/B0/hush-hush`,
    answerWith(next: Answer) {
      answering.answer = next;
    },
  };
}
