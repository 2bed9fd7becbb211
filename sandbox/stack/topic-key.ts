import type { Stack } from "./stack.ts";
import { properties } from "./template-schema.ts";

/** Whether somebody who may do these things can use the key that a topic is encrypted with, if it is. */
export function usesKey(
  { resources, names }: Pick<Stack, "names" | "resources">,
  topicArn: string,
  may: (action: string, resource: string) => boolean,
): boolean {
  const { its } = resources.one(
    "AWS::SNS::Topic",
    properties.topic,
    ({ id }) => names.arn(id) === topicArn,
  );
  const { KmsMasterKeyId: key } = its;
  const actions = ["kms:Decrypt", "kms:GenerateDataKey"];
  return key === undefined || actions.every((action) => may(action, names.text(key)));
}
