import { productName } from "../../lambda/base/contract.ts";
import { labelOf, recordAnnotation, recordLabel } from "../../lambda/making-room/record.ts";

const fieldsV1 = { "f:metadata": { "f:annotations": { [`f:${recordAnnotation}`]: {} } } };

/** The metadata of a record as a drain writes it: one that others have written counts as none. */
export const recordedByUs = (record: string) => ({
  managedFields: [{ manager: productName, operation: "Update", fieldsV1 }],
  labels: { [recordLabel]: labelOf(record) },
  annotations: { [recordAnnotation]: record },
});
