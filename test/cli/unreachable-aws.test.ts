import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { main } from "../../cli/main.ts";
import { type CapturedIo, capturedIo } from "./captured-io.ts";
import { aSite } from "./connect/a-site.ts";
import { folderForTest } from "./folder-for-test.ts";

async function told(...argv: readonly string[]): Promise<CapturedIo> {
  const io = capturedIo();
  await main(argv, io);
  return io;
}

/** An account of which this computer knows nothing but what `config` says. */
function aStranger(config: string): void {
  const folder = folderForTest({ config });
  const env = {
    AWS_CONFIG_FILE: join(folder, "config"),
    AWS_SHARED_CREDENTIALS_FILE: "/nowhere",
    AWS_EC2_METADATA_DISABLED: "true",
    KUBECONFIG: undefined,
    HOME: folder,
    AWS_ACCESS_KEY_ID: undefined,
    AWS_SECRET_ACCESS_KEY: undefined,
    AWS_REGION: undefined,
    AWS_PROFILE: undefined,
  };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

const all = [
  ["dead-letters", "demo"],
  ["init", "demo"],
  ["doctor", "demo"],
  ["drain", "node-1", "--cluster", "demo"],
  ["evacuate", "demo", "--zone", "a"],
  ["logs", "i-07e9ea9eb19a67337", "--cluster", "demo"],
  ["plan", "demo"],
  ["status", "demo"],
  ["upgrade", "workers", "--cluster", "demo"],
];

describe.each(all)("%s", (...argv) => {
  it("says in the same words that no Region is known", async () => {
    aStranger("");

    const { err } = await told(...argv);

    expect(err()).toMatch(
      /^no Region of AWS is known; give --region, or set AWS_REGION or the profile/,
    );
  });

  it("says once that the credentials have expired, and what to do", async () => {
    const { aws } = await aSite();
    const expired = { status: 403, code: "ExpiredToken", message: "expired" };
    const actions = {
      autoscaling: ["DescribeAutoScalingGroups", "DescribeAutoScalingInstances"],
      cloudformation: ["DescribeStacks"],
      eks: ["DescribeCluster"],
    };
    for (const [service, those] of Object.entries(actions))
      for (const action of those) aws.faults.failNext({ service, action }, expired, { times: 100 });

    const io = await told(...argv);

    const words = io.both().match(/the credentials of AWS have expired/g);
    expect(words, io.both()).toHaveLength(1);
    expect(io.both()).toContain("sign in again");
  });
});

it("says that there is no kubeconfig, and what to give", async () => {
  aStranger("");

  const { err } = await told("plan", "ip-10-0-0-1.internal");

  expect(err()).toBe(
    "there is no kubeconfig: KUBECONFIG names none, and ~/.kube/config is not there; give --kubeconfig, or the cluster's name with --cluster\n",
  );
});
