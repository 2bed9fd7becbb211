import { describe, expect, it } from "vitest";
import { mostVolumes } from "../../lambda/drain/attachment.ts";
import { VolumesOfNode } from "../../lambda/drain/volumes-of-node.ts";
import { aDaemonPod, aNode, aPod, aSnapshot } from "../support/builders.ts";

const pod = aPod({ claims: ["data"] });
const listing = (...volumes: readonly string[]) => aNode({ volumes });

describe("the volumes of a node", () => {
  it("are those that its status has listed in the pass, also where one has gone since", () => {
    const volumes = new VolumesOfNode();
    volumes.look([pod], aSnapshot({ node: listing("vol-1") }));
    volumes.look([], aSnapshot({ node: listing() }));
    expect(volumes.volumes()).toEqual(["vol-1"]);
    expect(volumes.mayFind()).toBe(true);
  });

  it("are not known where there are more claims than volumes, unless their pods ran before", () => {
    const volumes = new VolumesOfNode();
    volumes.look([pod], aSnapshot());
    expect(volumes.volumes()).toBe("unknown");
    volumes.settle(listing(), [pod]);
    expect(volumes.volumes()).toEqual([]);
    volumes.look([aPod({ claims: ["data", "logs"] })], aSnapshot());
    expect(volumes.volumes()).toBe("unknown");
  });

  it("are known up to their bound, and not beyond it", () => {
    const volumes = new VolumesOfNode();
    const names = Array.from({ length: mostVolumes }, (_, at) => `vol-${at}`);
    volumes.look([], aSnapshot({ node: listing(...names) }));
    expect(volumes.volumes()).toEqual(names);
    volumes.look([], aSnapshot({ node: listing("one-more") }));
    expect(volumes.volumes()).toBe("unknown");
  });

  it("count as soon as the status lists them while their pods run, and may be left behind then", () => {
    const volumes = new VolumesOfNode();
    volumes.settle(listing("vol-1"), [pod]);
    expect(volumes.volumes()).toEqual(["vol-1"]);
    expect(volumes.mayFind()).toBe(true);
  });

  it("are left behind only by pods that leave and have claims", () => {
    const volumes = new VolumesOfNode();
    expect(volumes.mayFind()).toBe(false);
    volumes.look([aPod(), aDaemonPod({ claims: ["data"] })], aSnapshot());
    expect(volumes.mayFind()).toBe(false);
    volumes.look([pod], aSnapshot());
    expect(volumes.mayFind()).toBe(true);
  });
});
