import * as z from "zod/mini";
import { settingKeys } from "../contract.ts";
import type { DrainSettings, Protection } from "../domain/drain/drain-policy.ts";
import { labelName, taintKey } from "../domain/labels.ts";
import type { Taint } from "../domain/node/node.ts";
import { seconds } from "../domain/time.ts";
import { type Timeout, wholeNumber } from "./timeout.ts";

/** One of a few words. */
export const word = <const Words extends readonly [string, ...string[]]>(...words: Words) =>
  z.enum(words, words.map((one) => JSON.stringify(one)).join(" or "));

/** JSON written as text, of a certain form. */
export function jsonText<T>(expected: string, form: z.ZodMiniType<T>) {
  const parsed = z.transform((text: string, { issues }): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      issues.push({ code: "custom", message: expected, input: text });
      return z.NEVER;
    }
  });
  return z.pipe(z.pipe(z.string(expected), parsed), form);
}

const known: readonly [Protection, ...Protection[]] = [
  "karpenter.sh/do-not-disrupt",
  "cluster-autoscaler.kubernetes.io/safe-to-evict",
];
const protectionList = `a JSON list of annotations, of ${known.join(" and ")}`;
const protections = jsonText(
  protectionList,
  z.array(z.enum(known, protectionList), protectionList),
);

const exampleTaint = "example.com/draining=true:NoSchedule";
const taintForm = `empty, or a taint such as ${exampleTaint}`;
const ownTaint = `a taint with a key of your own, such as ${exampleTaint}`;
const effects = "NoSchedule|PreferNoSchedule";
const taintText = new RegExp(
  `^(?<key>${taintKey})(?:=(?<value>(?:${labelName})?))?:(?<effect>${effects})$`,
);
// Autoscalers remove or act upon taints of these keys, and Kubernetes takes out-of-service for an instance that is off.
const othersKey =
  /^(?:(?:[^/]+\.)?(?:kubernetes\.io|k8s\.io|karpenter\.sh)\/|ToBeDeletedByClusterAutoscaler|DeletionCandidateOfClusterAutoscaler)/;
const taint = z.pipe(
  z.string(taintForm).check(
    z.refine((text) => text === "" || taintText.test(text), taintForm),
    z.refine((text) => !othersKey.test(text), ownTaint),
  ),
  z.transform((text): readonly Taint[] => {
    const { key, value = "", effect = "" } = taintText.exec(text)?.groups ?? {};
    return key === undefined ? [] : [{ key, value, effect, timeAdded: "" }];
  }),
);

// Without it a DaemonSet would put its pod back onto the cordoned node at once.
const evictedByTaint = `"leave", or "evict" with a ${settingKeys.taint} of effect NoSchedule`;
const keepsAway = (taints: readonly Taint[]): boolean =>
  taints.some(({ effect }) => effect === "NoSchedule");

const anyForce = word("at-deadline", "never");
const noForce = `"never", for ${settingKeys.force}=never gives no right to delete pods`;

/** What a group may say of force, where the deployment says this: the right to delete pods comes with it alone. */
export const groupForce = (deployed: string | undefined): z.ZodMiniType<DrainSettings["force"]> =>
  deployed === "never" ? z.enum(["never"], noForce) : anyForce;

/** How a node is drained, as the environment says it; what is left out has a default. */
export const settingsSchema = (
  timeout: Timeout,
  force: z.ZodMiniType<DrainSettings["force"]> = anyForce,
) =>
  z.pipe(
    z
      .object({
        [settingKeys.timeout]: timeout,
        [settingKeys.force]: z._default(force, "at-deadline"),
        [settingKeys.tiers]: z._default(word("critical-last", "none"), "critical-last"),
        [settingKeys.tierPercent]: z._default(wholeNumber("percent", 0, 100), 75),
        [settingKeys.settle]: z._default(wholeNumber("seconds", 0, 120), 5),
        [settingKeys.protections]: z._default(protections, [...known]),
        [settingKeys.volumeTimeout]: z._default(wholeNumber("seconds", 0, 3600), 180),
        [settingKeys.concurrency]: z._default(wholeNumber("evictions", 1, 100), 20),
        [settingKeys.taint]: z._default(taint, []),
        [settingKeys.daemonSets]: z._default(word("leave", "evict"), "leave"),
        [settingKeys.mode]: z._default(word("evict", "cordon-only"), "evict"),
      })
      .check(
        z.refine(
          (values) =>
            values[settingKeys.daemonSets] === "leave" || keepsAway(values[settingKeys.taint]),
          { path: [settingKeys.daemonSets], error: evictedByTaint },
        ),
      ),
    z.transform(
      (values): DrainSettings => ({
        timeout: seconds(values[settingKeys.timeout]),
        force: values[settingKeys.force],
        tiers: values[settingKeys.tiers],
        tierPercent: values[settingKeys.tierPercent],
        settle: seconds(values[settingKeys.settle]),
        protections: values[settingKeys.protections],
        volumeTimeout: seconds(values[settingKeys.volumeTimeout]),
        concurrency: values[settingKeys.concurrency],
        taints: values[settingKeys.taint],
        daemonSets: values[settingKeys.daemonSets],
        mode: values[settingKeys.mode],
      }),
    ),
  );
