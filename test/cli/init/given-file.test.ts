import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, vi } from "vitest";
import { main } from "../../../cli/main.ts";
import { capturedIo } from "../captured-io.ts";
import { jsonLines } from "../json-lines-schema.ts";
import { it, owned, type Surroundings } from "./discovered-account.ts";

const own = {
  drain: { mode: "dry-run", timeoutSeconds: 600 },
  alarms: { notify: ["arn:aws:sns:eu-west-1:123456789012:on-call"] },
  upgrades: "on",
  tags: { team: "platform" },
};
const byHand = "arn:aws:iam::123456789012:role/by-hand";
const otherTemplate = "lt-0a1b2c3d4e5f60719";
const nodes = "arn:aws:iam::123456789012:role/team/nodes";

/** The file as its owner has it: some settings more, one subnet fewer, and a role that a later group had before. */
interface Edited extends Surroundings {
  readonly text: string;
  readonly file: () => Record<string, unknown>;
}

const edited = it.extend<{ edit: Edited }>({
  edit: async ({ world }, use) => {
    const told = capturedIo();
    await main(["init", "demo", "--json"], told);
    const [{ file: found }] = jsonLines(told) as unknown as [{ file: { cluster: object } }];
    mkdirSync(dirname(world.path));
    const cluster = { ...found.cluster, subnetIds: ["subnet-0aaaaaaaaaaaaaaa1"] };
    const text = JSON.stringify({ ...found, ...own, cluster, nodeRoleArns: [byHand] });
    writeFileSync(world.path, text);
    const file = () => JSON.parse(readFileSync(world.path, "utf8")) as Record<string, unknown>;
    await use({ ...world, text, file });
  },
});

const zones = ["eu-west-1a"];

