import type { RequestListener } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { accessManifests } from "../../cli/manifests/access-manifests.ts";
import { type OpenConnection, openCluster } from "../../lambda/aws/eks-cluster-client.ts";
import { sleepFor } from "../../lambda/base/clock.port.ts";
import { accessTimeoutSeconds } from "../../lambda/base/contract.ts";
import { Fault } from "../../lambda/base/fault.ts";
import { between, type Duration, milliseconds, minutes, seconds } from "../../lambda/base/time.ts";
import {
  KubeAccessObjects,
  type KubeAccessObjectsOptions,
} from "../../lambda/kubernetes/kube-access-objects.ts";
import type { ClusterObject } from "../../lambda/rights/cluster-object.ts";
import { grantAccess } from "../../lambda/rights/grant-access.flow.ts";
import { rightsParts } from "../../lambda/rights/rights.ts";
import { readRights } from "../../lambda/rights/rights-schema.ts";
import { startSilentServer } from "../../sandbox/servers/silent-server.ts";
import { AccessServer } from "../aws/access-server.ts";
import { account, aServedAccount, start } from "../support/aws-account.ts";
import { serve } from "../support/loopback.ts";
import { QuickClock } from "../support/quick-clock.ts";
import { openedForTest } from "./opened-for-test.ts";

const role: ClusterObject = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  name: "drainer",
  namespace: "",
  body: { kind: "ClusterRole" },
};
const binding: ClusterObject = { ...role, kind: "RoleBinding", namespace: "kube-system" };

const group = "/apis/rbac.authorization.k8s.io/v1";
const path = `${group}/clusterroles/drainer`;
const anotherClaim = "eks-node-lifecycle/owner-another";
const another = { [anotherClaim]: "another" };

/** The objects of a cluster as the deployer writes them, with a clock whose sleeps take no time. */
async function objectsOf(answer: RequestListener, owner = "own") {
  const { url, certificateAuthority = "", close } = await serve("h2", answer);
  onTestFinished(close);
  return objectsAt(url.href, certificateAuthority, { owner });
}

async function objectsAt(
  endpoint: string,
  certificateAuthority: string,
  how: Partial<Pick<KubeAccessObjectsOptions, "owner" | "limits">>,
) {
  const { aws, eks } = await aServedAccount();
  const clusterName = "demo";
  aws.eks.createCluster({
    name: clusterName,
    version: "1.36",
    endpoint,
    certificateAuthority,
    authenticationMode: "API",
  });
  const clock = new QuickClock();
  const limits: (Duration | undefined)[] = [];
  const open: OpenConnection = (address, token) => {
    const opened = openedForTest(address, token);
    const send = opened.send.bind(opened);
    opened.send = (request, bounds) => {
      limits.push(bounds?.limit);
      return send(request, bounds);
    };
    return opened;
  };
  const client = openCluster({ eks, clusterName, region: account.region, clock, open });
  const objects = new KubeAccessObjects({ client, owner: "own", clock, ...how });
  return { objects, pauses: clock.slept, limits };
}

