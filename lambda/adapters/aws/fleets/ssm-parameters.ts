import {
  GetParameterCommand,
  type Parameter,
  SSMClient,
  type SSMClientConfig,
} from "@aws-sdk/client-ssm";
import { Fault } from "../../../fault.ts";
import { isAwsError, told } from "../aws-fault.ts";
import type { ReadByUpgrades } from "../read-fields.ts";
import type { ReadParameter } from "./ec2-images.ts";

type Read = ReadByUpgrades<Parameter, "client-ssm", "Parameter">;

/** Reads the images that parameters of SSM name, such as those that EKS publishes for each version. */
export function imageParameters(options: SSMClientConfig): ReadParameter {
  const client = new SSMClient(options);
  return async (parameter) => {
    const found = await told(`reading parameter ${parameter}`, () => read(client, parameter));
    return found === "absent" ? "absent" : imageIn(parameter, found);
  };
}

async function read(client: SSMClient, Name: string): Promise<Read | "absent"> {
  try {
    const { Parameter: found } = await client.send(new GetParameterCommand({ Name }));
    return found ?? "absent";
  } catch (cause) {
    if (isAwsError(cause, /^Parameter(Version)?NotFound/, /^/)) return "absent";
    throw cause;
  }
}

function imageIn(parameter: string, { Value: image = "" }: Read): string {
  if (/^ami-[0-9a-f]+$/.test(image)) return image;
  const advice = "name the parameter that ends in /image_id";
  throw new Fault("aws.refused", `parameter ${parameter} names no image but ${image}: ${advice}`);
}
