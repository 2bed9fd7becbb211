import * as z from "zod/mini";
import {
  environment,
  groupLaunchSettings,
  groupSettings,
  hookKeys,
  passSeconds,
  productName,
  settingKeys,
} from "../contract.ts";
import type { DrainPolicy } from "../domain/drain/drain-policy.ts";
import { groupName } from "../domain/ids.ts";
import type { Labels } from "../domain/labels.ts";
import type { AccessChoice } from "../domain/launch/access.ts";
import type { LaunchPolicy } from "../domain/launch/launch-policy.ts";
import { seconds } from "../domain/time.ts";
import { Fault } from "../fault.ts";
import { groupForce, jsonText, settingsSchema } from "./drain-settings.ts";
import { accessSchema, launchSettingsSchema } from "./launch-settings.ts";
import { heartbeatSchema, timeoutSchema } from "./timeout.ts";

/** Everything the function was deployed with. */
export interface Config {
  readonly region: string;
  readonly clusterName: string;
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
  readonly drain: DrainPolicy;
  readonly launch: LaunchPolicy;
  /** By what the roles of nodes are let in. */
  readonly nodeAccess: AccessChoice;
}

const pass = seconds(passSeconds);

const filled = (expected: string) => z.string(expected).check(z.minLength(1, expected));
const queueUrl = z.url({ protocol: /^https?$/, error: "the URL of a queue" });
const groupList = 'a JSON list of Auto Scaling group names, such as ["workers"]';
const groups = jsonText(
  groupList,
  z.array(filled(groupList), groupList).check(z.minLength(1, groupList)),
);

const placeSchema = z.object({
  AWS_REGION: filled("the name of a region"),
  [environment.clusterName]: filled("the name of the EKS cluster"),
  [environment.managedGroups]: groups,
  [environment.queueUrl]: queueUrl,
  [environment.deadLetterQueueUrl]: queueUrl,
});

type Variables = Readonly<Record<string, string | undefined>>;

/** Reads the function's environment; what does not fit is one fault that names the key, the value and what would do. */
export function parseConfig(variables: Variables): Config {
  const place = parsed(placeSchema, variables);
  const managed = place[environment.managedGroups].map(groupName);
  const timeout = timeoutSchema(parsed(heartbeatSchema, variables)[hookKeys.heartbeat]);
  const drain = settingsIn(variables, {
    schema: settingsSchema(timeout),
    ofTags: settingsSchema(timeout, groupForce(variables[settingKeys.force])),
    ofGroups: groupSettings,
  });
  const launchSchema = launchSettingsSchema(timeout);
  const launch = settingsIn(variables, {
    schema: launchSchema,
    ofTags: launchSchema,
    ofGroups: groupLaunchSettings,
  });
  const config: Config = {
    region: place.AWS_REGION,
    clusterName: place[environment.clusterName],
    queueUrl: place[environment.queueUrl],
    deadLetterQueueUrl: place[environment.deadLetterQueueUrl],
    drain: { managed, pass, settingsFor: drain },
    launch: { managed, pass, settingsFor: launch },
    nodeAccess: parsed(accessSchema, variables),
  };
  return Object.freeze(config);
}

interface Settings<T> {
  readonly schema: z.ZodMiniType<T>;
  /** What a group's tags may say. */
  readonly ofTags: z.ZodMiniType<T>;
  /** The keys that a group may set for itself. */
  readonly ofGroups: readonly string[];
}

/** A group may have settings of its own, in tags such as `eks-node-lifecycle/drain-timeout-seconds`. */
function settingsIn<T>(variables: Variables, { schema, ofTags, ofGroups }: Settings<T>) {
  parsed(schema, variables);
  return (tags: Labels) => {
    const overrides = ofGroups
      .map((key) => ({ key, tag: tagOf(key), value: tags[tagOf(key)] }))
      .filter(({ value }) => value !== undefined);
    const checked = overrides.map(({ key, tag, value }) => ({
      key,
      value,
      refusal: z.safeParse(ofTags, { [key]: value }).error?.issues[0]?.message,
      tag,
    }));
    const heeded = checked.filter(({ refusal }) => refusal === undefined);
    const own = Object.fromEntries(heeded.map(({ key, value }) => [key, value]));
    return {
      settings: parsed(schema, { ...variables, ...own }),
      refused: checked
        .filter(({ refusal }) => refusal !== undefined)
        .map(
          ({ tag, value, refusal }) => `tag ${tag}: expected ${refusal}, got "${value}"; ignored`,
        ),
    };
  };
}

const tagOf = (key: string): string => `${productName}/${key.toLowerCase().replaceAll("_", "-")}`;

function parsed<T>(schema: z.ZodMiniType<T>, variables: Variables): T {
  const result = z.safeParse(schema, variables);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const key = String(issue?.path[0] ?? "the environment");
  const value = variables[key];
  const got = value === undefined ? "nothing" : JSON.stringify(value.slice(0, 200));
  throw new Fault("config.invalid", `reading ${key}: expected ${issue?.message}, got ${got}`);
}

const regionSchema = z.object({ AWS_REGION: filled("the name of a region") });

/** The Region of the function that is running. */
export const readRegion = (): string => parsed(regionSchema, process.env).AWS_REGION;

/** The configuration of the function that is running. */
export const readConfig = (): Config => parseConfig(process.env);
