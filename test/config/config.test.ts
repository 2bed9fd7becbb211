import { afterEach, describe, expect, it, vi } from "vitest";
import { minutes, seconds } from "../../lambda/base/time.ts";
import { fromEnvironment, parseConfig, readConfig } from "../../lambda/config/config.ts";
import { queuesIn } from "../../lambda/config/place.ts";
import type { Variables } from "../../lambda/config/variables.ts";
import { complaintOf, place } from "./place.ts";

const config = (change: Variables = {}) => parseConfig({ ...place, ...change });
const settings = (change: Variables = {}, tags: Variables = {}) =>
  config(change).drain.settingsFor(tags).settings;

const complaint = (key: string, value: string | undefined) => complaintOf({ [key]: value });

describe("the configuration", () => {
  it("says where the function works", () => {
    expect(config()).toMatchObject({
      region: "eu-west-1",
      clusterName: "demo",
      queueUrl: place.QUEUE_URL,
      deadLetterQueueUrl: place.DEAD_LETTER_QUEUE_URL,
      drain: { managed: ["workers", "gpu"], pass: seconds(50) },
    });
  });

  it("takes names of one letter", () => {
    const change = { AWS_REGION: "r", CLUSTER_NAME: "c", MANAGED_GROUPS: '["g"]' };
    expect(config(change)).toMatchObject({ clusterName: "c", drain: { managed: ["g"] } });
  });

  it("cannot be changed", () => {
    expect(Object.isFrozen(config())).toBe(true);
  });

  it("ignores all other variables of the environment", () => {
    expect(config({ PATH: "/usr/bin", DRAIN_MOOD: "good" }).clusterName).toBe("demo");
  });

  it("takes the queue of an emulator, without TLS", () => {
    const QUEUE_URL = "http://127.0.0.1:4566/000000000000/notices";
    expect(config({ QUEUE_URL }).queueUrl).toBe(QUEUE_URL);
  });
});

describe("the configuration of the function that runs", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it("is read from its environment", () => {
    for (const [key, value] of Object.entries(place)) vi.stubEnv(key, value);
    expect(readConfig().clusterName).toBe("demo");
    expect(fromEnvironment(queuesIn).queueUrl).toBe(place.QUEUE_URL);
  });
});

describe("a place that does not fit is refused", () => {
  const list =
    'a JSON list of Auto Scaling group names and tags, such as ["workers", {"key": "eks", "value": "demo"}]';

  it.each<[string, string | undefined, string, string]>([
    ["AWS_REGION", undefined, "the name of a region", "nothing"],
    ["AWS_REGION", "", "the name of a region", '""'],
    ["CLUSTER_NAME", undefined, "the name of the EKS cluster", "nothing"],
    ["CLUSTER_NAME", "", "the name of the EKS cluster", '""'],
    ["MANAGED_GROUPS", undefined, list, "nothing"],
    ["MANAGED_GROUPS", "", list, '""'],
    ["MANAGED_GROUPS", "workers", list, '"workers"'],
    ["MANAGED_GROUPS", '"workers"', list, String.raw`"\"workers\""`],
    ["MANAGED_GROUPS", "[]", list, '"[]"'],
    ["MANAGED_GROUPS", '[""]', list, String.raw`"[\"\"]"`],
    ["MANAGED_GROUPS", "[1]", list, '"[1]"'],
    ["MANAGED_GROUPS", "{}", list, '"{}"'],
    ["MANAGED_GROUPS", '[{"key":"eks"}]', list, String.raw`"[{\"key\":\"eks\"}]"`],
    [
      "MANAGED_GROUPS",
      '[{"key":"","value":"a"}]',
      list,
      String.raw`"[{\"key\":\"\",\"value\":\"a\"}]"`,
    ],
    ["QUEUE_URL", undefined, "the URL of a queue", "nothing"],
    ["QUEUE_URL", "notices", "the URL of a queue", '"notices"'],
    ["QUEUE_URL", "shttp://example.com/q", "the URL of a queue", '"shttp://example.com/q"'],
    ["QUEUE_URL", "httpss://example.com/q", "the URL of a queue", '"httpss://example.com/q"'],
    ["QUEUE_URL", "ftp://example.com/notices", "the URL of a queue", '"ftp://example.com/notices"'],
    ["DEAD_LETTER_QUEUE_URL", undefined, "the URL of a queue", "nothing"],
    ["DEAD_LETTER_QUEUE_URL", "", "the URL of a queue", '""'],
  ])("with its name, its value and what would fit: %s=%s", (...row) => {
    const [key, value, expected, got] = row;
    expect(complaint(key, value)).toBe(
      `config.invalid: reading ${key}: expected ${expected}, got ${got}`,
    );
  });

  it("with the beginning of a long value", () => {
    expect(complaint("QUEUE_URL", "x".repeat(5000))).toBe(
      `config.invalid: reading QUEUE_URL: expected the URL of a queue, got "${"x".repeat(200)}"`,
    );
  });

  it("before any setting is read", () => {
    expect(() => parseConfig({ DRAIN_MODE: "evict" })).toThrow(/reading AWS_REGION/);
  });
});

