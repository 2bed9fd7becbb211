import * as z from "zod/mini";
import { launchKeys } from "./contract.ts";
import type { AccessChoice } from "./domain/access.ts";
import type { LaunchSettings } from "./domain/launch-policy.ts";
import { hours, minutes, seconds, wholeSeconds } from "./domain/time.ts";
import { jsonText, wholeNumber, word } from "./settings-schema.ts";

const taintList = 'a JSON list of taint keys, such as ["node.cilium.io/agent-not-ready"]';
const taints = jsonText(
  taintList,
  z.array(z.string(taintList).check(z.regex(/^[^\s=:]+$/, taintList)), taintList),
);

// A hook is held for 48 hours at most.
const longestTimeout = wholeSeconds(hours(48));

/** How instances are launched, as the environment says it; what is left out has a default. */
export const launchSettingsSchema = z.pipe(
  z.object({
    [launchKeys.timeout]: z._default(
      wholeNumber("seconds", 30, longestTimeout),
      wholeSeconds(minutes(15)),
    ),
    [launchKeys.gate]: z._default(word("on", "off"), "on"),
    [launchKeys.startupTaints]: z._default(taints, []),
    [launchKeys.atDeadline]: z._default(word("CONTINUE", "ABANDON"), "CONTINUE"),
  }),
  z.transform(
    (values): LaunchSettings => ({
      timeout: seconds(values[launchKeys.timeout]),
      gate: values[launchKeys.gate],
      startupTaints: values[launchKeys.startupTaints],
      atDeadline: values[launchKeys.atDeadline],
    }),
  ),
);

/** By what roles are let in. */
export const accessSchema = z.pipe(
  z.object({
    [launchKeys.access]: z._default(word("auto", "aws-auth", "access-entry"), "auto"),
  }),
  z.transform((values): AccessChoice => values[launchKeys.access]),
);
