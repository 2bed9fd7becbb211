import { PatchStrategy, setHeaderOptions } from "@kubernetes/client-node";
import { expect, it, vi } from "vitest";
import { between, type Duration, never, seconds } from "../../lambda/base/time.ts";
import type { ActionRecord } from "../../sandbox/aws/lifecycle-action.ts";
import { asked, drained, granted } from "./drain-evidence.ts";
import type { DrainSite } from "./drain-site.ts";
import { patience } from "./site-pods.ts";
import { attachVolume, detachedLate, runWithVolume } from "./volumes.ts";

type Name = "reborn" | "silent" | "vacated" | "volumes";

const mergePatch = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);

const took = ({ startedAt, end }: ActionRecord): Duration =>
  end.kind === "ended" ? between(startedAt, end.at) : between(startedAt, never);

/** How a drain reacts to changes of its node. */
export function nodeFacts(site: (name: Name) => DrainSite): void {
  it.concurrent("whose kubelet is silent gives pods a second of grace, and waits for neither pods nor volumes", async () => {
    const at = site("silent");
    const { metadata, ...held } = at.pod("held");
    const finalizers = ["example.com/hold"];
    await at.run({ ...held, metadata: { ...metadata, finalizers } }, at.pod("web"));
    await runWithVolume(at, "data");
    await at.fallSilent();

    const { outcome, requests, stayed, action } = await at.drain();

    const stuck = expect.stringMatching(/^stuck since \S+, no longer waited for$/);
    expect(outcome).toEqual({
      ...drained,
      stuck: expect.arrayContaining([
        { about: "at-silent/data", why: stuck },
        {
          about: "at-silent/held",
          why: expect.stringMatching(
            /^stuck since \S+, no longer waited for, finalizers example\.com\/hold$/,
          ),
        },
        { about: "at-silent/web", why: stuck },
      ]),
    });
    expect(asked(requests)).toEqual(["evict data 201", "evict held 201", "evict web 201"]);
    expect(took(action)).toBeLessThan(seconds(45));
    expect(requests.map(({ grace }) => grace)).toEqual([1, 1, 1]);
    expect(stayed).toEqual(["data", "held", "web"]);
    expect(at.told("volumes-awaited")).toEqual([]);
  });

  it.concurrent("that a new node of the same name replaces midway marks and empties the new node", async () => {
    const at = site("reborn");
    await at.run(at.pod("web"));
    await at.holdBack("web");
    await at.terminate();
    await at.until("node-marked");
    const { metadata, spec } = await at.core.readNode({ name: at.name });
    await at.core.deleteNode({ name: at.name });
    await at.apply({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: at.name },
      ...{ spec: { providerID: spec?.providerID } },
    });
    await vi.waitFor(() => expect(at.told("node-marked")).toHaveLength(2), patience);
    await at.letGo();

    const { outcome, requests, stayed } = await at.drained();

    expect(outcome).toEqual(drained);
    expect(asked(granted(requests))).toEqual(["evict web 201"]);
    expect(stayed).toEqual([]);
    const node = await at.core.readNode({ name: at.name });
    expect(node.metadata?.uid).not.toBe(metadata?.uid);
    expect(node.spec?.unschedulable).toBe(true);
  });

  it.concurrent("waits until the volumes of its evicted pods are detached, ignores other volumes, and evicts pods that arrive meanwhile", async () => {
    const at = site("volumes");
    const data = await runWithVolume(at, "data");
    await runWithVolume(at, "kept", { annotations: { "eks-node-lifecycle/drain": "skip" } });
    await at.terminate();
    const { volumes } = await at.until("volumes-awaited");
    const left = Object.keys(await at.uids());
    await at.apply(at.pod("late"));
    await vi.waitFor(async () => expect(Object.keys(await at.uids())).toEqual(["kept"]), patience);
    const { end } = await detachedLate(at, data);

    const { outcome, requests } = await at.drained();

    expect(volumes).toEqual([data]);
    expect(left).toEqual(["kept"]);
    expect(end.kind).toBe("open");
    expect(outcome).toEqual(drained);
    expect(asked(requests)).toEqual(["evict data 201", "evict late 201"]);
  });

  it.concurrent("waits until volumes are detached whose pods left long before the drain, as its status tells", async () => {
    const at = site("vacated");
    await at.run(at.pod("web"));
    const old = await attachVolume(at, "old");
    const status = {
      volumesAttached: [{ name: `kubernetes.io/csi/ebs.csi.aws.com^${old}`, devicePath: "" }],
    };
    await at.core.patchNodeStatus({ name: at.name, body: { status } }, mergePatch);
    await at.terminate();
    const { volumes } = await at.until("volumes-awaited");
    const { end } = await detachedLate(at, old);

    const { outcome } = await at.drained();

    expect(volumes).toEqual([old]);
    expect(end.kind).toBe("open");
    expect(outcome).toEqual(drained);
  });
}
