import { describe, expect, it } from "vitest";
import { aServedGroup, newImage, template } from "./a-served-group.ts";

const first = "ami-0123456789abcdef0";

describe("a version of a launch template", () => {
  it.each([
    ["$Latest", { version: 2, image: newImage, description: "new" }],
    ["$Default", { version: 1, image: first, description: "" }],
    [2, { version: 2, image: newImage, description: "new" }],
  ] as const)(
    "that is named %s is told with its number, image and description",
    async (version, told) => {
      const { templates, make } = await aServedGroup();
      await make();

      expect(await templates.version({ template, version })).toEqual({ template, ...told });
    },
  );

  it("is found by the name of the template, and told with its id", async () => {
    const { templates } = await aServedGroup();

    expect(await templates.version({ template: "nodes", version: "$Latest" })).toEqual({
      template,
      version: 1,
      image: first,
      description: "",
    });
  });

  it.each([
    ["lt-0000000000000000a", 1],
    ["lt-0a1b2c3d4e5f60718", 9],
    ["nobody", "$Latest"],
  ] as const)("is absent where %s has no version %s", async (wanted, version) => {
    const { templates } = await aServedGroup();

    expect(await templates.version({ template: wanted, version })).toBe("absent");
  });

  it("is a fault where EC2 refuses to tell", async () => {
    const { templates, aws } = await aServedGroup();
    aws.authorize = () => "denied";

    await expect(templates.version({ template, version: 1 })).rejects.toMatchObject({
      code: "aws.denied",
      message: expect.stringContaining(`reading launch template ${template} version 1`),
    });
  });

  it("is made of another, and differs from it in the image alone", async () => {
    const { aws, make } = await aServedGroup();

    expect(await make()).toEqual({ template, version: 2 });

    const [second, source] = aws.templates.versions({ LaunchTemplateId: template });
    expect(second?.template).toEqual({ ...source?.template, imageId: newImage, version: "2" });
  });

  it("is made once for each token, however often it is asked for", async () => {
    const { make } = await aServedGroup();

    expect([await make("a"), await make("a"), await make("b")]).toEqual(
      [2, 2, 3].map((version) => ({ template, version })),
    );
  });

  it("is a fault where EC2 cannot make it", async () => {
    const { make, aws } = await aServedGroup();
    aws.faults.failNext({ service: "ec2", action: "CreateLaunchTemplateVersion" }, "throttle");

    await expect(make()).rejects.toMatchObject({
      code: "aws.unreachable",
      message: expect.stringContaining(`making a version of launch template ${template}`),
    });
  });
});
