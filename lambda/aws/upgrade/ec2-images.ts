import { type Image as AnyImage, DescribeImagesCommand, type EC2Client } from "@aws-sdk/client-ec2";
import type { Image, Images } from "../../upgrade/upgrade.port.ts";
import { ask, listIn } from "../aws-fault.ts";

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
    const command = new DescribeImagesCommand({ ImageIds: [id] });
    const read = async (doing: string) => {
      const [found] = listIn(await this.#client.send(command), "Images", doing);
      return found === undefined ? "absent" : imageOf(found);
    };
    return ask(`describing image ${id}`, read, [/^InvalidAMIID/, "absent"]);
  }
}

const imageOf = ({ ImageId: id = "", Architecture, State }: AnyImage): Image => ({
  id,
  architecture: Architecture ?? "",
  state: State ?? "",
});
