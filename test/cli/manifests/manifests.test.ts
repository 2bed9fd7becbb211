import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { main } from "../../../cli/main.ts";
import { capturedIo } from "../captured-io.ts";
import { folderForTest } from "../folder-for-test.ts";
import { jsonLines } from "../json-lines-schema.ts";

interface Named {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: object };
  readonly spec?: {
    readonly variables?: readonly { readonly name: string; readonly expression: string }[];
  };
}

const cluster = {
  name: "demo",
  account: "123456789012",
  region: "cn-north-1",
  authenticationMode: "CONFIG_MAP",
  vpcId: "vpc-0123456789abcdef0",
  subnetIds: ["subnet-0123456789abcdef0"],
  securityGroupId: "sg-0123456789abcdef0",
};
const place = {
  groups: ["workers"],
  nodeRoleArns: ["arn:aws-cn:iam::123456789012:role/team/nodes"],
};

/** A folder with a cluster's file, and what the command prints in it. */
async function printed(
  drain: unknown,
  options: readonly string[] = [],
  {
    cluster: its = {},
    ...more
  }: { readonly cluster?: object; readonly [key: string]: unknown } = {},
) {
  const whole = { cluster: { ...cluster, ...its }, ...place, ...more, drain };
  const cwd = folderForTest({ "clusters/demo.json": JSON.stringify(whole) });
  const io = capturedIo({ cwd });
  const code = await main(["manifests", "demo", ...options], io);
  const documents: readonly unknown[] = parseAllDocuments(io.out()).map((one) => one.toJS());
  const objects = documents.flatMap((one) => (one === null ? [] : [one as Named]));
  return { code, objects, out: io.out(), err: io.err() };
}

const names = (objects: readonly Named[]) =>
  objects.map(({ kind, metadata: { name } }) => `${kind} ${name}`);

