import { describe, expect, it } from "vitest";
import { Ec2Images } from "../../../../lambda/adapters/aws/fleets/ec2-images.ts";
import { aServedAccount } from "../../../sandbox/aws-account.ts";

const arm = "ami-0fedcba9876543210";

async function images() {
  const { aws, ec2 } = await aServedAccount();
  aws.images.add({ id: arm, architecture: "arm64", state: "pending" });
  return { aws, images: new Ec2Images(ec2, async () => "absent") };
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
