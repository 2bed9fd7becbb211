import { describe, it } from "vitest";
import { deployDemo } from "../../../cli/replay/deploy-demo.ts";
import type { ReplayRequest } from "../../../cli/replay/replay-request.ts";
import { runReplay } from "../../../cli/replay/replay-run.ts";
import { verdictOf } from "../../../cli/replay/verdict.ts";
import { seconds } from "../../../lambda/base/time.ts";
import { configMaps } from "../../../sandbox/kubernetes/core-resources.ts";
import { type Sandbox, startSandbox } from "../../../sandbox/sandbox.ts";
import { launchAction } from "../../../sandbox/scenarios/demo-action.ts";
import { demoNgLaunch } from "../../../sandbox/scenarios/demo-ng-launch.ts";
import { messagesOf, written } from "./replayed.ts";

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

// These tests spend most of their time waiting.
describe("the replay of a launching instance", { concurrent: true }, () => {
  it("adds its role to aws-auth, writes nothing else, and lets it go into service", async ({
    expect,
  }) => {
    const { sandbox, before, after, verdict } = await theReplay();

    expect(before).toMatch(/^- rolearn: .*eks-node-lifecycle-demo\n/);
    expect(after).toBe(before + entry);
    expect(written(sandbox)).toEqual(["update configmaps kube-system/aws-auth: 200"]);
    expect(sandbox.aws.autoScaling.actions()).toMatchObject([
      {
        token: "c48e2b7f-1d05-4a93-8e6c-90f7a3d15b28",
        end: { kind: "ended", result: "CONTINUE", by: "call" },
      },
    ]);
    expect(verdict.exitCode).toBe(0);
    expect(verdict.line).toMatch(/^ip-192-168-51-9 joined and is ready in .*CONTINUE$/);
  });

  it.for([
    ["no-node", 3, /^not joined in time: .*; the hook was completed with /],
    ["token-refused", 1, /^cluster\.unauthorized: /],
    ["hook-completed", 3, /^ignored: /],
  ] as const)("says what is broken: %s", async ([broken, exitCode, line], { expect }) => {
    const { verdict, before, after } = await theReplay({ broken, launchTimeout: seconds(30) });

    expect(verdict.exitCode).toBe(exitCode);
    expect(verdict.line).toMatch(line);
    if (broken !== "no-node") expect(after).toBe(before);
  });
});
