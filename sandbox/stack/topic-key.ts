import type { Stack } from "./stack.ts";
import { properties } from "./template-schema.ts";

/** Whether a sender may use the key of an encrypted topic; anybody may publish to one without a key. */
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
