/** The names and the role of the repair function in a real world. */
export const demoRepairs = {
  names: {
    stack: "EksNodeLifecycle-demo-repairs",
    function: "repair",
    topic: "demo-repairs",
    queue: "demo-repairs",
    deadLetters: "demo-repairs-dead-letters",
  },
  role: { name: "eks-node-lifecycle-demo-repairs", path: "/" },
};
