import { boughtFor } from "../../cli/replay/saved-action.ts";
import type { Maintenance } from "../../lambda/interruption/event-notice.ts";
import { type Notice, readNotice } from "../../lambda/notices.ts";
import type { Ec2 } from "../../sandbox/aws/ec2.ts";

/** Lets EC2 say of instances what an event says of them. */
export function makeTrue(ec2: Ec2, event: object): void {
  const notice = readNotice(event, "");
  for (const id of instancesOf(notice)) if (ec2.tryFind(id) !== undefined) change(ec2, id, notice);
}

const instancesOf = (notice: Notice): readonly string[] => {
  if ("instance" in notice) return [notice.instance];
  return notice.kind === "maintenance" ? notice.instances : [];
};

function change(ec2: Ec2, id: string, notice: Notice): void {
  if (notice.kind === "interrupted") ec2.buy(id, boughtFor[notice.capacity]);
  if (notice.kind === "at-risk") ec2.buy(id, "spot");
  if (notice.kind === "stopping" || notice.kind === "stopped") ec2.setState(id, notice.state);
  if (notice.kind === "maintenance") plan(ec2, id, notice);
}

function plan(ec2: Ec2, id: string, { event, startTime: notBefore, status }: Maintenance): void {
  const description = status === "closed" ? "[Canceled] retired" : "retired";
  ec2.schedule(id, { id: event, code: "instance-retirement", notBefore, description });
}
