import { afterEach, describe, expect, it, vi } from "vitest";
import { parseConfig, readConfig } from "../../lambda/config/config.ts";
import { hours, minutes, seconds } from "../../lambda/domain/time.ts";
import { Fault } from "../../lambda/fault.ts";

const place = {
  AWS_REGION: "eu-west-1",
  CLUSTER_NAME: "demo",
  MANAGED_GROUPS: '["workers","gpu"]',
  QUEUE_URL: "https://sqs.eu-west-1.amazonaws.com/123456789012/notices",
  DEAD_LETTER_QUEUE_URL: "https://sqs.eu-west-1.amazonaws.com/123456789012/dead-letters",
};

type Variables = Readonly<Record<string, string | undefined>>;

const config = (change: Variables = {}) => parseConfig({ ...place, ...change });
const settings = (change: Variables = {}, tags: Variables = {}) =>
  config(change).drain.settingsFor(tags).settings;

/** The complaint about a value; a fault of another kind, or none, fails the test. */
function complaint(key: string, value: string | undefined): string {
  try {
    config({ [key]: value });
  } catch (cause) {
    if (cause instanceof Fault && cause.code === "config.invalid") return cause.message;
    throw cause;
  }
  throw new Error(`${key}=${value} was accepted`);
}

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

  it("may have the shortest of names", () => {
    const change = { AWS_REGION: "r", CLUSTER_NAME: "c", MANAGED_GROUPS: '["g"]' };
    expect(config(change)).toMatchObject({ clusterName: "c", drain: { managed: ["g"] } });
  });

  it("cannot be changed", () => {
    expect(Object.isFrozen(config())).toBe(true);
  });

  it("takes no notice of what else is in the environment", () => {
    expect(config({ PATH: "/usr/bin", DRAIN_MOOD: "good" }).clusterName).toBe("demo");
  });

  it("may be that of an emulator, without TLS", () => {
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
  });
});

describe("a place that does not fit is refused", () => {
  const list = 'a JSON list of Auto Scaling group names, such as ["workers"]';

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
    ["QUEUE_URL", undefined, "the URL of a queue", "nothing"],
    ["QUEUE_URL", "notices", "the URL of a queue", '"notices"'],
    ["QUEUE_URL", "shttp://example.com/q", "the URL of a queue", '"shttp://example.com/q"'],
    ["QUEUE_URL", "httpss://example.com/q", "the URL of a queue", '"httpss://example.com/q"'],
    ["QUEUE_URL", "ftp://example.com/notices", "the URL of a queue", '"ftp://example.com/notices"'],
    ["DEAD_LETTER_QUEUE_URL", undefined, "the URL of a queue", "nothing"],
    ["DEAD_LETTER_QUEUE_URL", "", "the URL of a queue", '""'],
  ])("with its name, its value and what would do: %s=%s", (...row) => {
    const [key, value, expected, got] = row;
    expect(complaint(key, value)).toBe(
      `config.invalid: reading ${key}: expected ${expected}, got ${got}`,
    );
  });

  it("without a page of it", () => {
    expect(complaint("QUEUE_URL", "x".repeat(5000))).toBe(
      `config.invalid: reading QUEUE_URL: expected the URL of a queue, got "${"x".repeat(200)}"`,
    );
  });

  it("whatever its settings are", () => {
    expect(() => parseConfig({ DRAIN_MODE: "evict" })).toThrow(/reading AWS_REGION/);
  });
});

