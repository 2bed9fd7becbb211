export const told = "told";
