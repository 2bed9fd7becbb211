import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { main } from "../../../cli/main.ts";
import { capturedIo } from "../captured-io.ts";
import { fileForTest } from "../folder-for-test.ts";

async function scriptFor(shell: string): Promise<string> {
  const io = capturedIo();
  expect(await main(["completion", shell], io)).toBe(0);
  return io.out();
}

/** What bash proposes for the last of some words. */
async function proposed(...words: readonly string[]): Promise<readonly string[]> {
  const file = fileForTest("completion.bash", await scriptFor("bash"));
  const program = `source ${file}
COMP_WORDS=(eks-node-lifecycle "$@"); COMP_CWORD=$#
_eks_node_lifecycle; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync("bash", ["-c", program, "bash", ...words], {
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout.split("\n").filter((word) => word !== "");
}

describe("completion in bash", () => {
  it("proposes the commands that begin so", async () => {
    expect(await proposed("st")).toEqual(["status"]);
    expect(await proposed("")).toEqual(expect.arrayContaining(["replay", "status", "--help"]));
  });

  it("proposes the options of the command", async () => {
    expect(await proposed("status", "demo", "--w")).toEqual(["--watch"]);
    expect(await proposed("replay", "--w")).toEqual([]);
  });

  it("proposes the words that an option or an argument may be", async () => {
    expect(await proposed("replay", "--via", "")).toEqual(["queue", "direct"]);
    expect(await proposed("completion", "z")).toEqual(["zsh"]);
    expect(await proposed("upgrade", "p")).toEqual(["pause"]);
  });

  it("works for npx where a function has the name, as the help says", async () => {
    const io = capturedIo();
    await main(["completion", "--help"], io);
    const [, own = ""] = /(eks-node-lifecycle\(\) \{ .* \})/.exec(io.out()) ?? [];
    const file = fileForTest("named.bash", `${own}\n${await scriptFor("bash")}`);
    const program = `npx() { echo "npx $*"; }; source ${file}; eks-node-lifecycle status demo; complete -p eks-node-lifecycle`;

    const { stdout } = spawnSync("bash", ["-c", program], { encoding: "utf8" });

    expect(stdout).toBe(
      "npx eks-node-lifecycle status demo\ncomplete -o default -F _eks_node_lifecycle eks-node-lifecycle\n",
    );
  });

  it("leaves values that nobody can list to bash, which completes files", async () => {
    expect(await proposed("status", "--kubeconfig", "")).toEqual([]);
  });
});

describe("completion in other shells", () => {
  it("knows every command and option in zsh", async () => {
    const script = await scriptFor("zsh");

    expect(script).toMatch(/^#compdef eks-node-lifecycle\n/);
    expect(script).toContain("'--via[how the event gets to the function]:value:(queue direct)'");
    expect(script).toContain("'status:show which instances are held");
  });

  it("knows every command and option in fish", async () => {
    const script = await scriptFor("fish");

    expect(script).toContain(
      "-n '__fish_seen_subcommand_from replay' -l via -xa 'queue direct' -d 'how the event gets to the function'\n",
    );
  });
});
