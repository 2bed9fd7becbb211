import { describe, expect, it } from "vitest";
import { assertSettings } from "../../../lib/limits/assert-settings.ts";

describe("an option that does not fit", () => {
  it.each([
    [{ DRAIN_TAINT: "x y" }, /^drain\.taint: expected empty, or a taint such as .*, got "x y"$/],
    [
      { DRAIN_TIMEOUT_SECONDS: "172800", HOOK_HEARTBEAT_SECONDS: "60" },
      /^drain\.timeout: expected .* all that a hook holds with hooks\.heartbeat=60, got "172800"$/,
    ],
    [
      { DRAIN_DAEMONSETS: "evict" },
      /^drain\.daemonSets: expected .*"evict" with a drain\.taint of/,
    ],
    // What somebody gave is told as it is, also where it reads like a key.
    [{ DRAIN_TAINT: "DRAIN_FORCE x" }, /^drain\.taint: .*, got "DRAIN_FORCE x"$/],
    [{ NODE_ACCESS: "sometimes" }, /^launch\.access: expected .*, got "sometimes"$/],
  ])("is told by its own name, not as a key of the environment: %j", (settings, message) => {
    expect(() => assertSettings(settings)).toThrow(message);
  });
});
