import { describe, expect, it } from "vitest";
import { lateImages } from "../../lambda/aws/upgrade/late-images.ts";
import { account, aServedAccount } from "../support/aws-account.ts";

const arm = "ami-0fedcba9876543210";

async function images() {
  const { aws, ec2, server, key } = await aServedAccount();
  aws.records.addImage(arm, { architecture: "arm64", state: "pending" });
  const { region } = account;
  const settings = { endpoint: server.url, region, credentials: key, maxAttempts: 1 };
  return { aws, images: lateImages(ec2, settings) };
}

describe("an image", () => {
  it("is told with its architecture and its state", async () => {
    const { images: all } = await images();

    expect(await all.image(arm)).toEqual({ id: arm, architecture: "arm64", state: "pending" });
  });

  it.each(["ami-00000000000000000", "ami-nonsense"])(
    "is absent where EC2 has no %s",
    async (id) => {
      const { images: all } = await images();

      expect(await all.image(id)).toBe("absent");
    },
  );

  it("is a fault where EC2 fails", async () => {
    const { aws, images: all } = await images();
    const failure = { status: 500, code: "InternalError", message: "sorry" };
    aws.faults.failNext({ service: "ec2", action: "DescribeImages" }, failure);

    await expect(all.image(arm)).rejects.toMatchObject({ code: "aws.unreachable" });
  });
});

describe("the image that a parameter of SSM names", () => {
  const standard = "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/x86_64/standard";
  const parameter = `${standard}/recommended/image_id`;

  it("is the value of the parameter", async () => {
    const { aws, images: all } = await images();
    aws.records.parameters.set(parameter, arm);

    expect(await all.imageIn(parameter)).toBe(arm);
  });

  it("is absent where there is no such parameter", async () => {
    const { images: all } = await images();

    expect(await all.imageIn(parameter)).toBe("absent");
  });

  it("is a fault where the value is no image, with the way out", async () => {
    const { aws, images: all } = await images();
    aws.records.parameters.set(`${standard}/recommended`, '{"image_id":"ami-1"}');

    await expect(all.imageIn(`${standard}/recommended`)).rejects.toMatchObject({
      code: "aws.refused",
      message: expect.stringMatching(
        /names no image but .*: name the parameter that ends in \/image_id/,
      ),
    });
  });

  it.each([
    ["aws.denied", { status: 400, code: "AccessDeniedException", message: "no" }],
    ["aws.unreachable", { status: 500, code: "InternalServerError", message: "sorry" }],
    ["aws.unreachable", "throttle"],
  ] as const)("is the fault %s where SSM answers %j", async (code, failure) => {
    const { aws, images: all } = await images();
    aws.faults.failNext({ service: "ssm", action: "GetParameter" }, failure);

    await expect(all.imageIn(parameter)).rejects.toMatchObject({ code });
  });
});
