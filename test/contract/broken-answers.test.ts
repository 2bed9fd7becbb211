import { afterAll, it as base, beforeAll, describe, expect, onTestFinished, vi } from "vitest";
import { instanceId, type NodeName } from "../../lambda/base/ids.ts";
import { seconds } from "../../lambda/base/time.ts";
import { Wakeup } from "../../lambda/base/wakeup.ts";
import type { DrainView } from "../../lambda/drain/drain.port.ts";
import { shuttingDown } from "../../sandbox/kubernetes/api/planned-faults.ts";
import { pods } from "../../sandbox/kubernetes/core-resources.ts";
import { theDeprived, theFunction } from "./identities.ts";
import { type SandboxStage, startSandboxStage } from "./sandbox-stage.ts";
import { patience } from "./scene.ts";
import { sceneTest } from "./scene-test.ts";

let stage: SandboxStage;
beforeAll(async () => {
  stage = await startSandboxStage();
});
afterAll(async () => stage.stop());
const it = sceneTest(() => stage);

const on = (node: NodeName) => ({ spec: { nodeName: node } });
const shows = (view: DrainView, ...names: readonly string[]) =>
  vi.waitFor(
    () =>
      expect(
        view
          .pods()
          .map(({ name }) => name)
          .toSorted(),
      ).toEqual(names),
    patience,
  );

/** The verbs of a scene's requests for the pods of a node, from some point on. */
const asked = (node: NodeName, from: number) =>
  stage.sandbox.audit
    .slice(from)
    .filter(({ requestURI }) => requestURI.includes(node))
    .map(({ verb }) => verb);

describe("a view of a node's pods", () => {
  it("goes on without a new list when the connection breaks", async ({ scene }) => {
    const { node, view } = await scene.follow((await scene.node()).name);
    const from = stage.sandbox.audit.length;

    await stage.dropConnections();
    await stage.administrator.make(scene.manifest("meanwhile", on(node)));

    await shows(view, "meanwhile");
    expect(asked(node, from)).toEqual(["watch"]);
  });

  it("lists again when its resource version is too old to go on from", async ({ scene }) => {
    const { node, view, wakeup } = await scene.follow((await scene.node()).name);
    await stage.administrator.make(scene.manifest("first", on(node)));
    await shows(view, "first");
    const from = stage.sandbox.audit.length;

    const { sandbox } = stage;
    const { namespace } = scene;
    const dropped = stage.dropConnections();
    // At once, for the view follows the pods again as soon as it can.
    sandbox.store.remove({ resource: pods, namespace, name: "first" });
    sandbox.addPod({ name: "second", namespace, node });
    sandbox.store.compact();
    wakeup.consume();
    await dropped;

    await shows(view, "second");
    expect(wakeup.consume()).toBe(true);
    expect(asked(node, from)).toContain("list");
    await stage.administrator.make(scene.manifest("third", on(node)));
    await shows(view, "second", "third");
  });

  it("begins the list again when that becomes too old between its pages", async ({ scene }) => {
    const expired = {
      kind: "Status",
      apiVersion: "v1",
      status: "Failure",
      message: "The provided continue parameter is too old",
      reason: "Expired",
      code: 410,
    };
    const { name } = await scene.node();
    await stage.administrator.make(scene.manifest("web", on(name)));
    stage.sandbox.failNext({ verb: "list", plural: "pods" }, { status: 410, body: expired });

    const view = await scene.cluster.follow(name, new Wakeup());

    view.close();
    expect(view.pods()).toMatchObject([{ name: "web" }]);
  });

  it("leaves no watch behind where it cannot start", async ({ scene }) => {
    const { name } = await scene.node();
    const { role = "" } = theDeprived.get("list pods") ?? {};
    const refused = stage.caller(role).cluster.follow(name, new Wakeup());
    await expect(refused).rejects.toMatchObject({ code: "cluster.forbidden" });

    await stage.dropConnections();

    await new Promise((resolve) => setTimeout(resolve, 1500));
    const watches = stage.sandbox.audit.filter(
      ({ user, verb }) => user.username === role && verb === "watch",
    );
    expect(watches.length).toBeLessThanOrEqual(1);
  });
});

describe("an eviction whose answer is lost", () => {
  it("is unclear, although the API server evicted the pod", async ({ scene }) => {
    const pod = await scene.running("web");
    const { namespace } = scene;
    stage.sandbox.failNext({ namespace, subresource: "eviction" }, "reset", { when: "after" });

    const answer = await scene.cluster.evict(pod, "own");

    expect(answer).toMatchObject({ kind: "unclear" });
    await scene.gone("web");
    expect(
      stage.sandbox.audit.filter(({ requestURI }) =>
        requestURI.includes(`${namespace}/pods/web/ev`),
      ),
    ).toHaveLength(1);
  });

  it("is throttled by a server that shuts down, and works later", async ({ scene }) => {
    const pod = await scene.running("web");
    const { namespace } = scene;
    stage.sandbox.failNext({ namespace, subresource: "eviction" }, shuttingDown);

    await expect(scene.cluster.evict(pod, "own")).resolves.toEqual({
      kind: "throttled",
      message: "The apiserver is shutting down, please try again later.",
      retryAfter: seconds(5),
    });

    await expect(scene.cluster.evict(pod, "own")).resolves.toEqual({ kind: "accepted" });
  });
});

describe("a server that shows another authority's certificate", () => {
  base("is found again through what EKS says of it", async () => {
    const rotating = await startSandboxStage();
    onTestFinished(() => rotating.stop());
    const { cluster } = rotating.caller(theFunction.role);
    await expect(cluster.findNode(instanceId("i-0"), [])).resolves.toBe("absent");

    await rotating.rotateCertificate();

    await expect(cluster.findNode(instanceId("i-0"), [])).resolves.toBe("absent");
  });
});
