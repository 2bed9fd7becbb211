import { beforeAll, describe, expect, it } from "vitest";
import { main } from "../../../cli/main.ts";
import { deployDemo } from "../../../cli/replay/deploy-demo.ts";
import type { ReplayRequest } from "../../../cli/replay/replay-request.ts";
import { runReplay } from "../../../cli/replay/replay-run.ts";
import { verdictOf } from "../../../cli/replay/verdict.ts";
import { seconds } from "../../../lambda/base/time.ts";
import { configMaps } from "../../../sandbox/kubernetes/core-resources.ts";
import { kubeEvents } from "../../../sandbox/kubernetes/kube-event.ts";
import { type Sandbox, startSandbox } from "../../../sandbox/sandbox.ts";
import { launchAction } from "../../../sandbox/scenarios/demo-action.ts";
import { demoNgLaunch } from "../../../sandbox/scenarios/demo-ng-launch.ts";
import { capturedIo } from "../captured-io.ts";
import { called, messagesOf, written } from "./replayed.ts";

const node = "ip-192-168-51-9.eu-west-1.compute.internal";
const entry = `- groups:
  - system:bootstrappers
  - system:nodes
  rolearn: arn:aws:iam::123456789012:role/eks-demo-node
  username: system:node:{{EC2PrivateDNSName}}
`;

function mapRolesIn({ cluster }: Sandbox): string {
  const ref = { resource: configMaps, namespace: "kube-system", name: "aws-auth" };
  const { mapRoles = "" } = cluster.store.get(ref).data ?? {};
  return mapRoles;
}

type Asked = Partial<Pick<ReplayRequest, "broken" | "launchTimeout">>;

/** Replays the saved event of the launching instance. */
async function theReplay({ broken = "nothing", launchTimeout = "as usual" }: Asked = {}) {
  const { group } = launchAction;
  const settings = { group, drainTimeout: "as usual", launchTimeout } as const;
  const sandbox = await startSandbox(demoNgLaunch(broken), await deployDemo(settings));
  try {
    const before = mapRolesIn(sandbox);
    const request = {
      event: "events/demo-ng-launch.json",
      messages: messagesOf("demo-ng-launch"),
      action: launchAction,
      via: "queue",
      broken,
      ...settings,
      timeout: seconds(60),
      format: "text",
      page: "",
    } as const;
    const result = await runReplay(sandbox, request, new AbortController().signal);
    return { sandbox, before, after: mapRolesIn(sandbox), verdict: verdictOf(result) };
  } finally {
    await sandbox.close();
  }
}

describe("the replay of a launching instance", () => {
  let replay: Awaited<ReturnType<typeof theReplay>>;
  beforeAll(async () => {
    replay = await theReplay();
  });

  it("adds its role to aws-auth like a managed node group, and writes nothing else", () => {
    expect(replay.before).toMatch(/^- rolearn: .*eks-node-lifecycle-demo\n/);
    expect(replay.after).toBe(replay.before + entry);
    expect(written(replay.sandbox)).toEqual(["update configmaps kube-system/aws-auth: 200"]);
    const events = replay.sandbox.cluster.store.list(kubeEvents);
    expect(events.filter(({ regarding }) => regarding.name === "aws-auth")).toMatchObject([
      { reason: "NodeRoleMapped", metadata: { namespace: "kube-system" } },
    ]);
  });

  it("lets the instance go into service once its node is ready, with the token of the event", () => {
    expect(replay.sandbox.aws.autoScaling.actions()).toMatchObject([
      {
        token: "c48e2b7f-1d05-4a93-8e6c-90f7a3d15b28",
        end: { kind: "ended", result: "CONTINUE", by: "call" },
      },
    ]);
    expect(called(replay.sandbox)).toContain("GetInstanceProfile");
  });

  it("says so", () => {
    expect(replay.verdict.exitCode).toBe(0);
    expect(replay.verdict.line).toMatch(
      new RegExp(`^${node.split(".")[0]} joined and is ready in .*CONTINUE$`),
    );
  });
});

// These tests spend most of their time waiting.
describe("the replay of a launch with something broken", { concurrent: true }, () => {
  it("says that the node has not joined when the kubelet never registers", async ({ expect }) => {
    const { verdict, sandbox } = await theReplay({ broken: "no-node", launchTimeout: seconds(30) });

    expect(verdict.exitCode).toBe(3);
    expect(verdict.line).toMatch(/^not joined in time: .*; the hook was completed with /);
    expect(sandbox.aws.autoScaling.actions()).toMatchObject([{ end: { by: "call" } }]);
  });

  it("says that the cluster refuses the function when aws-auth does not map it", async ({
    expect,
  }) => {
    const { verdict, before, after } = await theReplay({ broken: "token-refused" });

    expect(verdict.exitCode).toBe(1);
    expect(verdict.line).toMatch(/^cluster\.unauthorized: /);
    expect(after).toBe(before);
  });

  it("touches nothing when somebody has completed the hook", async ({ expect }) => {
    const { verdict, before, after } = await theReplay({ broken: "hook-completed" });

    expect(verdict.exitCode).toBe(3);
    expect(verdict.line).toMatch(/^ignored: /);
    expect(after).toBe(before);
  });

  it("is refused when the chosen breakage affects only drains", async ({ expect }) => {
    const io = capturedIo();

    const event = "events/demo-ng-launch.json";
    expect(await main(["replay", event, "--break", "budget-blocked"], io)).toBe(2);

    expect(io.err()).toContain("--break budget-blocked holds up a drain");
  });
});