describe("the objects of a cluster", () => {
  it("are applied at their paths, and the result says which are new", async () => {
    const server = new AccessServer();
    const { objects } = await objectsOf(server.answer);
    expect(await objects.apply(role)).toBe("created");
    expect(await objects.apply(role)).toBe("changed");
    expect(await objects.apply(binding)).toBe("created");
    expect(server.asked).toEqual([
      `APPLY ${path}`,
      `APPLY ${path}`,
      `APPLY ${group}/namespaces/kube-system/rolebindings/drainer`,
    ]);
  });

  it("are removed, and may already be gone", async () => {
    const server = new AccessServer();
    const { objects } = await objectsOf(server.answer);
    await objects.apply(role);
    await objects.remove(role);
    expect(server.claims(path)).toBeUndefined();
    await expect(objects.remove(role)).resolves.toBeUndefined();
  });

  it("list their claimants, each by its own name", async () => {
    const server = new AccessServer();
    const [one, two] = [
      await objectsOf(server.answer, "one"),
      await objectsOf(server.answer, "two"),
    ];
    expect(await one.objects.own(role)).toBe("gone");
    await one.objects.apply(role);
    expect(await one.objects.own(role)).toBe("owned");
    expect(await two.objects.own(role)).toBe("owned");
    expect(server.claims(path)).toEqual(["one", "two"]);
    await one.objects.disown(role);
    expect(server.claims(path)).toEqual(["two"]);
  });

  it("say what the claims of others are, and have none where they are not there", async () => {
    const server = new AccessServer();
    const { objects } = await objectsOf(server.answer);
    expect(await objects.claims(role)).toEqual([]);
    server.write(path, { ...another, "example.com/owner": "nobody" });
    await objects.own(role);
    expect(await objects.claims(role)).toEqual(["another", "own"]);
  });

  it("stay while another claims them, and go with the last claim", async () => {
    const server = new AccessServer();
    const [one, two] = [
      await objectsOf(server.answer, "one"),
      await objectsOf(server.answer, "two"),
    ];
    await one.objects.apply(role);
    for (const { objects } of [one, two]) await objects.own(role);
    await one.objects.remove(role);
    expect(server.claims(path)).toEqual(["two"]);
    await one.objects.remove(role);
    expect(server.claims(path)).toEqual(["two"]);
    await two.objects.remove(role);
    expect(server.claims(path)).toBeUndefined();
  });

  it("stay when another claims them just before the removal", async () => {
    const server = new AccessServer();
    const { objects } = await objectsOf(server.answer);
    await objects.apply(role);
    await objects.own(role);
    server.before((what) => {
      if (what === "DELETE") server.write(path, another);
    });
    await objects.remove(role);
    expect(server.claims(path)).toEqual(["another"]);
  });

  it("are removed by the later of two parallel removals, although each has seen the other's claim", async () => {
    const server = new AccessServer();
    const { objects } = await objectsOf(server.answer);
    await objects.apply(role);
    await objects.own(role);
    server.write(path, another);
    server.before((what) => {
      if (what === "MERGE") server.write(path, { [anotherClaim]: null });
    });
    await objects.remove(role);
    expect(server.claims(path)).toBeUndefined();
  });

  it("stay when new objects have taken their names meanwhile", async () => {
    const server = new AccessServer();
    const { objects } = await objectsOf(server.answer);
    await objects.apply(role);
    let met = false;
    server.before((what) => {
      if (what !== "DELETE" || met) return;
      met = true;
      server.remove(path);
      server.write(path, another);
    });
    await objects.remove(role);
    expect(server.claims(path)).toEqual(["another"]);
  });

  it("cannot be removed while others keep writing them", async () => {
    const server = new AccessServer();
    const { objects } = await objectsOf(server.answer);
    await objects.apply(role);
    server.before((what) => {
      if (what === "DELETE") server.write(path);
    });
    await expect(objects.remove(role)).rejects.toMatchObject({
      code: "cluster.refused",
      message: expect.stringContaining("removing ClusterRole drainer: others kept writing it"),
    });
  });

  it("cannot be read from an answer that is not an object", async () => {
    const { objects } = await objectsOf((_, response) => response.end("[]"));
    await expect(objects.remove(role)).rejects.toMatchObject({ code: "cluster.refused" });
  });

  it("are tried again until the API server knows the new access entry", async () => {
    const server = new AccessServer();
    const { objects, pauses } = await objectsOf(server.answer);
    let refused = 0;
    server.refuse(() => {
      refused += 1;
      return refused < 4 ? 403 : undefined;
    });
    expect(await objects.apply(role)).toBe("created");
    expect(pauses).toEqual([seconds(5), seconds(5), seconds(5)]);
  });

  it("fail at once where waiting does not help", async () => {
    const server = new AccessServer();
    const { objects, pauses } = await objectsOf(server.answer);
    server.refuse(() => 422);
    await expect(objects.apply(role)).rejects.toThrow("applying ClusterRole drainer: HTTP 422");
    expect(pauses).toEqual([]);
  });

  it("are tried for two minutes in all at most, so that time is left to remove some", async () => {
    const server = new AccessServer();
    const { objects, pauses } = await objectsOf(server.answer);
    server.refuse(() => 403);
    await expect(objects.apply(role)).rejects.toThrow("applying ClusterRole drainer: HTTP 403");
    expect(pauses.reduce((sum, one) => sum + one, 0)).toBe(minutes(2));

    const before = server.asked.length;
    await expect(objects.remove(role)).rejects.toThrow("removing ClusterRole drainer: HTTP 403");
    expect(server.asked.length).toBe(before + 1);
  });

  it("get seven seconds for each call, because a silent server would otherwise take all the time", async () => {
    const { objects, limits } = await objectsOf(new AccessServer().answer);
    await objects.apply(role);
    await objects.own(role);
    await objects.remove(role);
    expect(limits).toEqual([seconds(7), seconds(7), seconds(7), seconds(7)]);
  });
});

