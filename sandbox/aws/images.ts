import {
  DescribeImages$,
  type DescribeImagesRequest,
  type DescribeImagesResult,
} from "@aws-sdk/client-ec2";
import { AwsError } from "./aws-error.ts";
import { type Operation, operation } from "./operation.ts";

/** An image that instances can be launched from. */
export interface MachineImage {
  readonly id: string;
  readonly architecture: "arm64" | "x86_64";
  readonly state: "available" | "deregistered" | "pending";
  /** The version of the kubelet that it has, for the nodes that come of it. */
  readonly kubelet: string;
}

/** The images of an account; it knows the one of the default launch template from the start. */
export class MachineImages {
  readonly #images = new Map<string, MachineImage>();

  constructor() {
    this.add({ id: "ami-0123456789abcdef0" });
  }

  add(image: Pick<MachineImage, "id"> & Partial<MachineImage>): void {
    const usual = { architecture: "x86_64", state: "available", kubelet: "v1.36.2" } as const;
    this.#images.set(image.id, { ...usual, ...image });
  }

  tryFind(id: string): MachineImage | undefined {
    return this.#images.get(id);
  }

  /** Finds an image as DescribeImages does. */
  find(id: string): MachineImage {
    const found = this.tryFind(id);
    if (found !== undefined) return found;
    if (!/^ami-([0-9a-f]{8}|[0-9a-f]{17})$/.test(id))
      throw new AwsError("InvalidAMIID.Malformed", `Invalid id: "${id}" (expecting "ami-...")`);
    throw new AwsError("InvalidAMIID.NotFound", `The image id '[${id}]' does not exist`);
  }
}

/** The operation of EC2 that tells of images. */
export const imageOperations = (images: MachineImages): readonly Operation[] => [
  operation<DescribeImagesRequest, DescribeImagesResult>(DescribeImages$, {
    permissions: () => [{ action: "ec2:DescribeImages", resource: "*" }],
    run: ({ ImageIds: ids = [] }) => ({
      Images: ids
        .map((id) => images.find(id))
        .map(({ id, architecture, state }) => ({
          ImageId: id,
          Architecture: architecture,
          State: state,
        })),
    }),
  }),
];
