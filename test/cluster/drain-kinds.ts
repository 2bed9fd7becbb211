import { expect, it } from "vitest";
import { asked, drained, onlyOn } from "./drain-evidence.ts";
import type { DrainSite } from "./drain-site.ts";
import { daemonSet, deployment } from "./manifests.ts";
import { runStaticPod } from "./static-pod.ts";

type Name = "left" | "orphan" | "tolerant";

const everything = { tolerations: [{ operator: "Exists" }] };
const once = { restartPolicy: "Never" };

/** Which pods the drain evicts from a node, and which it leaves there. */
export function kindsOfPods(site: (name: Name) => DrainSite): void {
  it.concurrent("leaves mirror pods, ended pods, pods of DaemonSets and pods with the annotation to skip them", async () => {
    const at = site("left");
    const skip = { annotations: { "eks-node-lifecycle/drain": "skip" } };
    await at.apply(daemonSet({ name: "agent", namespace: at.name, spec: onlyOn(at.name) }));
    await at.settled("agent", 1);
    await runStaticPod(at, "static");
    await at.run(at.pod("web"), at.pod("kept", skip));
    await at.apply(at.pod("done", { spec: once, annotations: { "hollow/exit.main": "1" } }));
    await at.inPhase("done", "Succeeded");

    const { outcome, requests, stayed } = await at.drain();

    expect(outcome).toEqual(drained);
    expect(asked(requests)).toEqual(["evict web 201"]);
    expect(stayed).toEqual([expect.stringMatching(/^agent-/), "done", "kept", `static-${at.name}`]);
  });

  it.concurrent("evicts a pod whose DaemonSet is gone", async () => {
    const at = site("orphan");
    await at.apply(daemonSet({ name: "agent", namespace: at.name, spec: onlyOn(at.name) }));
    await at.settled("agent", 1);
    const [orphan] = await at.pods();
    await at.world.controlPlane.kubectlText("delete", "daemonset/agent", `--namespace=${at.name}`);

    const { outcome, requests, stayed } = await at.drain();

    expect(outcome).toEqual(drained);
    expect(requests).toEqual([
      expect.objectContaining({ verb: "evict", uid: orphan?.metadata?.uid, code: 201 }),
    ]);
    expect(orphan?.metadata?.ownerReferences).toMatchObject([{ kind: "DaemonSet" }]);
    expect(stayed).toEqual([]);
  });

  it.concurrent("evicts a pod that tolerates everything once, and neither evicts nor awaits its replacement there", async () => {
    const at = site("tolerant");
    const spec = { ...onlyOn(at.name), ...everything };
    await at.apply(deployment({ name: "web", namespace: at.name, spec }));
    await at.run(at.pod("slow", { annotations: { "hollow/term-seconds": "8" } }));
    await at.settled("web", 1);
    const before = (await at.pods()).find(({ metadata }) => metadata?.name !== "slow");

    const { outcome, requests, stayed } = await at.drain();

    expect(outcome).toEqual(drained);
    expect(requests.filter(({ pod }) => pod !== "slow")).toEqual([
      expect.objectContaining({ verb: "evict", uid: before?.metadata?.uid, code: 201 }),
    ]);
    expect(stayed).toEqual([expect.stringMatching(/^web-/)]);
    expect(stayed).not.toContain(before?.metadata?.name);
  });
}
