import { minutes, seconds, wholeSeconds } from "../../lambda/base/time.ts";
import { validationError } from "./aws-error.ts";
import { type Hook, hookDefaults } from "./group.ts";

/** A hook's name, and the fields to set. */
export type HookChange = Pick<Hook, "name"> & Partial<Hook>;

const shortestHeartbeat = seconds(30);
const longestHeartbeat = minutes(120);
const mostHooks = 50;

/** A hook after a change; a field that is not given keeps its value, or gets its default. */
export function changedHook(hooks: readonly Hook[], change: HookChange): Hook {
  const earlier = hooks.find(({ name }) => name === change.name);
  const transition = change.transition ?? earlier?.transition;
  if (transition === undefined)
    throw validationError("Lifecycle Transition is required when creating a Lifecycle Hook.");
  if (earlier === undefined && hooks.length >= mostHooks)
    throw validationError(`The maximum number of lifecycle hooks is ${mostHooks}.`);
  const hook: Hook = { ...hookDefaults, ...earlier, ...change, transition };
  if (hook.heartbeat < shortestHeartbeat || hook.heartbeat > longestHeartbeat)
    throw validationError(
      `Heartbeat Timeout must be between 30 and 7200 seconds, not ${wholeSeconds(hook.heartbeat)}.`,
    );
  return hook;
}
