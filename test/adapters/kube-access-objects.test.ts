import type { RequestListener } from "node:http";
import { EKSClient } from "@aws-sdk/client-eks";
import { describe, expect, it, onTestFinished } from "vitest";
import { EksConnection } from "../../lambda/adapters/eks-connection.ts";
import { EksToken } from "../../lambda/adapters/eks-token.ts";
import { KubeAccessObjects } from "../../lambda/adapters/kube-access-objects.ts";
import { KubeConnection } from "../../lambda/adapters/kube-connection.ts";
import { systemClock } from "../../lambda/adapters/system-clock.ts";
import type { ClusterObject } from "../../lambda/domain/cluster-object.ts";
import { type Duration, later, minutes, seconds } from "../../lambda/domain/time.ts";
import { aServedAccount, start } from "../sandbox/aws-account.ts";
import { serve } from "./loopback.ts";

const role: ClusterObject = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  name: "drainer",
  namespace: "",
  body: { kind: "ClusterRole" },
};
const binding: ClusterObject = { ...role, kind: "RoleBinding", namespace: "kube-system" };

function usually(method: string | undefined, known: boolean): number {
  if (known) return 200;
  return method === "PATCH" ? 201 : 404;
}

/** An API server that says whether an object is new to it, and refuses what it is told to. */
function anApiServer() {
  const there = new Set<string>();
  const asked: string[] = [];
  let refusal: (() => number) | undefined;
  const answer: RequestListener = ({ method, url = "" }, response) => {
    const path = url.replace(/\?.*/, "");
    asked.push(`${method} ${path}`);
    const known = there.has(path);
    const status = refusal?.() ?? usually(method, known);
    if (method === "PATCH") there.add(path);
    else there.delete(path);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ kind: "Status", message: `told ${status}` }));
  };
  const refuse = (status: () => number) => {
    refusal = status;
  };
  return { answer, asked, refuse };
}

/** The objects of a cluster, as the deployer writes them; it sleeps in no time. */
async function objectsOf(answer: RequestListener) {
  const { url, certificateAuthority = "", close } = await serve("h2", answer);
  onTestFinished(close);
  const { aws, server, key } = await aServedAccount();
  aws.eks.createCluster({
    name: "demo",
    version: "1.36",
    endpoint: url.href,
    certificateAuthority,
    authenticationMode: "API",
  });
  const settings = { region: "eu-west-1", credentials: async () => key };
  const pauses: Duration[] = [];
  const limits: (Duration | undefined)[] = [];
  let now = start;
  const pause = async (duration: Duration) => {
    pauses.push(duration);
    now = later(now, duration);
  };
  const connection = new EksConnection({
    eks: new EKSClient({ ...settings, endpoint: server.url }),
    clusterName: "demo",
    token: new EksToken({ ...settings, clusterName: "demo", now: systemClock.now }),
    pause,
    open(address, token) {
      const opened = new KubeConnection(address, token);
      onTestFinished(() => opened.close());
      const configuration = opened.configuration.bind(opened);
      opened.configuration = (bounds) => {
        limits.push(bounds?.limit);
        return configuration(bounds);
      };
      return opened;
    },
  });
  const objects = new KubeAccessObjects({ connection, pause, now: () => now });
  return { objects, pauses, limits };
}

describe("the objects of a cluster", () => {
  it("are applied where they belong, and it is told which were not there before", async () => {
    const { answer, asked } = anApiServer();
    const { objects } = await objectsOf(answer);
    expect(await objects.apply(role)).toBe("created");
    expect(await objects.apply(role)).toBe("changed");
    expect(await objects.apply(binding)).toBe("created");
    const group = "/apis/rbac.authorization.k8s.io/v1";
    expect(asked).toEqual([
      `PATCH ${group}/clusterroles/drainer`,
      `PATCH ${group}/clusterroles/drainer`,
      `PATCH ${group}/namespaces/kube-system/rolebindings/drainer`,
    ]);
  });

  it("are removed, and it is no matter if they are gone", async () => {
    const { answer } = anApiServer();
    const { objects } = await objectsOf(answer);
    await objects.apply(role);
    await objects.remove(role);
    await expect(objects.remove(role)).resolves.toBeUndefined();
  });

  it("are waited for until the new access entry is known", async () => {
    const { answer, refuse } = anApiServer();
    const { objects, pauses } = await objectsOf(answer);
    let refused = 0;
    refuse(() => {
      refused += 1;
      return refused < 4 ? 403 : 201;
    });
    expect(await objects.apply(role)).toBe("created");
    expect(pauses).toEqual([seconds(5), seconds(5), seconds(5)]);
  });

  it("are refused at once where waiting is of no use", async () => {
    const { answer, refuse } = anApiServer();
    const { objects, pauses } = await objectsOf(answer);
    refuse(() => 422);
    await expect(objects.apply(role)).rejects.toThrow("applying ClusterRole drainer: HTTP 422");
    expect(pauses).toEqual([]);
  });

  it("are waited for no longer than two minutes in all, so that there is time left to remove some", async () => {
    const { answer, asked, refuse } = anApiServer();
    const { objects, pauses } = await objectsOf(answer);
    refuse(() => 403);
    await expect(objects.apply(role)).rejects.toThrow("applying ClusterRole drainer: HTTP 403");
    expect(pauses.reduce((sum, one) => sum + one, 0)).toBe(minutes(2));

    const before = asked.length;
    await expect(objects.remove(role)).rejects.toThrow("removing ClusterRole drainer: HTTP 403");
    expect(asked.length).toBe(before + 1);
  });

  it("are waited for ten seconds at most by each call, for a server that is silent leaves no time else", async () => {
    const { answer } = anApiServer();
    const { objects, limits } = await objectsOf(answer);
    await objects.apply(role);
    await objects.remove(role);
    expect(limits).toEqual([seconds(10), seconds(10)]);
  });
});
