import * as z from "zod/mini";
import { launchKeys } from "../contract.ts";
import type { AccessChoice } from "../domain/launch/access.ts";
import type { LaunchSettings } from "../domain/launch/launch-policy.ts";
import { seconds } from "../domain/time.ts";
import { jsonText, word } from "./drain-settings.ts";
import type { Timeout } from "./timeout.ts";

const taintList = 'a JSON list of taint keys, such as ["node.cilium.io/agent-not-ready"]';
const taints = jsonText(
  taintList,
  z.array(z.string(taintList).check(z.regex(/^[^\s=:]+$/, taintList)), taintList),
);

/** How instances are launched, as the environment says it; what is left out has a default. */
export const launchSettingsSchema = (timeout: Timeout) =>
  z.pipe(
    z.object({
      [launchKeys.timeout]: timeout,
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
