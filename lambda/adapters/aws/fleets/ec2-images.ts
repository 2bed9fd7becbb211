import { type Image as AnyImage, DescribeImagesCommand, type EC2Client } from "@aws-sdk/client-ec2";
import type { Image, Images } from "../../../ports/fleets.ts";
import { isAwsError, told } from "../aws-fault.ts";
import type { ReadByUpgrades } from "../read-fields.ts";

type Described = ReadByUpgrades<AnyImage, "client-ec2", "Image">;

/** Says which image a parameter of SSM names. */
export type ReadParameter = Images["imageIn"];

/** The images that an account may launch instances from in a Region. */
export class Ec2Images implements Images {
  readonly #client: EC2Client;
  readonly imageIn: ReadParameter;

  constructor(client: EC2Client, imageIn: ReadParameter) {
    this.#client = client;
    this.imageIn = imageIn;
  }

  image(id: string): Promise<Image | "absent"> {
    return told(`describing image ${id}`, async () => {
      try {
        const { Images: [found] = [] } = await this.#client.send(
          new DescribeImagesCommand({ ImageIds: [id] }),
        );
        return found === undefined ? "absent" : imageOf(found);
      } catch (cause) {
        if (isAwsError(cause, /^InvalidAMIID/, /./)) return "absent";
        throw cause;
      }
    });
  }
}

const imageOf = ({ ImageId: id = "", Architecture, State }: Described): Image => ({
  id,
  architecture: Architecture ?? "",
  state: State ?? "",
});