describe("a timeout that the hook cannot hold its instance for", () => {
  const heartbeat = { HOOK_HEARTBEAT_SECONDS: "60" };
  const tag = "eks-node-lifecycle/drain-timeout-seconds";
  const holds =
    "a whole number of seconds from 30 to 6000, which is all that a hook holds with HOOK_HEARTBEAT_SECONDS=60";

  it.each(["DRAIN_TIMEOUT_SECONDS", "LAUNCH_TIMEOUT_SECONDS"])(
    "is refused at the start: %s",
    (key) => {
      expect(() => config({ ...heartbeat, [key]: "6000" })).not.toThrow();
      expect(() => config({ ...heartbeat, [key]: "6001" })).toThrow(
        `reading ${key}: expected ${holds}, got "6001"`,
      );
    },
  );

  it("is ignored with a warning where a group's tag asks for it", () => {
    const { settings, refused } = config(heartbeat).drain.settingsFor({ [tag]: "7200" });
    expect(settings.timeout).toBe(minutes(15));
    expect(refused).toEqual([`tag ${tag}: expected ${holds}, got "7200"; ignored`]);
  });
});

describe("the pods of DaemonSets", () => {
  const evicted = { DRAIN_DAEMONSETS: "evict" };

  it("may be evicted where a taint keeps them from coming back", () => {
    const kept = { ...evicted, DRAIN_TAINT: "example.com/draining:NoSchedule" };
    expect(settings(kept).daemonSets).toBe("evict");
  });

  it.each(["", "example.com/draining:PreferNoSchedule"])(
    "may not be evicted where no taint does so: DRAIN_TAINT=%j",
    (DRAIN_TAINT) => {
      expect(() => config({ ...evicted, DRAIN_TAINT })).toThrow(
        'reading DRAIN_DAEMONSETS: expected "leave", or "evict" with a DRAIN_TAINT of effect NoSchedule, got "evict"',
      );
    },
  );
});

describe("the taint of a node whose instance is gone", () => {
  const tainting = { EVENT_OUT_OF_SERVICE: "taint" };

  it("is refused at the start where no node is removed, for then it would never be set", () => {
    expect(() => config({ ...tainting, EVENT_REMOVE_NODE: "never" })).toThrow(
      'reading EVENT_OUT_OF_SERVICE: expected "never", or "taint" with EVENT_REMOVE_NODE "stopped" or "terminated", for no node is tainted that is not removed, got "taint"',
    );
  });

  it.each(["stopped", "terminated"])("is set where nodes are removed that are %s", (removed) => {
    expect(() => config({ ...tainting, EVENT_REMOVE_NODE: removed })).not.toThrow();
  });

  it("does not stop a group whose tag has no node removed", () => {
    const { interruption } = config(tainting);
    const tags = { "eks-node-lifecycle/event-remove-node": "never" };
    expect(interruption.settingsFor(tags).settings.removeNode).toBe("never");
  });
});

