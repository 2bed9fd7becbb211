// Plain JavaScript, because a Node that cannot read TypeScript has to read this.
if (!process.features.typescript) {
  process.stderr.write(
    `Node ${process.versions.node} does not run TypeScript: run \`npm ci\` without --ignore-scripts, which installs a Node that does, or use Node 22.18 or newer\n`,
  );
  process.exit(1);
}
