import { shellWord } from "./shell-word.ts";

const plain = /^[\w./@:+-]+$/;

/** The command of the AWS CLI that gives a group a tag. A comma or a blank would end a value of its short form. */
export function tagging(
  group: string,
  { key, value }: { readonly key: string; readonly value: string },
): string {
  const short = `ResourceId=${group},ResourceType=auto-scaling-group,Key=${key},Value=${value},PropagateAtLaunch=false`;
  const long = JSON.stringify([
    {
      ResourceId: group,
      ResourceType: "auto-scaling-group",
      Key: key,
      Value: value,
      PropagateAtLaunch: false,
    },
  ]);
  const tags = [group, key, value].every((one) => plain.test(one)) ? short : long;
  return `aws autoscaling create-or-update-tags --tags ${shellWord(tags)}`;
}
