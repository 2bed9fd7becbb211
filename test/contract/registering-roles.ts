import {
  CoreV1Api,
  EventsV1Api,
  type EventsV1Event,
  type V1ConfigMap,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import type { NodeRole } from "../../lambda/launch/node-mapping.ts";
import { account, arnOf } from "../launch/aws-auth/corpus.ts";
import type { AccessStage } from "./access-stage.ts";
import { ifThere } from "./if-there.ts";

const place = { name: "aws-auth", namespace: "kube-system" };
const linux: NodeRole = { arn: `arn:aws:iam::${account}:role/team/node`, platform: "linux" };
const windows: NodeRole = { ...linux, platform: "windows" };
const admin = `# by hand\n- rolearn: ${arnOf("admin")}\n  username: admin\n  groups: [system:masters]\n`;
const entry = `- groups:
  - system:bootstrappers
  - system:nodes
  rolearn: ${arnOf("node")}
  username: system:node:{{EC2PrivateDNSName}}
`;

const mapRolesOf = ({ data }: V1ConfigMap): string => {
  const { mapRoles = "" } = data ?? {};
  return mapRoles;
};

/** How roles are registered in `aws-auth` while others write it too. */
export function registeringRoles(start: () => Promise<AccessStage>): void {
  let stage: AccessStage;
  beforeAll(async () => {
    stage = await start();
  }, 120_000);
  afterAll(async () => stage.stop());

  const core = () => stage.administrator.api(CoreV1Api);
  const read = () => core().readNamespacedConfigMap(place);
  const versionOf = ({ metadata }: V1ConfigMap) => metadata?.resourceVersion;

  beforeEach(async () => {
    await ifThere(core().deleteNamespacedConfigMap(place));
  });

  const put = (data: Readonly<Record<string, string>>, more: Partial<V1ConfigMap> = {}) => {
    const body = { ...more, metadata: { ...more.metadata, ...place }, data: { ...data } };
    return core().createNamespacedConfigMap({ ...place, body });
  };

  /** The Events of a reason at the map that has this UID. */
  async function told(reason: string, uid = ""): Promise<readonly EventsV1Event[]> {
    const events = stage.administrator.api(EventsV1Api);
    const { items } = await events.listNamespacedEvent({ namespace: place.namespace });
    return items.filter((event) => event.reason === reason && event.regarding?.uid === uid);
  }

  it("makes the map where there is none", async () => {
    const access = await stage.process().register(linux);

    const map = await read();
    expect(map.data).toEqual({ mapRoles: entry });
    expect(access).toEqual({ by: "aws-auth", change: "added", version: versionOf(map) });
  });

  it("adds to a map that has no roles yet", async () => {
    await put({ mapUsers: "[]" });

    await stage.process().register(linux);

    expect((await read()).data).toEqual({ mapUsers: "[]", mapRoles: entry });
  });

  it("leaves everything else in the map as it is", async () => {
    const data = { mapRoles: admin, mapUsers: "# users\n- {", mapAccounts: '- "1"', other: "x" };
    const labels = { team: "blue" };
    const before = await put(data, { metadata: { labels, annotations: { note: "a" } } });

    await stage.process().register(linux);

    const { data: now, metadata } = await read();
    expect(now).toEqual({ ...data, mapRoles: admin + entry });
    expect(metadata).toMatchObject({ uid: before.metadata?.uid, labels });
    expect(metadata?.annotations).toEqual({ note: "a" });
  });

  it("writes nothing if the role is already mapped", async () => {
    const before = await put({ mapRoles: admin + entry });

    const access = await stage.process().register(linux);

    expect(access).toEqual({ by: "aws-auth", change: "none", version: versionOf(before) });
    expect(versionOf(await read())).toBe(versionOf(before));
  });

  it("gives a role one entry, however many launches need it", async () => {
    const process = stage.process();

    await Promise.all([
      process.register(windows),
      process.register(linux),
      process.register(linux),
    ]);

    expect((await read()).data).toEqual({
      mapRoles: entry.replace("  rolearn", "  - eks:kube-proxy-windows\n  rolearn"),
    });
  });

  it("records an event on the map with the role that it added", async () => {
    await stage.process().register(linux);

    const { metadata } = await read();
    expect(await told("NodeRoleMapped", metadata?.uid)).toMatchObject([
      {
        type: "Normal",
        regarding: { kind: "ConfigMap", ...place },
        reportingController: "eks-node-lifecycle",
        note: expect.stringContaining(linux.arn),
      },
    ]);
  });

  it.each([
    [
      "access.unreadable",
      `${admin}- {`,
      /mapRoles: line 5(?:, from .* on,)? belongs neither .* or add this entry by hand, .*: \{"groups": \["system:bootstrappers"/,
    ],
    ["access.taken", admin.replace("admin", "node"), /mapRoles: line 2 maps it to "admin"/],
    [
      "access.taken",
      admin.replace("role/admin", "role/node").replace(": admin", ": system:node:x"),
      /mapRoles: the entry in line 2 lacks system:bootstrappers, system:nodes/,
    ],
  ])(
    "is a fault with one event on the map, and writes nothing: %s",
    async (code, mapRoles, why) => {
      const before = await put({ mapRoles });
      const process = stage.process();

      for (const role of [linux, windows])
        await expect(process.register(role)).rejects.toMatchObject({
          code,
          message: expect.stringMatching(why),
        });

      expect(versionOf(await read())).toBe(versionOf(before));
      expect(await told("NodeRoleNotMapped", before.metadata?.uid)).toMatchObject([
        { type: "Warning", note: expect.stringMatching(why) },
      ]);
    },
  );

  it("refuses what is not the ARN of a role", async () => {
    const arn = `arn:aws:iam::${account}:instance-profile/node`;

    await expect(stage.process().register({ ...linux, arn })).rejects.toMatchObject({
      code: "aws.refused",
    });
  });

  it("loses no entry when fifty launches of three roles and a manual editor write at once", async () => {
    const byHand = Array.from({ length: 20 }, (_, at) => `by-hand-${at}`);
    const roles = ["one", "two", "three"].map((name) => arnOf(name));
    await put({ mapRoles: admin });
    const processes = Array.from({ length: 10 }, () => stage.process());

    const [accesses] = await Promise.all([
      Promise.all(
        Array.from({ length: 50 }, async (_, at) => {
          const arn = roles[at % roles.length] ?? "";
          return processes[at % processes.length]?.register({ arn, platform: "linux" });
        }),
      ),
      writeByHand(byHand),
    ]);

    const mapRoles = mapRolesOf(await read());
    const everybody = [arnOf("admin"), ...roles, ...byHand.map((name) => arnOf(name))];
    const mapped = [...mapRoles.matchAll(/^(?:- | {2})rolearn: (.*)$/gm)].map(
      ([, arn = ""]) => arn,
    );
    expect(new Set(mapped)).toEqual(new Set(everybody));
    expect(mapped).toHaveLength(everybody.length);
    expect(mapRoles).toContain("# by hand\n");
    expect(accesses.filter((access) => access?.change === "added")).toHaveLength(roles.length);
  });

  /** Adds one entry after the other by hand, as soon as the map allows it. */
  async function writeByHand(names: readonly string[]): Promise<void> {
    for (const name of names) {
      for (let written = false; !written; ) {
        const map = await read();
        const added = `- rolearn: ${arnOf(name)}\n  username: ${name}\n  groups: []\n`;
        const body = { ...map, data: { mapRoles: mapRolesOf(map) + added } };
        written = await core()
          .replaceNamespacedConfigMap({ ...place, body })
          .then(
            () => true,
            () => false,
          );
      }
    }
  }
}
