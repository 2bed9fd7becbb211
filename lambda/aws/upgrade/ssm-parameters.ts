import {
  GetParameterCommand,
  type Parameter,
  SSMClient,
  type SSMClientConfig,
} from "@aws-sdk/client-ssm";
import { Fault } from "../../base/fault.ts";
import { ask } from "../aws-fault.ts";
import type { ReadParameter } from "./ec2-images.ts";

/** Reads the images that parameters of SSM name, such as those that EKS publishes for each version. */
export function imageParameters(options: SSMClientConfig): ReadParameter {
  const client = new SSMClient(options);
  return async (parameter) => {
    const read = async () =>
      (await client.send(new GetParameterCommand({ Name: parameter }))).Parameter ?? "absent";
    const found = await ask(`reading parameter ${parameter}`, read, [
      /^Parameter(Version)?NotFound/,
      "absent",
      /^/,
    ]);
    return found === "absent" ? "absent" : imageIn(parameter, found);
  };
}

function imageIn(parameter: string, { Value: image = "" }: Parameter): string {
  if (/^ami-[0-9a-f]+$/.test(image)) return image;
  const advice = "name the parameter that ends in /image_id";
  throw new Fault("aws.refused", `parameter ${parameter} names no image but ${image}: ${advice}`);
}