/** A cluster that gives a few answers, and then leaves every request waiting. */
function aClusterThatFallsSilent(after: number) {
  const clock = new QuickClock();
  let asked = 0;
  const ask = async (doing: string): Promise<unknown> => {
    asked += 1;
    if (asked <= after) return { status: 201, body: "" };
    await sleepFor(seconds(7), clock);
    throw new Fault("cluster.unreachable", `${doing}: no answer`);
  };
  const client = { ask } as KubeAccessObjectsOptions["client"];
  const objects = new KubeAccessObjects({ client, owner: "own", clock });
  return { objects, took: () => between(start, clock.now()) };
}

describe("a cluster that cannot be reached", () => {
  const limits = {
    ownTaint: "",
    account: "",
    nodeRoles: [],
    outOfService: "never",
    makeRoom: "off",
    conditions: "off",
    force: "never",
  } as const;
  // A deployment has this right or that to delete pods, and never both.
  const parts = rightsParts.filter((part) => part !== "agent-restart");
  const all = readRights(accessManifests(), { ...limits, parts });
  const timeout = seconds(accessTimeoutSeconds);

  it.each([0, 1, all.wanted.length, 2 * all.wanted.length - 1])(
    "is reported in the deployer's time, after all that was applied is removed: silent after %i answers",
    async (after) => {
      const { objects, took } = aClusterThatFallsSilent(after);
      await expect(grantAccess({ ...all, ifItFails: "undo" }, objects)).rejects.toMatchObject({
        code: "cluster.unreachable",
      });
      expect(took()).toBeGreaterThan(minutes(2));
      expect(took()).toBeLessThanOrEqual(timeout - seconds(30));
    },
  );

  it("is reported in time when everything has to be removed", async () => {
    const { objects, took } = aClusterThatFallsSilent(0);
    const change = { wanted: [], unwanted: all.wanted, ifItFails: "keep" } as const;
    await expect(grantAccess(change, objects)).rejects.toMatchObject({
      code: "cluster.unreachable",
      message: expect.stringContaining(
        "removing ClusterRoleBinding eks-node-lifecycle-node-removal",
      ),
    });
    expect(took()).toBeLessThanOrEqual(timeout - seconds(30));
  });

  it("is reported as one that accepts a connection and never answers", async () => {
    const silent = await startSilentServer();
    onTestFinished(() => silent.close());
    const limits = { all: milliseconds(60), answer: milliseconds(50), rest: milliseconds(20) };
    const { objects, pauses } = await objectsAt(silent.url, "", { limits });
    await expect(objects.apply(role)).rejects.toMatchObject({
      code: "cluster.unreachable",
      message: expect.stringContaining("applying ClusterRole drainer: PATCH /apis/"),
    });
    expect(pauses).toEqual([limits.rest, limits.rest, limits.rest]);
  });
});
