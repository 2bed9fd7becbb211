/** The beginnings of commands in the pages that no test runs or judges, each with the reason. */
export const unrunCommands: Readonly<Record<string, string>> = {
  "npm run template": "`.ci/run` runs it, and test/lib/any-cluster what it makes",
  "git clone https://github.com/OWNER-TO-BE-NAMED/eks-node-lifecycle": "needs a release",
  "cd eks-node-lifecycle": "the shell's",
  "npm ci": "`.ci/run` begins with it",
  "npm run set-up": "test/bin.test.ts runs its script in a project of its own",
  "npm test": "the tests of the pages are part of it",
  "npx cdk deploy -c cluster=NAME": "needs an account; test/lib deploys the template in a sandbox",
  "npx cdk bootstrap -c cluster=NAME": "needs an account",
  "npx cdk deploy --all":
    "the same; test/lib/cluster-file/cluster-files.test.ts chooses the stacks",
  "npx cdk deploy EksNodeLifecycleKey-eu-west-1-123456789012": "the same",
  "npx cdk synth --quiet -c cluster=NAME":
    "test/lib/synth.test.ts and plain-template.test.ts run it",
  "aws cloudformation deploy": "a command of the AWS CLI that is no operation",
  "aws eks wait": "a command of the AWS CLI that is no operation",
  "aws s3 sync": "a command of the AWS CLI that is no operation",
  "aws s3 cp": "a command of the AWS CLI that is no operation",
  "aws logs tail": "a command of the AWS CLI that is no operation",
  "aws events disable-rule --name DRAINER-RULE": "no client of EventBridge is installed",
  "helm uninstall aws-node-termination-handler --namespace kube-system":
    "another project's program",
  "kubectl apply -f -": "test/cluster applies the manifests that it is given here",
  "jq .kind": "another project's program",
  "cd cdk.out": "the shell's",
  "STACK=EksNodeLifecycle-NAME": "the shell's",
  "output() {": "the shell's; test/lib/runbook.test.ts knows the outputs",
  "for id in $(output MappingId)":
    "the shell's, over the command of AWS that other pages show; test/lib/runbook.test.ts knows the outputs",
  "for folder in asset.*/;": "the shell's; test/lib/plain-template.test.ts reads the folders",
  ".ci/release OWNER/NAME": "the workflow of a release runs it twice, and compares",
  "gh release download vX.Y.Z": "needs a release",
  "gh release create vX.Y.Z": "the workflow of a release does it, for all but the first",
  "npm publish eks-node-lifecycle-VERSION.tgz": "the same",
  "cd dist/release": "the shell's",
  "sha256sum -c SHA256SUMS": "needs the files of a release that somebody has downloaded",
};
