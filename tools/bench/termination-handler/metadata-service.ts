import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A copy of the instance metadata service, as far as Node Termination Handler asks it. */
export interface MetadataService {
  readonly url: string;
  /** Announces that EC2 takes the Spot instance back in two minutes. */
  interrupt(): void;
  close(): void;
}

const token = "a-token";
const tokenHeader = "x-aws-ec2-metadata-token";

/**
 * Starts the service on loopback; only those who have a token get an answer.
 *
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-instance-termination-notices.html
 */
export async function startMetadataService(instanceId: string): Promise<MetadataService> {
  const identity = { accountId: "123456789012", instanceId, region: "eu-west-1" };
  const documents = new Map<string, string>([
    ["/latest/dynamic/instance-identity/document", JSON.stringify(identity)],
    ["/latest/meta-data/instance-life-cycle", "spot"],
    ["/latest/meta-data/events/maintenance/scheduled", "[]"],
  ]);
  const server = createServer((request, response) => {
    const [status, body] = answerTo(request, documents);
    response.writeHead(status, { [`${tokenHeader}-ttl-seconds`]: "21600" }).end(body);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    interrupt() {
      const time = new Date(Date.now() + 120_000).toISOString().replace(/\.\d+/, "");
      const notice = JSON.stringify({ action: "terminate", time });
      documents.set("/latest/meta-data/spot/instance-action", notice);
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function answerTo(
  { method, url = "", headers }: IncomingMessage,
  documents: ReadonlyMap<string, string>,
): readonly [status: number, body: string] {
  if (method === "PUT") return [200, token];
  if (headers[tokenHeader] !== token) return [401, ""];
  const document = documents.get(url);
  return document === undefined ? [404, ""] : [200, document];
}
