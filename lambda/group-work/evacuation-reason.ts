import { reasonRow } from "../drain/reason.ts";

/** The reason of drains with which a person empties a zone. */
export const evacuated = reasonRow("evacuated", { instance: "stays" });