describe("the settings", () => {
  it("have the defaults that are documented", () => {
    expect(settings()).toEqual({
      timeout: minutes(15),
      force: "at-deadline",
      tiers: "critical-last",
      tierPercent: 75,
      settle: seconds(5),
      protections: [
        "karpenter.sh/do-not-disrupt",
        "cluster-autoscaler.kubernetes.io/safe-to-evict",
      ],
      volumeTimeout: minutes(3),
      concurrency: 20,
      taints: [],
      daemonSets: "leave",
      mode: "evict",
    });
  });

  it("are read from the environment", () => {
    const change = {
      DRAIN_TIMEOUT_SECONDS: "3600",
      DRAIN_FORCE: "never",
      DRAIN_TIERS: "none",
      DRAIN_TIER_PERCENT: "40",
      DRAIN_SETTLE_SECONDS: "0",
      DRAIN_PROTECTED_BY: '["karpenter.sh/do-not-disrupt"]',
      DRAIN_VOLUME_TIMEOUT_SECONDS: "0",
      DRAIN_CONCURRENCY: "5",
      DRAIN_TAINT: "example.com/draining=true:NoSchedule",
      DRAIN_DAEMONSETS: "evict",
      DRAIN_MODE: "cordon-only",
    };
    expect(settings(change)).toEqual({
      timeout: hours(1),
      force: "never",
      tiers: "none",
      tierPercent: 40,
      settle: seconds(0),
      protections: ["karpenter.sh/do-not-disrupt"],
      volumeTimeout: seconds(0),
      concurrency: 5,
      taints: [{ key: "example.com/draining", value: "true", effect: "NoSchedule", timeAdded: "" }],
      daemonSets: "evict",
      mode: "cordon-only",
    });
  });

  it.each([
    ["DRAIN_TIMEOUT_SECONDS", ["30", "172800", "0030"]],
    ["DRAIN_SETTLE_SECONDS", ["0", "120"]],
    ["DRAIN_VOLUME_TIMEOUT_SECONDS", ["0", "3600"]],
    ["DRAIN_CONCURRENCY", ["1", "100"]],
    ["DRAIN_FORCE", ["at-deadline", "never"]],
    ["DRAIN_TIERS", ["critical-last", "none"]],
    ["DRAIN_TIER_PERCENT", ["0", "100"]],
    ["HOOK_HEARTBEAT_SECONDS", ["30", "7200"]],
    ["DRAIN_MODE", ["evict", "cordon-only"]],
    ["DRAIN_PROTECTED_BY", ["[]", '["cluster-autoscaler.kubernetes.io/safe-to-evict"]']],
  ])("may be %s=%j", (key, values) => {
    for (const value of values) expect(() => config({ [key]: value })).not.toThrow();
  });

  const number = (unit: string, least: number, most: number) =>
    `a whole number of ${unit} from ${least} to ${most}`;
  const annotations =
    "a JSON list of annotations, of karpenter.sh/do-not-disrupt and cluster-autoscaler.kubernetes.io/safe-to-evict";

  it.each([
    [
      "DRAIN_TIMEOUT_SECONDS",
      number("seconds", 30, 172_800),
      ["29", "172801", "-60", "", " 60", "60s", "1e3", "60.0", "0x3c", "9999999999"],
    ],
    ["DRAIN_SETTLE_SECONDS", number("seconds", 0, 120), ["121", "-1", "five"]],
    ["DRAIN_VOLUME_TIMEOUT_SECONDS", number("seconds", 0, 3600), ["3601", "none"]],
    ["DRAIN_CONCURRENCY", number("evictions", 1, 100), ["0", "101", "all"]],
    ["DRAIN_FORCE", '"at-deadline" or "never"', ["", "true", "always", "AT-DEADLINE"]],
    ["DRAIN_TIERS", '"critical-last" or "none"', ["", "critical-first"]],
    ["DRAIN_TIER_PERCENT", number("percent", 0, 100), ["101", "-1", "75%"]],
    ["HOOK_HEARTBEAT_SECONDS", number("seconds", 30, 7200), ["29", "7201", ""]],
    ["DRAIN_DAEMONSETS", '"leave" or "evict"', ["", "all"]],
    ["DRAIN_MODE", '"evict" or "cordon-only"', ["", "dry-run"]],
    [
      "DRAIN_PROTECTED_BY",
      annotations,
      ["", "karpenter.sh/do-not-disrupt", '["karpenter.sh/do-not-evict"]', "{}", "[1]"],
    ],
  ])("are refused with name, value and what would do: %s", (key, expected, values) => {
    for (const value of values)
      expect(complaint(key, value)).toBe(
        `config.invalid: reading ${key}: expected ${expected}, got ${JSON.stringify(value)}`,
      );
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
    "may not where nothing does: DRAIN_TAINT=%j",
    (DRAIN_TAINT) => {
      expect(() => config({ ...evicted, DRAIN_TAINT })).toThrow(
        'reading DRAIN_DAEMONSETS: expected "leave", or "evict" with a DRAIN_TAINT of effect NoSchedule, got "evict"',
      );
    },
  );
});

describe("the taint", () => {
  const taintsOf = (text: string) => settings({ DRAIN_TAINT: text }).taints;
  const taint = { key: "example.com/draining", value: "", effect: "NoSchedule", timeAdded: "" };

  it("is none by an empty text", () => {
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
    "draining=true:NoExecute",
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
  ])("that the API would refuse, or that evicts, is refused: %j", (text) => {
    expect(complaint("DRAIN_TAINT", text)).toBe(
      `config.invalid: reading DRAIN_TAINT: expected empty, or a taint such as example.com/draining=true:NoSchedule, got ${JSON.stringify(text)}`,
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
  ])("whose key means something to others is refused: %s", (key) => {
    expect(complaint("DRAIN_TAINT", `${key}=1:NoSchedule`)).toContain(
      "expected a taint with a key of your own, such as example.com/draining=true:NoSchedule, got ",
    );
  });
});

describe("the settings of a group", () => {
  const tag = (name: string) => `eks-node-lifecycle/${name}`;
  const tagged = (tags: Variables, change: Variables = {}) =>
    config(change).drain.settingsFor(tags);

  it("are those of the deployment where its tags say nothing", () => {
    const change = { DRAIN_TIMEOUT_SECONDS: "600" };
    expect(tagged({ Name: "workers" }, change)).toEqual({
      settings: settings(change),
      refused: [],
    });
  });

  it("are its own where its tags say so", () => {
    const tags = {
      [tag("drain-timeout-seconds")]: "7200",
      [tag("drain-force")]: "never",
      [tag("drain-tiers")]: "none",
      [tag("drain-volume-timeout-seconds")]: "0",
      [tag("drain-concurrency")]: "3",
      [tag("drain-mode")]: "cordon-only",
    };
    expect(tagged(tags, { DRAIN_TIMEOUT_SECONDS: "600", DRAIN_SETTLE_SECONDS: "9" })).toEqual({
      settings: {
        ...settings(),
        timeout: hours(2),
        force: "never",
        tiers: "none",
        volumeTimeout: seconds(0),
        concurrency: 3,
        mode: "cordon-only",
        settle: seconds(9),
      },
      refused: [],
    });
  });

  it.each(["drain-taint", "drain-protected-by", "drain-settle-seconds"])(
    "are not its own in what concerns the whole cluster: %s",
    (name) => {
      expect(tagged({ [tag(name)]: "nonsense" })).toEqual({ settings: settings(), refused: [] });
    },
  );

  it("are told when a tag cannot be heeded; everything else stands", () => {
    const tags = {
      [tag("drain-timeout-seconds")]: "soon",
      [tag("drain-force")]: "never",
      [tag("drain-mode")]: "",
    };
    expect(tagged(tags, { DRAIN_TIMEOUT_SECONDS: "600" })).toEqual({
      settings: { ...settings(), timeout: minutes(10), force: "never" },
      refused: [
        'tag eks-node-lifecycle/drain-timeout-seconds: expected a whole number of seconds from 30 to 172800, got "soon"; ignored',
        'tag eks-node-lifecycle/drain-mode: expected "evict" or "cordon-only", got ""; ignored',
      ],
    });
  });

  it("may forgo force, but not ask for it where the right to delete pods is not given", () => {
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
