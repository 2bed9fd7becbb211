import diagnostics from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import { replayed } from "../cli/replay/replayed.ts";

/** The service that a request is signed for; empty for one of the runtime. */
const serviceOf = ({ headers }: IncomingMessage): string =>
  /Credential=[^/]+\/\d+\/[^/]+\/([^/]+)\//.exec(headers.authorization ?? "")?.[1] ?? "";

describe("the connections of a new process that drains a node", () => {
  const ofService = new Map<string, Set<Socket>>();
  const all = new Set<Socket>();

  beforeAll(async () => {
    diagnostics.subscribe("net.server.socket", (message) => all.add(Object(message).socket));
    diagnostics.subscribe("http.server.request.start", (message) => {
      const { request, socket } = Object(message);
      const service = serviceOf(request);
      ofService.set(service, (ofService.get(service) ?? new Set()).add(socket));
    });
    await replayed();
  });

  // The hook is read beside the heartbeat, which must not wait for it.
  it("are one to each AWS service, and two to Auto Scaling", () => {
    const counts = [...ofService].map(([service, sockets]) => [service, sockets.size]);
    expect(Object.fromEntries(counts)).toMatchObject({ autoscaling: 2, ec2: 1, eks: 1 });
  });

  it("are one to the API server", () => {
    const others = new Set([...ofService.values()].flatMap((sockets) => [...sockets]));
    expect([...all].filter((socket) => !others.has(socket))).toHaveLength(1);
  });
});
