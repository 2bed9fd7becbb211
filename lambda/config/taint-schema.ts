import * as z from "zod/mini";
import { labelName, taintKey } from "../domain/labels.ts";
import type { Taint } from "../domain/node/node.ts";

const effects = "NoSchedule|PreferNoSchedule";
const taintText = new RegExp(
  `^(?<key>${taintKey})(?:=(?<value>(?:${labelName})?))?:(?<effect>${effects})$`,
);
// Autoscalers remove taints with these keys or act on them, and out-of-service tells Kubernetes that the instance is off.
const othersKey =
  /^(?:(?:[^/]+\.)?(?:kubernetes\.io|k8s\.io|karpenter\.sh)\/|ToBeDeletedByClusterAutoscaler|DeletionCandidateOfClusterAutoscaler)/;

/** The schema for a taint written as `key=value:effect`; an empty text is no taint. A refusal names `example`. */
export function taintSchema(example: string) {
  const form = `empty, or a taint such as ${example}`;
  return z.pipe(
    z.string().check(
      z.refine((text) => text === "" || taintText.test(text), form),
      z.refine(
        (text) => !othersKey.test(text),
        `a taint with a key of your own, such as ${example}`,
      ),
    ),
    z.transform(taintsIn),
  );
}

function taintsIn(text: string): readonly Taint[] {
  const { key, value = "", effect = "" } = taintText.exec(text)?.groups ?? {};
  return key === undefined ? [] : [{ key, value, effect, timeAdded: "" }];
}
