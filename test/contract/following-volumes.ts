import { createHash } from "node:crypto";
import { describe, expect, vi } from "vitest";
import { nodeName } from "../../lambda/base/ids.ts";
import { Wakeup } from "../../lambda/base/wakeup.ts";
import { patience, type Scene } from "./scene.ts";
import { sceneTest } from "./scene-test.ts";
import type { Stage } from "./stage.ts";

const storage = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

const volumeFor = (
  claimRef: { readonly namespace: string; readonly name: string },
  name: string,
) => ({
  apiVersion: "v1",
  kind: "PersistentVolume",
  metadata: { name },
  spec: {
    accessModes: storage.accessModes,
    capacity: storage.resources.requests,
    storageClassName: "none",
    claimRef,
    hostPath: { path: "/data" },
  },
});

/** What the function knows about volumes. */
export const followingVolumes = (stage: () => Stage) =>
  describe("following volumes", () => {
    const it = sceneTest(stage);

    const attachment = (scene: Scene, name = scene.namespace) => ({
      apiVersion: "storage.k8s.io/v1",
      kind: "VolumeAttachment",
      metadata: { name, finalizers: ["example.com/driver"] },
      spec: {
        attacher: "ebs.csi.aws.com",
        nodeName: stage().nodes[0],
        source: { persistentVolumeName: `pv-${scene.namespace}` },
      },
    });

    const all = () => ({ node: nodeName(stage().nodes[0]), volumes: "unknown" }) as const;

    it("shows an attachment, its detachment and its end", async ({ scene }) => {
      const wakeup = new Wakeup();
      const view = await scene.cluster.followAttachments(all(), wakeup);
      const own = () => view.attachments().find(({ name }) => name === scene.namespace);
      const seen = (what: object) => vi.waitFor(() => expect(own()).toMatchObject(what), patience);
      try {
        await stage().administrator.make(attachment(scene));
        await seen({ node: stage().nodes[0], volume: `pv-${scene.namespace}`, state: "attached" });
        const detached = { status: { attached: false } };
        await stage().administrator.remove(attachment(scene));
        await stage().administrator.change(
          attachment(scene),
          { status: { attached: true } },
          "/status",
        );
        await seen({ state: "attached" });

        wakeup.consume();
        await stage().administrator.change(attachment(scene), detached, "/status");
        await seen({ state: "detached" });
        expect(wakeup.consume()).toBe(true);
        await stage().administrator.change(attachment(scene), { metadata: { finalizers: null } });
        await vi.waitFor(() => expect(own()).toBeUndefined(), patience);
      } finally {
        view.close();
      }
    });

    it("shows the attachments that are already there", async ({ scene }) => {
      await stage().administrator.make(attachment(scene));

      const view = await scene.cluster.followAttachments(all(), new Wakeup());

      view.close();
      expect(view.attachments()).toContainEqual({
        name: scene.namespace,
        node: stage().nodes[0],
        volume: `pv-${scene.namespace}`,
        state: "attached",
      });
    });

    it("shows the attachments of the volumes that a node's status lists, and rings for no others", async ({
      scene,
    }) => {
      const [node] = stage().nodes;
      const handle = `vol-${scene.namespace}`;
      const hash = createHash("sha256").update(`${handle}ebs.csi.aws.com${node}`).digest("hex");
      const own = attachment(scene, `csi-${hash}`);
      await stage().administrator.make(own);
      const wakeup = new Wakeup();
      const volumes = [`kubernetes.io/csi/ebs.csi.aws.com^${handle}`];

      const view = await scene.cluster.followAttachments({ node: nodeName(node), volumes }, wakeup);

      try {
        expect(view.attachments()).toEqual([
          expect.objectContaining({ name: `csi-${hash}`, volume: `pv-${scene.namespace}` }),
        ]);
        wakeup.consume();
        await stage().administrator.make(attachment(scene));
        expect(wakeup.consume()).toBe(false);
        await stage().administrator.change(own, { metadata: { finalizers: null } });
        await stage().administrator.remove(own);
        await vi.waitFor(() => expect(view.attachments()).toEqual([]), patience);
        expect(wakeup.consume()).toBe(true);
      } finally {
        view.close();
      }
    });

    it("reads attachments by their names that are too many for a watch each, and those again that change", async ({
      scene,
    }) => {
      const [node] = stage().nodes;
      const handles = Array.from({ length: 40 }, (_, index) => `vol-${scene.namespace}-${index}`);
      const own = handles.map((handle) => {
        const hash = createHash("sha256").update(`${handle}ebs.csi.aws.com${node}`).digest("hex");
        return attachment(scene, `csi-${hash}`);
      });
      await stage().administrator.make(...own.slice(0, 1), attachment(scene));
      const wakeup = new Wakeup();
      const volumes = handles.map((handle) => `kubernetes.io/csi/ebs.csi.aws.com^${handle}`);

      const view = await scene.cluster.followAttachments({ node: nodeName(node), volumes }, wakeup);

      const shows = (all: typeof own) => {
        const names = new Set(view.attachments().map(({ name }) => name));
        expect(names).toEqual(new Set(all.map(({ metadata }) => metadata.name)));
      };
      try {
        shows(own.slice(0, 1));
        wakeup.consume();
        await stage().administrator.make(...own.slice(1));
        await vi.waitFor(() => shows(own), patience);
        expect(wakeup.consume()).toBe(true);
        for (const one of own) {
          await stage().administrator.change(one, { metadata: { finalizers: null } });
          await stage().administrator.remove(one);
        }
        await vi.waitFor(() => shows([]), patience);
      } finally {
        view.close();
      }
    });

    it("reads which volumes are behind a pod's claims, and which claims have none though they name one", async ({
      scene,
    }) => {
      const claim = (name: string, volumeName?: string) => ({
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name, namespace: scene.namespace },
        spec: { ...storage, storageClassName: "none", ...(volumeName ? { volumeName } : {}) },
      });
      const { namespace } = scene;
      const volume = `pv-${namespace}`;
      const data = claim("data", volume);
      const { administrator } = stage();
      await administrator.make(volumeFor({ namespace, name: "data" }, volume));
      await administrator.make(data, claim("unbound"), claim("foreign", volume));
      await administrator.change(data, { status: { phase: "Bound" } }, "/status");
      const volumes = ["data", "unbound", "foreign", "lost"].map((claimName) => ({
        name: claimName,
        persistentVolumeClaim: { claimName },
      }));
      const pod = await scene.pending("web", { spec: { volumes } });

      expect(pod.claims).toEqual(["data", "unbound", "foreign", "lost"]);
      await vi.waitFor(async () => {
        const read = pod.claims.map((name) => scene.cluster.volumeOf(namespace, name));
        expect(await Promise.all(read)).toEqual([volume, "", "", ""]);
      }, patience);
    });

    it("reads the claim of a volume that exists as long as its pod", async ({ scene }) => {
      const volumeClaimTemplate = { spec: { ...storage, storageClassName: "none" } };
      const volumes = [{ name: "scratch", ephemeral: { volumeClaimTemplate } }];

      const pod = await scene.pending("web", { spec: { volumes } });

      expect(pod.claims).toEqual(["web-scratch"]);
    });
  });
