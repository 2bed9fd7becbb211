import { describe, expect, it } from "vitest";
import { zonesNamed } from "../../lambda/group-work/zone-names.ts";

const inZone = (id: string, name?: string) => ({
  labels: {
    "topology.k8s.aws/zone-id": id,
    ...(name !== undefined && { "topology.kubernetes.io/zone": name }),
  },
});
const [a, b] = [inZone("euw1-az1", "eu-west-1a"), inZone("euw1-az2", "eu-west-1b")];

describe("the name of a zone", () => {
  it("is the one that its nodes have, and its id where no node tells", () => {
    expect(zonesNamed(["euw1-az1", "euw1-az3"], [a, b])).toEqual(["eu-west-1a", "euw1-az3"]);
  });

  it.each([
    ["another name", inZone("euw1-az1", "eu-west-1b")],
    ["none", inZone("euw1-az1")],
  ])("stays the same where one kubelet gives its own node %s", (_, odd) => {
    expect(zonesNamed(["euw1-az1"], [odd, a, a, b])).toEqual(["eu-west-1a"]);
    expect(zonesNamed(["euw1-az1"], [a, a, b, odd])).toEqual(["eu-west-1a"]);
  });

  it("is each of several that as many nodes have, so that none of these zones is taken for well", () => {
    const odd = inZone("euw1-az1", "eu-west-1c");
    expect(zonesNamed(["euw1-az1"], [a, odd])).toEqual(["eu-west-1a", "eu-west-1c"]);
  });
});
