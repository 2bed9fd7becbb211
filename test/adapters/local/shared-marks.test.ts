import { expect, it } from "vitest";
import { SharedMarks } from "../../../lambda/adapters/local/shared-marks.ts";
import { instanceId } from "../../../lambda/domain/ids.ts";
import { instant, later, seconds } from "../../../lambda/domain/time.ts";

const id = instanceId("i-1");

function someMarks() {
  let now = instant(0);
  let made = 0;
  const marks = new SharedMarks({ now: () => now });
  const mark = async (): Promise<number> => {
    made += 1;
    return made;
  };
  return {
    marks,
    mark,
    made: () => made,
    wait(time: number) {
      now = later(now, seconds(time));
    },
  };
}

it("drains of one process share the mark of a node that is under way or just made", async () => {
  const { marks, mark, wait } = someMarks();
  const first = marks.share(id, mark);
  wait(19);
  expect(await marks.share(id, mark)).toBe(await first);
  wait(1);
  expect(await marks.share(id, mark)).toBe(2);
});

it("no drain marks a node that its own drain is marking", async () => {
  const { marks, mark, made } = someMarks();
  const own = Promise.resolve("own");
  marks.keep(id, own);
  expect(await marks.share(id, mark)).toBe("own");
  expect(await marks.share(instanceId("i-2"), mark)).toBe(1);
  expect(made()).toBe(1);
});