describe("the taint", () => {
  const taintsOf = (text: string) => settings({ DRAIN_TAINT: text }).taints;
  const taint = { key: "example.com/draining", value: "", effect: "NoSchedule", timeAdded: "" };

  it("is none where the text is empty", () => {
    expect(taintsOf("")).toEqual([]);
  });

  it.each([
    ["example.com/draining:NoSchedule", taint],
    ["example.com/draining=:NoSchedule", taint],
    ["example.com/draining=a.B_c-1:NoSchedule", { ...taint, value: "a.B_c-1" }],
    [
      "draining=true:PreferNoSchedule",
      { ...taint, key: "draining", value: "true", effect: "PreferNoSchedule" },
    ],
    ["mykarpenter.sh/draining:NoSchedule", { ...taint, key: "mykarpenter.sh/draining" }],
    ["a.example.com/B_c.d-1:NoSchedule", { ...taint, key: "a.example.com/B_c.d-1" }],
  ])("is read from %s", (text, expected) => {
    expect(taintsOf(text)).toEqual([expected]);
  });

  it.each([
    "draining",
    "draining=true",
    "draining=true:noschedule",
    "=true:NoSchedule",
    ":NoSchedule",
    "a b:NoSchedule",
    "a=b c:NoSchedule",
    "a=b=c:NoSchedule",
    "a:b:NoSchedule",
    "/draining:NoSchedule",
    "Example.com/draining:NoSchedule",
    "example.com/draining/now:NoSchedule",
    "example.com/:NoSchedule",
    "-draining:NoSchedule",
    "draining-:NoSchedule",
    "draining=-:NoSchedule",
    `${"x".repeat(64)}:NoSchedule`,
    `draining=${"x".repeat(64)}:NoSchedule`,
    "draining:NoSchedule\n",
  ])("is refused if the API server would refuse it: %j", (text) => {
    expect(complaint("DRAIN_TAINT", text)).toBe(
      `config.invalid: reading DRAIN_TAINT: expected empty, or a taint such as example.com/draining=true:NoSchedule, got ${JSON.stringify(text)}`,
    );
  });

  it("is refused if it would evict pods past their budgets", () => {
    expect(complaint("DRAIN_TAINT", "draining=true:NoExecute")).toContain(
      "expected a taint that evicts no pod, because NoExecute asks no budget, such as example.com/draining=true:NoSchedule, got ",
    );
  });

  it.each([
    "ToBeDeletedByClusterAutoscaler",
    "DeletionCandidateOfClusterAutoscaler",
    "karpenter.sh/disrupted",
    "karpenter.sh/disruption",
    "node.kubernetes.io/out-of-service",
    "node.kubernetes.io/unschedulable",
    "node.cloudprovider.kubernetes.io/shutdown",
    "kubernetes.io/draining",
    "k8s.io/draining",
  ])("is refused if its key means something to others: %s", (key) => {
    expect(complaint("DRAIN_TAINT", `${key}=1:NoSchedule`)).toContain(
      "expected a taint with a key of your own, such as example.com/draining=true:NoSchedule, got ",
    );
  });
});

describe("the settings of a group", () => {
  const tag = (name: string) => `eks-node-lifecycle/${name}`;
  const tagged = (tags: Variables, change: Variables = {}) =>
    config(change).drain.settingsFor(tags);

  it("come with a warning when a tag does not fit; the other settings stay", () => {
    const tags = {
      [tag("drain-timeout-seconds")]: "soon",
      [tag("drain-force")]: "never",
      [tag("drain-mode")]: "",
    };
    expect(tagged(tags, { DRAIN_TIMEOUT_SECONDS: "600" })).toEqual({
      settings: { ...settings(), timeout: minutes(10), force: "never" },
      refused: [
        'tag eks-node-lifecycle/drain-timeout-seconds: expected a whole number of seconds from 30 to 172800, got "soon"; ignored',
        'tag eks-node-lifecycle/drain-mode: expected "evict" or "cordon-only" or "dry-run", got ""; ignored',
      ],
    });
  });

  it("may give up force, but not ask for it where the function has no right to delete pods", () => {
    const force = (value: string) => tagged({ [tag("drain-force")]: value }, never);
    const never = { DRAIN_FORCE: "never" };
    expect(force("never")).toEqual({ settings: settings(never), refused: [] });
    expect(force("at-deadline")).toEqual({
      settings: settings(never),
      refused: [
        'tag eks-node-lifecycle/drain-force: expected "never", for DRAIN_FORCE=never gives no right to delete pods, got "at-deadline"; ignored',
      ],
    });
    expect(tagged({ [tag("drain-force")]: "at-deadline" }).refused).toEqual([]);
  });
});
