import { type InstanceId, instanceId } from "../../lambda/base/ids.ts";
import type { Node } from "../../lambda/drain/node.ts";

/** The instance of a node, by the last part of its provider ID. */
export const instanceOf = ({ providerId }: Pick<Node, "providerId">): InstanceId =>
  instanceId(providerId.split("/").at(-1) ?? "");
