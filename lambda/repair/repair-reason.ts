import { reasonRow } from "../drain/reason.ts";

/** The reason of drains of nodes that are ill. */
export const ill = reasonRow("ill", { deadline: "prolongs" });