describe("manifests", () => {
  it("prints what kubectl applies, with the admission policies first", async () => {
    const { code, objects } = await printed(undefined);
    expect(code).toBe(0);
    expect(names(objects)).toEqual([
      "ValidatingAdmissionPolicy eks-node-lifecycle",
      "ValidatingAdmissionPolicyBinding eks-node-lifecycle",
      "ValidatingAdmissionPolicy eks-node-lifecycle-aws-auth",
      "ValidatingAdmissionPolicyBinding eks-node-lifecycle-aws-auth",
      "ValidatingAdmissionPolicy eks-node-lifecycle-events",
      "ValidatingAdmissionPolicyBinding eks-node-lifecycle-events",
      "ClusterRole eks-node-lifecycle",
      "ClusterRoleBinding eks-node-lifecycle",
      "Role eks-node-lifecycle",
      "RoleBinding eks-node-lifecycle",
      "Role eks-node-lifecycle-aws-auth-edit",
      "RoleBinding eks-node-lifecycle-aws-auth-edit",
      "ClusterRole eks-node-lifecycle-events",
      "ClusterRoleBinding eks-node-lifecycle-events",
      "ClusterRole eks-node-lifecycle-force",
      "ClusterRoleBinding eks-node-lifecycle-force",
      "ClusterRole eks-node-lifecycle-node-removal",
      "ClusterRoleBinding eks-node-lifecycle-node-removal",
    ]);
    expect(objects[8]).toMatchObject({ metadata: { namespace: "kube-system" } });
  });

  it("follows the cluster's file: no right to record Events where they are off", async () => {
    const { objects } = await printed(undefined, [], { reports: { kubernetesEvents: "off" } });
    expect(names(objects)).not.toContain("ClusterRole eks-node-lifecycle-events");
    expect(names(objects)).toContain("ValidatingAdmissionPolicy eks-node-lifecycle-events");
  });

  it("follows the cluster's file: no right to remove nodes, and a policy that lets nodes be out of service", async () => {
    const never = await printed(undefined, [], { events: { removeNode: "never" } });
    expect(names(never.objects)).not.toContain("ClusterRole eks-node-lifecycle-node-removal");
    const { objects } = await printed(undefined, [], { events: { outOfService: "taint" } });
    expect(objects[0]).toMatchObject({
      spec: {
        variables: expect.arrayContaining([{ name: "outOfService", expression: "'taint'" }]),
      },
    });
  });

  it("follows the cluster's file: no right to force, and a policy for its taint", async () => {
    const taint = "example.com/draining=true:NoSchedule";
    const { objects } = await printed({ force: "never", taint });
    expect(names(objects)).not.toContain("ClusterRole eks-node-lifecycle-force");
    expect(objects[0]).toMatchObject({
      spec: {
        variables: expect.arrayContaining([{ name: "ownTaint", expression: `'${taint}'` }]),
      },
    });
  });

  const limits = (objects: readonly Named[]) => {
    const spec = objects.map(({ spec: it }) => it)[2];
    return Object.fromEntries(spec?.variables?.map((it) => [it.name, it.expression]) ?? []);
  };

  it.each([
    ["the file's", {}],
    ["the nodes'", { cluster: { account: undefined } }],
  ])("lets the function map the roles of nodes of one account, %s", async (_, file) => {
    const { objects } = await printed({}, [], file);
    const account = "arn:aws-cn:iam::123456789012";
    const nodeRoles = `['${account}:role/nodes']`;
    expect(limits(objects)).toMatchObject({ account: `'${account}'`, nodeRoles });
  });

  it("refuses to print a right to map roles if the file does not name them", async () => {
    const { code, out, err } = await printed({}, [], { nodeRoleArns: undefined });
    expect(code).toBe(1);
    expect(err).toBe(
      'clusters/demo.json does not fit: nodeRoleArns: expected the roles of the nodes, the only ones that the function may map in aws-auth, such as ["arn:aws:iam::123456789012:role/nodes"]; "npx eks-node-lifecycle init demo --json" finds them, got nothing; clusters/cluster.schema.json says what may be there\n',
    );
    expect(out).toBe("");
  });

  it("says of each object that somebody has applied it by hand, and from which version", async () => {
    const { objects } = await printed({});
    for (const { metadata } of objects)
      expect(metadata.annotations).toEqual({ "eks-node-lifecycle/owner-by-hand": "0.1.0" });
  });

  it("says nothing of aws-auth where an access entry admits the function", async () => {
    const byEntry = { cluster: { authenticationMode: "API" }, rights: "by hand" };
    const { out } = await printed({}, [], byEntry);
    expect(out).not.toContain("mapRoles of the ConfigMap");
    expect(out).toMatch(/^apiVersion: admissionregistration/);
  });

  it.each([
    ["by access entries", { cluster: { authenticationMode: "API" } }, []],
    [
      "by either",
      { cluster: { authenticationMode: "API_AND_CONFIG_MAP" } },
      ["eks-node-lifecycle"],
    ],
    ["by nobody, for no launch is held", { hooks: { launching: "not held" } }, []],
    [
      "by access entries alone",
      {
        cluster: { authenticationMode: "API_AND_CONFIG_MAP" },
        launch: { access: "access-entry" },
      },
      [],
    ],
  ])("gives no right to write aws-auth if nodes are registered %s", async (_, file, roles) => {
    const { objects } = await printed({}, [], file);
    const given = objects.filter(({ kind }) => kind === "Role");
    expect(given.map(({ metadata }) => metadata.name)).toEqual(roles);
  });

  it("shows in a comment what belongs in aws-auth, without the path of the role", async () => {
    const { out } = await printed({}, ["--role", "arn:aws:iam::123456789012:role/team/demo"]);
    const [told = ""] = out.split("---");
    const mapping = told
      .split("\n")
      .slice(1)
      .map((line) => line.replace(/^# /, ""));
    expect(parse(mapping.join("\n"))).toEqual([
      {
        rolearn: "arn:aws:iam::123456789012:role/demo",
        username: "eks-node-lifecycle",
        groups: ["eks-node-lifecycle"],
      },
    ]);
  });

  it("says how to take away what the file no longer asks for, for kubectl apply does not", async () => {
    const { err } = await printed({ force: "never" });
    expect(err).toBe(
      "kubectl apply takes no right away; what the file no longer asks for goes with: npx eks-node-lifecycle manifests demo --removed | kubectl delete --ignore-not-found -f -\n",
    );
  });

  it("prints with --removed all that it prints for no setting of the file, the fences last", async () => {
    const off = {
      events: { removeNode: "never" },
      reports: { kubernetesEvents: "off" },
      cluster: { authenticationMode: "API" },
    };
    const { code, objects, err } = await printed({ force: "never" }, ["--removed"], off);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const kinds = (kind: string) =>
      objects.filter((one) => one.kind === kind).map(({ metadata: { name } }) => name);
    expect(new Set(kinds("ClusterRole"))).toEqual(
      new Set(
        ["conditions", "events", "force", "making-room", "node-removal"].map(
          (it) => `eks-node-lifecycle-${it}`,
        ),
      ),
    );
    expect(kinds("Role")).toEqual([
      "eks-node-lifecycle-agent-restart",
      "eks-node-lifecycle-aws-auth-edit",
      "eks-node-lifecycle",
    ]);
    expect(kinds("ClusterRoleBinding")).toContain("eks-node-lifecycle-repairs");
    expect(kinds("ClusterRoleBinding")).toContain("eks-node-lifecycle-upgrades");
    const [last = 0, fence = 0] = [
      objects.findLastIndex(({ kind }) => /Role/.test(kind)),
      objects.findIndex(({ kind }) => kind.startsWith("ValidatingAdmission")),
    ];
    expect(fence).toBeGreaterThan(last);
  });

  it("prints every object of the rights with or without --removed, and none with both", async () => {
    for (const file of [{}, { upgrades: "on", launchTemplateIds: ["lt-0123456789abcdef0"] }]) {
      const [kept, removed] = [await printed({}, [], file), await printed({}, ["--removed"], file)];
      const all = [...names(kept.objects), ...names(removed.objects)];
      expect(new Set(all).size).toBe(all.length);
      expect(all).toHaveLength(32);
    }
  });

  it.each([
    ["never", "restart-agent", "on", true],
    ["never", "off", "on", false],
    ["never", "restart-agent", "off", false],
    ["at-deadline", "restart-agent", "on", false],
  ] as const)(
    "lets the agent be restarted where force is %s, the second opinion %s and repairs %s: %s",
    async (force, secondOpinion, repairs, isThere) => {
      const { objects } = await printed({ force }, [], { repairs, repair: { secondOpinion } });
      expect(names(objects).join()).toMatch(isThere ? /agent-restart/ : /^(?!.*agent-restart)/);
      const [fence] = objects;
      expect(JSON.stringify(fence)).toContain(JSON.stringify(`'${force}'`).slice(1, -1));
    },
  );

  it("gives programs the same as JSON", async () => {
    const arn = "arn:aws:iam::123456789012:role/demo";
    const { code, out } = await printed({}, ["--json", "--role", arn]);
    expect(code).toBe(0);
    expect(jsonLines({ out: () => out })).toMatchObject([
      {
        kind: "manifests",
        mapRoles: [
          { rolearn: arn, username: "eks-node-lifecycle", groups: ["eks-node-lifecycle"] },
        ],
        items: { length: 18, 0: { kind: "ValidatingAdmissionPolicy" } },
      },
    ]);
  });

  const more = { upgrades: "on", repairs: "on", launchTemplateIds: ["lt-0123456789abcdef0"] };
  it("names an entry of aws-auth for the role of each function that the file asks for", async () => {
    const { out } = await printed({}, [], more);
    const [head = ""] = out.split("---\n");
    const entries: unknown = parse(head.replace(/^# (?:To be added .*)?/gm, ""));
    const groupsOf = (one: string) => ({ username: one, groups: [one] });
    expect(entries).toMatchObject([
      groupsOf("eks-node-lifecycle"),
      groupsOf("eks-node-lifecycle-upgrades"),
      groupsOf("eks-node-lifecycle-repairs"),
    ]);
    expect(out.match(/To be added to mapRoles/g)).toHaveLength(1);
  });

  it("says where to find the ARN if it is not given", async () => {
    const { out } = await printed({});
    expect(out).toContain("# - rolearn: ARN, as the stack's output AwsAuthMapping has it\n");
  });

  it.each([
    [
      { taint: "' || true:NoSchedule" },
      `reading clusters/demo.json.drain.taint: expected empty, or a taint with a key of your own that evicts no pod, such as example.com/draining=true:NoSchedule, got "' || true:NoSchedule"`,
    ],
    [
      { force: "always", timeout: 5 },
      'clusters/demo.json does not fit: drain.force: expected "at-deadline" or "never", got "always", drain: there is no "timeout"',
    ],
  ])(
    "names what is wrong in the file, where it is, and what would be right: %j",
    async (drain, told) => {
      const { code, out, err } = await printed(drain);
      expect(code).toBe(1);
      expect(err).toBe(`${told}; clusters/cluster.schema.json says what may be there\n`);
      expect(out).toBe("");
    },
  );

  it("takes no path for a name, and tells the names that there are", async () => {
    const io = capturedIo({ cwd: join(import.meta.dirname, "../../..") });

    expect(await main(["manifests", "../clusters/sample"], io)).toBe(1);
    expect(io.err()).toBe(
      "../clusters/sample is a path, and not the name of a cluster in clusters/; name one of these: sample\n",
    );
  });

  it("says how to get a file that is not there", async () => {
    const io = capturedIo();
    expect(await main(["manifests", "nowhere"], io)).toBe(1);
    expect(io.err()).toBe(
      "cannot read clusters/nowhere.json; run it in the project's folder, where eks-node-lifecycle init writes the file\n",
    );
  });
});
