import * as z from "zod/mini";
import { environment } from "./contract.ts";
import type { DrainPolicy } from "./domain/drain-policy.ts";
import { groupName } from "./domain/ids.ts";
import { hours, minutes, seconds, wholeSeconds } from "./domain/time.ts";
import { Fault } from "./fault.ts";

/** Everything the function was deployed with. */
export interface Config {
  readonly region: string;
  readonly clusterName: string;
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
  readonly drain: DrainPolicy;
}

const settle = seconds(5);
const pass = seconds(50);
// A hook is held for 48 hours at most.
const longestTimeout = wholeSeconds(hours(48));
const defaultTimeout = wholeSeconds(minutes(15));

const filled = (expected: string) => z.string(expected).check(z.minLength(1, expected));
const queueUrl = z.url({ protocol: /^https?$/, error: "the URL of a queue" });

const groupList = 'a JSON list of Auto Scaling group names, such as ["workers"]';
const groups = z.pipe(
  z.pipe(
    z.string(groupList),
    z.transform((text, { issues }): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        issues.push({ code: "custom", message: groupList, input: text });
        return z.NEVER;
      }
    }),
  ),
  z.array(filled(groupList), groupList).check(z.minLength(1, groupList)),
);

const timeoutRange = `a whole number of seconds from 30 to ${longestTimeout}`;
const timeout = z._default(
  z.pipe(
    z.string(timeoutRange).check(z.regex(/^\d{1,6}$/, timeoutRange)),
    z.pipe(
      z.transform(Number),
      z.number().check(z.gte(30, timeoutRange), z.lte(longestTimeout, timeoutRange)),
    ),
  ),
  defaultTimeout,
);

const schema = z.pipe(
  z.object({
    AWS_REGION: filled("the name of a region"),
    [environment.clusterName]: filled("the name of the EKS cluster"),
    [environment.managedGroups]: groups,
    [environment.queueUrl]: queueUrl,
    [environment.deadLetterQueueUrl]: queueUrl,
    [environment.drainTimeout]: timeout,
  }),
  z.transform(
    (values): Config => ({
      region: values.AWS_REGION,
      clusterName: values[environment.clusterName],
      queueUrl: values[environment.queueUrl],
      deadLetterQueueUrl: values[environment.deadLetterQueueUrl],
      drain: {
        managed: values[environment.managedGroups].map(groupName),
        timeout: seconds(values[environment.drainTimeout]),
        settle,
        pass,
      },
    }),
  ),
);

/** Reads the function's environment; what does not fit is one fault that names the key, the value and what would do. */
export function parseConfig(variables: Readonly<Record<string, string | undefined>>): Config {
  const result = z.safeParse(schema, variables);
  if (result.success) return Object.freeze(result.data);
  const [issue] = result.error.issues;
  const key = String(issue?.path[0] ?? "the environment");
  const value = variables[key];
  const got = value === undefined ? "nothing" : JSON.stringify(value.slice(0, 200));
  throw new Fault("config.invalid", `reading ${key}: expected ${issue?.message}, got ${got}`);
}

/** The configuration of the function that is running. */
export const readConfig = (): Config => parseConfig(process.env);
