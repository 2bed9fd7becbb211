import { describe, expect, it } from "vitest";
import { mayAsk } from "../../lambda/kubernetes/asked-host.ts";

const runtimeApi = "127.0.0.1:9001";

describe("a check of a node", () => {
  it.each(["http://10.0.0.7:8080/ready", "http://[2600:1f14::7]:8080/ready", "http://127.0.0.1/"])(
    "asks at %s",
    (url) => {
      expect(mayAsk(new URL(url), runtimeApi)).toBe(true);
    },
  );

  it.each([
    "http://169.254.169.254:80/latest/meta-data/",
    "http://169.254.170.2/",
    "http://2852039166/",
    "http://[::ffff:169.254.169.254]/",
    "http://[fe80::1]:8080/",
    "http://[fd00:ec2::254]/",
  ])("asks nothing of the link that the function is on: %s", (url) => {
    expect(mayAsk(new URL(url), runtimeApi)).toBe(false);
  });

  it.each(["127.0.0.1", "127.9.9.9", "0", "[::1]", "[::]", "[::ffff:127.0.0.1]"])(
    "asks at %s, but not the function's own runtime, which would hand out an event",
    (host) => {
      expect(mayAsk(new URL(`http://${host}:9001/`), runtimeApi)).toBe(false);
      expect(mayAsk(new URL(`http://${host}:9002/`), runtimeApi)).toBe(true);
      expect(mayAsk(new URL(`http://${host}:9001/`), "")).toBe(true);
    },
  );

  it("asks nobody by a name, which somebody else may resolve", () => {
    expect(mayAsk(new URL("http://kubernetes.default.svc:8080/"), runtimeApi)).toBe(false);
  });
});
