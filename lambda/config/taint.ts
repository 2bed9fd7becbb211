import { labelName, taintKey } from "../domain/labels.ts";
import type { Taint } from "../domain/node/node.ts";
import type { TextReader } from "./text-reader.ts";

const effects = "NoSchedule|PreferNoSchedule";
const taintText = new RegExp(
  `^(?<key>${taintKey})(?:=(?<value>(?:${labelName})?))?:(?<effect>${effects})$`,
);
// Autoscalers remove taints with these keys or act on them, and out-of-service tells Kubernetes that the instance is off.
const othersKey =
  /^(?:(?:[^/]+\.)?(?:kubernetes\.io|k8s\.io|karpenter\.sh)\/|ToBeDeletedByClusterAutoscaler|DeletionCandidateOfClusterAutoscaler)/;

/** Reads a taint written as `key=value:effect`; an empty text is no taint. A refusal names `example`. */
export const taintLike =
  (example: string): TextReader<readonly Taint[]> =>
  (text) => {
    if (text !== "" && !taintText.test(text))
      return { kind: "refused", expected: `empty, or a taint such as ${example}` };
    if (othersKey.test(text))
      return { kind: "refused", expected: `a taint with a key of your own, such as ${example}` };
    return { kind: "read", value: taintsIn(text) };
  };

function taintsIn(text: string): readonly Taint[] {
  const { key, value = "", effect = "" } = taintText.exec(text)?.groups ?? {};
  return key === undefined ? [] : [{ key, value, effect, timeAdded: "" }];
}
