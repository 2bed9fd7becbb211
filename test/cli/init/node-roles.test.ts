import { describe, expect, it } from "vitest";
import { launchSourcesOf, launchTemplatesOf } from "../../../cli/init/node-roles.ts";
import { groupOf } from "./group-of.ts";

const group = groupOf("workers");
const arm = { LaunchTemplateId: "lt-arm", Version: "3" };
const intel = { LaunchTemplateName: "intel" };

describe("the sources of a group's instances", () => {
  it("are all templates of mixed instances", () => {
    const LaunchTemplate = {
      LaunchTemplateSpecification: arm,
      Overrides: [
        { InstanceType: "m7g.large" },
        { InstanceType: "m7i.large", LaunchTemplateSpecification: intel },
      ],
    };
    const mixed = { ...group, MixedInstancesPolicy: { LaunchTemplate } };
    expect(launchSourcesOf(mixed)).toEqual([
      { kind: "template", ...arm },
      { kind: "template", ...intel },
    ]);
    expect(launchTemplatesOf([mixed, { ...group, LaunchTemplate: arm }])).toEqual(["lt-arm"]);
  });
});