describe("init, where the cluster has a file", () => {
  edited("adds what is new, and leaves all that somebody has written", async ({ edit }) => {
    edit.aws.eks.updateCluster("demo", { authenticationMode: "API_AND_CONFIG_MAP" });
    const { io, text, path } = edit;

    expect(await main(["init", "demo", "--force"], io)).toBe(0);

    const { cluster, ...rest } = JSON.parse(text) as { cluster: object };
    expect(edit.file()).toEqual({
      ...rest,
      cluster: { ...cluster, authenticationMode: "API_AND_CONFIG_MAP" },
      nodeRoleArns: [byHand, nodes],
    });
    expect(io.out()).toContain(
      `clusters/demo.json would change; everything else stays as it is there:
  cluster.authenticationMode: "API" becomes "API_AND_CONFIG_MAP"
  nodeRoleArns: also ${nodes}
clusters/demo.json written; clusters/demo.json.bak is how it was
`,
    );
    expect(readFileSync(`${path}.bak`, "utf8")).toBe(text);
  });

  edited("asks at a terminal, and writes nothing unless the answer is yes", async ({ edit }) => {
    const asked = (answer: string) => capturedIo({ cwd: edit.cwd, answer });

    for (const answer of ["", "n", "nonsense", "\u0000"]) {
      const io = asked(answer);
      expect(await main(["init", "demo", "--update"], io)).toBe(3);
      expect(io.err()).toContain("Write this? [y/N] ");
      expect(io.err()).toContain("clusters/demo.json stays as it is\n");
    }
    expect(readFileSync(edit.path, "utf8")).toBe(edit.text);
    expect(readdirSync(dirname(edit.path))).toEqual(["demo.json"]);

    expect(await main(["init", "demo", "--update"], asked(" Yes "))).toBe(0);
    expect(edit.file()).toMatchObject({ ...own, nodeRoleArns: [byHand, nodes] });
  });

  edited(
    "asks the account by the profile in the file, unless the user names another",
    async ({ edit }) => {
      writeFileSync(edit.path, JSON.stringify({ ...edit.file(), alarms: {}, profile: "nobody" }));
      const named = capturedIo({ cwd: edit.cwd });
      const ids = ["aws_access_key_id", "aws_secret_access_key", "aws_session_token"];
      const lines = ids.map((id) => `${id}=${process.env[id.toUpperCase()]}`);
      writeFileSync(`${edit.path}.credentials`, ["[other]", ...lines].join("\n"));
      vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", `${edit.path}.credentials`);

      expect(await main(["init", "demo", "--update"], edit.io)).toBe(1);
      expect(edit.io.err()).toContain("no credentials of AWS were found");

      expect(await main(["init", "demo", "--profile", "other", "--force"], named)).toBe(0);
      expect(edit.file()).toMatchObject({ profile: "nobody", nodeRoleArns: [byHand, nodes] });
    },
  );

  edited("writes nothing where nobody can answer, and names the way", async ({ edit }) => {
    const { io, path, text } = edit;

    expect(await main(["init", "demo", "--update"], io)).toBe(3);

    expect(io.out()).toContain(`  nodeRoleArns: also ${nodes}\n`);
    expect(io.err()).toContain(
      "clusters/demo.json stays as it is; --force writes this without asking\n",
    );
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  edited("takes a group into the file only if its owner does, and names it", async ({ edit }) => {
    const { aws, template } = edit;
    aws.autoScaling.createGroup({ name: "gpu", zones, tags: [owned], template });
    const { io } = edit;

    expect(await main(["init", "demo", "--force"], io)).toBe(0);

    expect(edit.file()).toMatchObject({ groups: ["workers"] });
    expect(io.err()).toContain(
      'note: the file does not name gpu: add it to "groups" and repeat this, if its nodes shall be looked after too\n',
    );
  });

  edited("looks at a group that the file names, whatever its tags", async ({ edit }) => {
    const { arn } = edit.aws.iam.createInstanceProfile({ name: "untagged", path: "/" }, [
      edit.aws.iam.createRole({ name: "untagged", path: "/" }),
    ]);
    const template = { ...edit.template, id: otherTemplate, profileArn: arn };
    edit.aws.autoScaling.createGroup({ name: "untagged", zones, tags: [], template });
    writeFileSync(edit.path, JSON.stringify({ ...edit.file(), groups: ["untagged", "gone"] }));

    expect(await main(["init", "demo", "--force"], edit.io)).toBe(0);

    expect(edit.file()).toMatchObject({
      groups: ["untagged", "gone"],
      nodeRoleArns: [byHand, "arn:aws:iam::123456789012:role/untagged"],
      launchTemplateIds: [edit.template.id, otherTemplate],
    });
    expect(edit.io.err()).toContain(
      'note: "groups" names gone: there is no such group, or EKS manages it\n',
    );
  });

  edited("says which entries no group needs, and leaves them", async ({ edit }) => {
    await main(["init", "demo", "--force"], edit.io);

    expect(edit.io.err()).toContain(
      `note: none of the file's groups has ${byHand} in "nodeRoleArns": take it out, unless a group with the groupTag has it\n`,
    );
  });

  edited("brings no dry run back where somebody has taken it out", async ({ edit }) => {
    const { drain: _, ...evicting } = edit.file();
    writeFileSync(edit.path, JSON.stringify(evicting));

    expect(await main(["init", "demo", "--force"], edit.io)).toBe(0);

    expect(edit.file()).toMatchObject({ nodeRoleArns: [byHand, nodes] });
    expect(edit.file()).not.toHaveProperty("drain");
  });

  edited("is brought up to date by the name `discover` too", async ({ edit }) => {
    expect(await main(["discover", "--force", "demo"], edit.io)).toBe(0);
    expect(edit.file()).toMatchObject({ nodeRoleArns: [byHand, nodes] });

    const io = capturedIo({ cwd: edit.cwd });
    expect(await main(["discover", "demo"], io)).toBe(0);
    expect(io.out()).toBe("clusters/demo.json has all of it already\n");
  });

  edited("is done where nothing is new", async ({ edit }) => {
    await main(["init", "demo", "--force"], edit.io);
    const before = readFileSync(edit.path, "utf8");
    const io = capturedIo({ cwd: edit.cwd });

    expect(await main(["init", "demo", "--update"], io)).toBe(0);

    expect(io.out()).toBe("clusters/demo.json has all of it already\n");
    expect(readFileSync(edit.path, "utf8")).toBe(before);
    expect(readFileSync(`${edit.path}.bak`, "utf8")).toBe(edit.text);
  });

  edited("asks nothing and reads no file with --json", async ({ edit }) => {
    writeFileSync(edit.path, "{");
    const io = capturedIo({ cwd: edit.cwd, answer: "y" });

    expect(await main(["init", "demo", "--json"], io)).toBe(0);

    expect(jsonLines(io)).toMatchObject([{ kind: "cluster", file: { nodeRoleArns: [nodes] } }]);
    expect(io.err()).not.toContain("[y/N]");
    expect(readFileSync(edit.path, "utf8")).toBe("{");
  });

  const unreadable = "is not the JSON of a cluster's file";
  it.for([
    ["{", unreadable],
    ["[]", unreadable],
    ['{ "groups": "workers" }', unreadable],
    ["a folder", "cannot be read: it is a folder"],
  ] as const)("leaves what it cannot read: %s", async ([text, words], { world }) => {
    mkdirSync(text === "a folder" ? world.path : dirname(world.path), { recursive: true });
    if (text !== "a folder") writeFileSync(world.path, text);

    expect(await main(["init", "demo", "--force"], world.io)).toBe(1);

    expect(world.io.err()).toBe(
      `clusters/demo.json ${words}; correct it, or move it away and repeat this\n`,
    );
    if (text !== "a folder") expect(readFileSync(world.path, "utf8")).toBe(text);
  });
});
