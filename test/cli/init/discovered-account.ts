import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it as base, vi } from "vitest";
import { groupDefaults } from "../../../sandbox/aws/group.ts";
import { account, aServedAccount } from "../../support/aws-account.ts";
import { type CapturedIo, capturedIo } from "../captured-io.ts";
import { awsEnvironment } from "../connect/aws-environment.ts";

const tagged = (key: string, value: string) => ({ key, value, propagated: true });
/** The tag of a group of the cluster. */
export const owned = tagged("kubernetes.io/cluster/demo", "owned");

/** An account with a cluster and groups that the SDK finds by the environment; an empty folder. */
async function surroundings() {
  const { aws, server, key } = await aServedAccount();
  aws.eks.createCluster({
    name: "demo",
    version: "1.36",
    endpoint: "https://127.0.0.1:6443",
    certificateAuthority: "",
    authenticationMode: "API",
  });
  const zones = ["eu-west-1a"];
  const role = aws.iam.createRole({ name: "nodes", path: "/team/" });
  const { arn: profileArn } = aws.iam.createInstanceProfile({ name: "own", path: "/a/" }, [role]);
  const template = { ...groupDefaults.template, profileArn };
  aws.autoScaling.createGroup({ name: "workers", zones, tags: [owned], template });
  aws.autoScaling.createGroup({ name: "other", zones });
  const tags = [owned, tagged("eks:nodegroup-name", "ng")];
  aws.autoScaling.createGroup({ name: "eks-ng", zones, tags });
  for (const [name, value] of Object.entries(awsEnvironment(server.url, account.region, key)))
    vi.stubEnv(name, value);
  const cwd = mkdtempSync(join(tmpdir(), "init-"));
  return { aws, template, io: capturedIo({ cwd }), cwd, path: join(cwd, "clusters", "demo.json") };
}

/** The remarks of `init`; the cluster itself cannot be reached. */
export const notes = (io: CapturedIo): string =>
  io
    .err()
    .split("\n")
    .filter((line) => line.startsWith("note: "))
    .map((line) => `${line}\n`)
    .join("");

/** What a test of `init` finds. */
export type Surroundings = Awaited<ReturnType<typeof surroundings>>;

/** A test in an account with a cluster. */
export const it = base.extend<{ world: Surroundings }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern what a fixture needs.
  world: async ({}, use) => {
    const world = await surroundings();
    await use(world);
    vi.unstubAllEnvs();
    rmSync(world.cwd, { recursive: true });
  },
});
