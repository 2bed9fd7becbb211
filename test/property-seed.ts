const { PROPERTY_SEED } = process.env;

if (PROPERTY_SEED !== undefined) {
  const { default: fc } = await import("fast-check");
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(PROPERTY_SEED) });
}
