import type { EC2Client } from "@aws-sdk/client-ec2";
import type { SSMClientConfig } from "@aws-sdk/client-ssm";
import { once } from "../../process/once.ts";
import type { Images } from "../../upgrade/upgrade.port.ts";
import { Ec2Images } from "./ec2-images.ts";

/** The images; the client of SSM is loaded with the first parameter that is read, for few people name one. */
export function lateImages(ec2: EC2Client, options: SSMClientConfig): Images {
  const reader = once(async () => {
    const { imageParameters } = await import("./ssm-parameters.ts");
    return imageParameters(options);
  });
  return new Ec2Images(ec2, async (parameter) => (await reader())(parameter));
}
