import { adoptErrorCodes } from './adopt-error-codes.ts'
import { handoffErrorCodes } from './handoff-error-codes.ts'
import { publishErrorCodes } from './publish-error-codes.ts'
import { ruleErrorCodes } from './rule-error-codes.ts'

/** The entry of a code on the errors page. */
export interface CodeEntry {
  /** The problem, one sentence. */
  readonly summary: string
  /** The remedy. */
  readonly fix: string
}

/** The codes that rules of `check` do not find, up to those of the handoff. */
const otherCodes = {
  // configuration files
  CONFIG_NOT_FOUND: {
    summary: 'No stackmason.yaml was found here or in a parent folder.',
    fix: 'Run the command inside a fleet repository, pass --fleet, or create one with `stackmason init`.',
  },
  CONFIG_SYNTAX: {
    summary: 'A configuration file is not well-formed YAML.',
    fix: 'Correct the YAML at the reported position.',
  },
  CONFIG_DUPLICATE_KEY: { summary: 'A map has the same key twice.', fix: 'Remove or rename one of the two.' },
  CONFIG_UNKNOWN_FIELD: {
    summary: 'A field is not part of the schema.',
    fix: 'Check the spelling: docs/03-configuration.md lists the fields of every file.',
  },
  CONFIG_MISSING_FIELD: { summary: 'A required field is missing.', fix: 'Add the field.' },
  CONFIG_WRONG_TYPE: {
    summary: 'A field has a value of the wrong type.',
    fix: 'Give a value of that type; quote it if a string is meant.',
  },
  CONFIG_INVALID_VALUE: {
    summary: 'A field has a value that is not allowed.',
    fix: 'docs/03-configuration.md says which values the field takes.',
  },
  CONFIG_CONFLICT: {
    summary: 'Two parts of the configuration contradict each other.',
    fix: 'Remove or change one of the two.',
  },
  VERSION_REFUSED: {
    summary: 'The fleet requires another version of stackmason.',
    fix: 'Run a version that spec.requiredVersion allows, or change it for everybody who works on the fleet.',
  },
  CONFIG_REFERENCE: {
    summary: 'A file names something that does not exist in the fleet.',
    fix: 'Correct the name, or add what it names.',
  },
  CONFIG_UNKNOWN_FILE: {
    summary: 'A file or folder of the fleet is in a place where nothing reads it.',
    fix: 'Give it a name that docs/02-fleet-repository.md lists, or move it out of the folder.',
  },
  // releases and archives
  RELEASE_NAME_INVALID: {
    summary: 'A release tag or cluster class name does not parse.',
    fix: 'Use <provider>-<stack>-<major>-<minor>-<version>; provider and stack may not contain a dash.',
  },
  RELEASE_NOT_FOUND: {
    summary: 'A release that the fleet uses is in none of its sources.',
    fix: 'Check the version and the source; `stackmason list` shows what the sources offer.',
  },
  RELEASE_INCOMPLETE: {
    summary: 'A release lacks a file that it must have.',
    fix: 'Build the release again with `stackmason build`, or fetch it again from its publisher. Where another checkout has the file, git ignores it, or nobody has committed it.',
  },
  RELEASE_MISMATCH: {
    summary: "A release's tag, chart name and metadata disagree.",
    fix: 'Usually the chart name in cluster-class/Chart.yaml is wrong. It should be <provider>-<stack>-<major>-<minor>-cluster-class. Of a signed release, find out first who gave the tag to it.',
  },
  RELEASE_METADATA_INVALID: {
    summary: 'metadata.yaml, csctl.yaml or clusteraddon.yaml of a release is not valid.',
    fix: 'Correct the field and build the release again.',
  },
  RELEASE_BUILD_TEMPLATE: {
    summary: 'A `<< … >>` build placeholder in a provider directory does not parse.',
    fix: 'Close the placeholder, or write the text without `<< `.',
  },
  RELEASE_UNKNOWN_HOOK: {
    summary: 'clusteraddon.yaml lists stages under a hook that does not exist.',
    fix: 'Rename the hook to AfterControlPlaneInitialized or BeforeClusterUpgrade; stages under other keys never run.',
  },
  RELEASE_STAGE_NOT_EXPRESSED: {
    summary:
      'A stage of clusteraddon.yaml asks for something that the rendered tree or the GitOps tool cannot express.',
    fix: '`conditions: ignore` in addons.yaml applies the addon in order, without waiting.',
  },
  RELEASE_UNUSED_ADDON: {
    summary: 'A release holds an addon that no stage applies.',
    fix: 'List the addon under a stage of clusteraddon.yaml, or drop it from the release.',
  },
  RELEASE_FILE_IGNORED: {
    summary: 'A release holds a file that is never read in this release format.',
    fix: 'Move its content to where this format expects it (docs/13-building-releases.md), or remove the file.',
  },
  RELEASE_TOO_LARGE: {
    summary: 'A release holds more files or bytes than allowed.',
    fix: 'Check where the release comes from and what its folder contains; releases are small.',
  },
  ARCHIVE_INVALID: { summary: 'An archive is damaged or not a gzipped tar.', fix: 'Fetch or build the archive again.' },
  ARCHIVE_PATH_TRAVERSAL: {
    summary: 'An archive has an entry whose path is absolute or leads outside.',
    fix: 'Do not use this archive: it is broken or malicious.',
  },
  ARCHIVE_LINK: { summary: 'An archive has a symbolic or hard link.', fix: 'Rebuild the archive without links.' },
  ARCHIVE_SPECIAL_FILE: {
    summary: 'An archive has a device, pipe or other special file.',
    fix: 'Do not use this archive: it is broken or malicious.',
  },
  ARCHIVE_TOO_LARGE: {
    summary: 'An archive unpacks to more bytes, entries or a higher ratio than allowed.',
    fix: 'Check where the archive comes from; charts are small.',
  },
  ARCHIVE_DUPLICATE_ENTRY: {
    summary: 'An archive holds the same path twice.',
    fix: 'Rebuild the archive; two programs could read two different charts from it.',
  },
  FILE_UNREADABLE: {
    summary: 'A file or folder could not be read.',
    fix: 'Check that it exists and that its permissions allow reading.',
  },
  FILE_OUTSIDE: {
    summary: 'A path or symbolic link leads outside the folder that it must stay in.',
    fix: 'Move the file inside, or name the other folder explicitly.',
  },
  // fetching
  FETCH_FAILED: {
    summary: 'A server could not be reached, or closed the connection, several times in a row.',
    fix: 'Check the address, the network and the proxy variables, then run again.',
  },
  FETCH_TIMEOUT: {
    summary: 'A server did not answer in time.',
    fix: 'Check the network and the server, then run again.',
  },
  FETCH_TLS: {
    summary:
      "A server's certificate is not trusted, or the TLS handshake failed: the server may offer no TLS (`plainHttp`).",
    fix: 'Set the certificate authority in `caFile` of the source, and check the host name.',
  },
  FETCH_PLAIN_HTTP: {
    summary: 'An address uses http without TLS, and the fleet does not allow that.',
    fix: 'Use https, or set `plainHttp: true` on the source when the server offers nothing else.',
  },
  FETCH_UNAUTHORIZED: {
    summary: 'A server denies access: credentials are missing, wrong or insufficient.',
    fix: 'Set the variables that `credentialsFrom` of the source names, or log in with `docker login` for registries.',
  },
  FETCH_CREDENTIALS: {
    summary:
      'Credentials could not be read, or are not sent: a variable is empty, a credential file or helper failed, or nothing allows that server to get the variable.',
    fix: 'Set the variable, repair ~/.docker/config.json and its credential helper, or allow the server in STACKMASON_ALLOWED_CREDENTIALS.',
  },
  FETCH_NOT_FOUND: {
    summary: 'A server does not have the requested file or version.',
    fix: 'Check the address and the name. Some servers also respond this way when credentials are missing.',
  },
  FETCH_RATE_LIMITED: {
    summary: 'A server has reached its rate limit for you.',
    fix: 'Wait and run again, or set `credentialsFrom` on the source: authenticated requests have a higher limit.',
  },
  FETCH_REFUSED: {
    summary: 'A server refused the request.',
    fix: 'Try the address with curl: the server, or a proxy in front of it, rejects the request.',
  },
  FETCH_INVALID: {
    summary: 'A server sent a response that is not valid for its kind.',
    fix: 'Check that the address belongs to a registry, repository or API of the right kind.',
  },
  FETCH_TOO_LARGE: {
    summary: 'A server sent more bytes than allowed.',
    fix: 'Check the address; releases and charts are small.',
  },
  FETCH_DIGEST_MISMATCH: {
    summary: 'The content that a server sent does not have the expected digest.',
    fix: 'Do not use it. If it is the same at the next run, whoever runs the server, or a proxy before it, has to find out which content is the right one.',
  },
  FETCH_OFFLINE: {
    summary: 'With --offline, a required file is not in the cache.',
    fix: 'Run `stackmason fetch` on a machine with network access: it brings what stackmason.lock names. What nothing has locked yet comes by `stackmason update` without --offline.',
  },
  // forges
  GIT_FAILED: {
    summary: 'A git command failed, or a repository, ref or path does not exist.',
    fix: 'Run the same git command by hand; check url, ref, path and credentials of the source.',
  },
  SIGNATURE_MISSING: {
    summary: 'A release or chart is not signed, but its source or repository requires signatures.',
    fix: 'Sign the release with cosign, or remove the public keys from the source.',
  },
  SIGNATURE_INVALID: {
    summary: 'No signature of a release or chart matches a public key of its source or repository.',
    fix: 'Do not use the release until you know who signed it; check the public keys of the source.',
  },
  CACHE_FAILED: {
    summary: 'The cache folder could not be read or written.',
    fix: 'Check free space and permissions, or choose another folder with STACKMASON_CACHE.',
  },
  CONTROLLER_FAILED: {
    summary: 'The controller has no access to an API server, or another instance may have taken its lease.',
    fix: 'Check the kubeconfig, or the service account of the pod; start the controller again.',
  },
  CLUSTER_UNREACHABLE: {
    summary: 'The management cluster cannot be read: its API server cannot be reached, or refuses the requests.',
    fix: 'Name its kubeconfig, and check with kubectl that its user may list the objects.',
  },
  LOCK_MISSING: {
    summary: 'There is no stackmason.lock, or it lacks something that the fleet needs.',
    fix: 'Run `stackmason update`, review its output, and commit stackmason.lock.',
  },
  LOCK_MISMATCH: {
    summary: 'A release or dependency differs from its entry in stackmason.lock.',
    fix: 'Find out who changed it; run `stackmason update` to accept it.',
  },
  LOCK_INVALID: {
    summary: 'stackmason.lock is damaged or has merge conflict markers.',
    fix: 'Keep both sides of a conflict, or one of them, and run `stackmason update`.',
  },
  RELEASE_TAG_SKIPPED: {
    summary: 'Some tags of a source are not release names; they are skipped.',
    fix: 'No action is needed: the repository may hold other things too.',
  },
  RELEASE_SKIPPED: {
    summary: 'A release that no cluster uses cannot be rendered, so its stack is not written.',
    fix: 'Have the release corrected, or take it out of the ClusterStack; clusters can use it once it renders.',
  },
  STACK_UNNEEDED: {
    summary: 'A stack of the rendered tree is no longer needed.',
    fix: 'Once the previous commit is applied, run `stackmason render`: it removes the stack from the tree.',
  },
  RELEASE_IN_USE: {
    summary: 'The fleet no longer asks for a release, but the committed tree still uses it.',
    fix: 'Commit the change that moves its last user first, then run `stackmason update --prune`.',
  },
  DEPENDENCY_NOT_FOUND: {
    summary: 'A chart repository does not have the chart or version of a dependency.',
    fix: 'Check name, version and repository of the dependency in Chart.yaml.',
  },
  DEPENDENCY_UNSUPPORTED: {
    summary: 'A dependency names a repository of an unsupported kind.',
    fix: 'Use an https or oci repository, or vendor the chart into charts/.',
  },
  DEPENDENCY_LOCK_STALE: {
    summary: 'The lock of a chart does not match the dependencies of the chart; the lock is skipped.',
    fix: 'Run `helm dependency update` in the chart and commit the result, or remove the lock.',
  },
  BUILD_INPUT_INVALID: {
    summary: 'The version table or an option of `stackmason build` does not fit the provider directory.',
    fix: 'docs/13-building-releases.md shows a version table and the options that go with it.',
  },
  BUILD_NO_CHANGE: {
    summary: 'Nothing has changed since the newest release, so none was built.',
    fix: 'No action is needed; pass a version explicitly to build it anyway.',
  },
  BUILD_TAG_EXISTS: {
    summary: 'A release with that tag exists with other content; a tag is never overwritten.',
    fix: 'Build the next version.',
  },
  // charts
  CHART_INVALID: { summary: 'Chart.yaml is missing or not valid.', fix: 'Correct Chart.yaml; `helm lint` checks it.' },
  CHART_NOT_INSTALLABLE: {
    summary: 'A library chart cannot be rendered on its own.',
    fix: 'Render a chart that depends on it.',
  },
  CHART_DEPENDENCY_MISSING: {
    summary:
      'A dependency declared in Chart.yaml is missing in charts/ and in the lock; or a chart is locked, but not in the cache.',
    fix: 'One that is not locked: run `stackmason update` to lock and fetch it, or vendor it into charts/; where another checkout has it there, git ignores it. One that is locked: run `stackmason fetch`, in CI before the first command that renders.',
  },
  CHART_KUBE_VERSION: {
    summary: "The chart's kubeVersion excludes this Kubernetes version.",
    fix: 'Use a chart version that supports it.',
  },
  CHART_VALUES_INVALID: {
    summary: 'A values file or --set expression is not valid.',
    fix: 'Correct it at the reported position.',
  },
  CHART_VALUES_SCHEMA: {
    summary: "Values do not meet the chart's values.schema.json.",
    fix: 'Change the value, in the file of the fleet that sets it, to what the schema allows.',
  },
  CHART_OUTPUT_INVALID: {
    summary: 'A rendered template is not valid YAML or not a Kubernetes object.',
    fix: 'Check indentation and quotes near the line, and the values that the template prints there.',
  },
  CHART_FLAG_UNSUPPORTED: {
    summary: 'A flag of `helm template` is not supported here.',
    fix: 'Leave the flag out.',
  },
  // templates
  API_VERSION_UNDECLARED: {
    summary: 'A chart omits objects because an API version that it checks for is not declared.',
    fix: 'If the cluster serves the version, add it to `spec.apiVersions`; otherwise disable the objects in the values of the addon.',
  },
  TEMPLATE_PARSE: { summary: 'A template does not parse.', fix: 'Correct the template at the reported position.' },
  TEMPLATE_EXECUTION: {
    summary: 'A template failed while it was executed.',
    fix: 'The lines that begin with `in` are the call stack, innermost first: correct the template, or the values that it reads.',
  },
  TEMPLATE_FAIL: {
    summary: 'A template called `fail` or `required`.',
    fix: 'The chart rejects these values: change the value that the message names in values/<addon>.yaml of the cluster or of a parent folder.',
  },
  TEMPLATE_LIMIT_STEPS: {
    summary: 'A template ran more steps than allowed.',
    fix: 'Look for an endless loop at the reported position.',
  },
  TEMPLATE_LIMIT_DEPTH: {
    summary: 'Templates include each other too deeply.',
    fix: 'Look for an endless recursion in the call stack.',
  },
  TEMPLATE_LIMIT_OUTPUT: {
    summary: 'A template wrote or built more bytes than allowed.',
    fix: 'Look for a loop or `repeat` at the reported position.',
  },
  TEMPLATE_LIMIT_TIME: {
    summary: 'A template ran longer than allowed.',
    fix: 'Look for a loop at the reported position.',
  },
  TEMPLATE_TOKEN_REFUSED: {
    summary: 'A function needs a value that is known only later.',
    fix: 'Supply the value in the fleet, or change the template so that it passes the value through.',
  },
  TEMPLATE_NOT_DETERMINISTIC: {
    summary: 'The output of a template depends on the clock, on randomness, or on the machine.',
    fix: 'If the chart takes the value from its values, set it there; otherwise set the field with a patch.',
  },
  TEMPLATE_TOKEN_HASHED: {
    summary: 'A hash covers text with a value that is known only later.',
    fix: 'Nothing restarts automatically when that value changes: restart the workloads that read it.',
  },
  TEMPLATE_GENERATED_SECRET: {
    summary:
      'A template generates key material; the output holds a placeholder, or in `stackmason template` a preview.',
    fix: 'Set a GitOps tool (spec.handoff): then the Secret is generated in the cluster. Without one, make the chart use an existing Secret or generate it in the cluster itself; the message names the template and line.',
  },
  SECRET_OUTSIDE_SECRET: {
    summary: 'Private text that a chart generates is outside of a Secret, or in a certificate that is.',
    fix: 'Set the value in the values of the chart, or make the chart use an existing Secret; the message names object, field and generator.',
  },
  SECRET_NOT_MADE: {
    summary:
      'A Secret that a chart generates cannot be generated in the cluster either: it holds no text, or it belongs to a cluster class.',
    fix: 'Create it yourself, and name it under spec.existingSecrets of addons.yaml. Remove it from a cluster class, or move it to an addon.',
  },
  BINDING_NAME_TAKEN: {
    summary: 'An object beside the Cluster has the name under which the values of the cluster are published.',
    fix: 'Rename the ConfigMap or Secret; the name of the cluster is reserved.',
  },
  BINDING_TOO_LARGE: {
    summary: 'A cluster needs more values and Secrets than a RuntimeValues object can hold.',
    fix: 'Set known values under spec.runtimeValues of addons.yaml; create large Secrets yourself, and name them under spec.existingSecrets.',
  },
  HOLE_NOT_PATCHABLE: {
    summary:
      'In an object that needs values of the running cluster, a text begins with a tab; kustomize, and so Argo CD, cannot patch it.',
    fix: 'Begin the text with spaces or a line break; if the chart is not yours, do it with a patch.',
  },
  SECRET_IN_PLAINTEXT: {
    summary:
      'A Secret, or a private key or token in any other object, would be readable in git: an error if it is your own content, a warning if it belongs to a release or is already committed. `adopt` warns of variables of a Cluster that look like secrets.',
    fix: 'Refer to a Secret that is created elsewhere, write an ExternalSecret, or encrypt it with SOPS. If everybody may read it, annotate it `stackmason.dev/plaintext: public`.',
  },
  SECRET_NOT_DECRYPTED: {
    summary:
      'An object is encrypted with SOPS, but nothing would decrypt it: an error with Flux, a warning with Argo CD, which may have a plugin.',
    fix: 'With Flux, set `spec.handoff.flux.decryption`. With Argo CD, write an ExternalSecret or a SealedSecret, or create the Secret outside of git.',
  },
  OBJECT_DEFERRED_KEY: {
    summary: 'A name, namespace, kind or key of an object holds a value that is known only later.',
    fix: 'Set it in the values: the identity of an object must be known when it is committed.',
  },
  OBJECT_TEST_HOOK: {
    summary: 'A test hook of a chart has a random name; it is skipped.',
    fix: 'No action is needed: such a test would get another name with every render.',
  },
  CONTAINER_IMAGE_UNREADABLE: {
    summary:
      'A container has an image that cannot be listed: it is no image reference, or is known only in the running cluster.',
    fix: 'Write `registry/repository:tag` or `registry/repository@sha256:…`; mirror and scan by hand what only the cluster knows.',
  },
  NODE_IMAGE_UNKNOWN: {
    summary: 'Nothing says which node images a release needs, so nothing waits for them.',
    fix: 'Declare them under spec.nodeImages of stackmason.yaml: a file, `use: existing` or `use: none`.',
  },
  NODE_IMAGE_SKIPPED: {
    summary: 'A file describes a node image that is skipped.',
    fix: 'Add the name, version and url that the message asks for, or remove the entry from the file.',
  },
  NODE_IMAGE_OPTION: {
    summary: 'An option of a node image has no field in its Image object, or its checksum is missing.',
    fix: 'If the image needs the option, describe it as an Image object (image.yaml); otherwise leave it as it is.',
  },
  NODE_IMAGE_MISMATCH: {
    summary: 'Machines would boot from another node image than that of their release.',
    fix: 'Make the class variables and the image names agree.',
  },
  NODE_IMAGE_NAMESPACE: {
    summary:
      'Clusters outside the namespace of their class only import node images, and the fleet does not say whether their project of the cloud has them.',
    fix: 'Set `uploadFrom` under spec.nodeImages of stackmason.yaml: list one namespace for each project of the cloud.',
  },
  NODE_IMAGE_UPLOADS: {
    summary:
      'Several namespaces upload a node image of the same name. If they share a project of the cloud, it may get two images, and machines that look up images by name refuse both.',
    fix: 'Set `uploadFrom` under spec.nodeImages of stackmason.yaml: list one namespace for each project of the cloud.',
  },
  NODE_IMAGE_EXPORT: {
    summary: 'openstack-image-manager cannot upload a node image as it is described, or only at a risk.',
    fix: 'Complete its entry in kubernetes.yaml beside the stack, or in a file that spec.nodeImages names.',
  },
  HOOK_TRANSLATED: {
    summary: 'Some objects are Helm hooks. A GitOps tool has no events, so they are translated.',
    fix: 'Check that it is safe to apply these objects with every change.',
  },
  HOOK_LEFT_OUT: {
    summary: 'Helm hooks for a test, a deletion or a rollback are skipped.',
    fix: 'No action is needed, unless something must be cleaned up when the addon is removed.',
  },
  RUNTIME_VALUE_UNKNOWN: {
    summary: 'A template reads a field that only the running cluster knows, or branches on one.',
    fix: 'Set the field in cluster.yaml or under spec.runtimeValues in addons.yaml, or set the GitOps tool that fills it in later (spec.handoff of stackmason.yaml). A value that decides what gets rendered must be known in any case.',
  },
  // objects
  OBJECT_INVALID: {
    summary:
      'A rendered document is not a Kubernetes object, or is a Secret or ConfigMap that no API server accepts: with an entry that is not text or not base64, or a field that does not exist.',
    fix: 'Correct the template or patch: an object has apiVersion, kind and metadata.name; put YAML inside an entry behind `key: |`, and quote numbers.',
  },
  OBJECT_NAME_INVALID: {
    summary: 'No API server accepts a name, label or key of an object.',
    fix: 'Correct it where the message points: in the file of the fleet, in the values that the template reads, or with a patch.',
  },
  OBJECT_DUPLICATE: {
    summary: 'Two documents of one addon, or two addons of one cluster, are the same object.',
    fix: 'Remove one of the two from its chart or addon, or disable one of the addons in addons.yaml.',
  },
  NAMESPACE_MISSING: {
    summary: 'Objects of an addon are in a namespace that no addon of the cluster creates.',
    fix: 'Add the Namespace to an addon; for an own addon, set its `namespace` in addons.yaml. If something else creates it, no action is needed.',
  },
  OBJECT_SCOPE_UNKNOWN: {
    summary: 'It is not known whether a kind is namespaced or cluster-scoped.',
    fix: 'Add the kind to spec.scopes of stackmason.yaml, or ship its CRD.',
  },
  OBJECT_TYPED_LOSS: {
    summary: 'A value cannot be written without loss of precision.',
    fix: 'Quote the value in the template.',
  },
  PATCH_TARGET_NOT_FOUND: {
    summary: 'A patch matches no object.',
    fix: 'Correct the target, or set `optional: true`.',
  },
  PATCH_FAILED: {
    summary: 'A patch cannot be applied to its target, or changes what no patch may change.',
    fix: 'Compare the path with the rendered object, for example in the output folder; write what decides on the steps of a cluster in cluster.yaml.',
  },
  ADDON_TEMPLATE: {
    summary: 'A Handlebars template of an addon does not parse or fails.',
    fix: 'Correct the template at the reported position.',
  },
} as const

/** The codes that come after those of the handoff. */
const laterCodes = {
  // the life of a cluster
  UPGRADE_SKIPS_MINOR: {
    summary:
      'A cluster would skip a Kubernetes minor version, and the fleet has no release for the minor versions in between.',
    fix: 'Add a ClusterStack for each minor version in between, or upgrade to the next one first.',
  },
  UPGRADE_GOES_BACK: {
    summary:
      'A cluster gets a lower Kubernetes version in git than it runs, perhaps by a revert; Cluster API refuses that.',
    fix: 'Restore class and version in cluster.yaml, or use a release with at least the version that the cluster runs.',
  },
  UPGRADE_CHANGES_STACK: {
    summary:
      'A cluster would change the provider or the stack of its class in place, or the namespace of its class in a step that leaves its Cluster as it is committed.',
    fix: 'Restore the class. Create a new cluster of the other stack, move the workloads, and decommission the old one. Change a namespace when no step is under way.',
  },
  CLASS_CHANGES_IN_PLACE: {
    summary:
      'A release has another ClusterClass, or another template of it, than the committed tree has under the same version, and clusters use that class. An error where one of them is frozen, suspended or decommissioned, or where a template is gone that the class still names.',
    fix: 'Restore the release and publish the change as a new version; move the clusters to it one by one. Or remove `freeze` or `suspend` and accept the change: acknowledge the warning.',
  },
  STORAGE_VERSION_CHANGES: {
    summary:
      'A CustomResourceDefinition of a cluster has another storage version than in the committed tree, and nothing migrates the existing objects.',
    fix: 'Set `spec.handoff.storageMigrations` in stackmason.yaml where the controller runs, or migrate the objects by hand; keep the earlier version in the definition until then.',
  },
  STORAGE_VERSION_DROPPED: {
    summary:
      'A CustomResourceDefinition of a cluster no longer has the version that is its storage version in the committed tree. The API server refuses such a change.',
    fix: 'Take two commits: the first one changes the storage version and keeps the earlier one with `storage: false`; the second one drops that, when the objects are migrated.',
  },
  UPGRADE_NOT_UNDER_WAY: {
    summary: 'options.yaml acknowledges a step of an upgrade that the tree does not hold.',
    fix: 'Remove `spec.upgrade`, or name the release of the step that was applied and checked.',
  },
  UPGRADE_STEP_PAST: {
    summary:
      'options.yaml acknowledges a step of an upgrade that the cluster has already passed, or says that a release was never applied or that the cluster starts over, which has no effect any longer.',
    fix: 'Remove the entry under `spec.upgrade`, or `startOver`, from options.yaml.',
  },
  HISTORY_SHALLOW: {
    summary: 'A shallow clone does not have the earlier commits that show what a cluster or a class was before.',
    fix: 'Run `git fetch --unshallow`, and in CI check out with the whole history (GitHub: `fetch-depth: 0`; GitLab: `GIT_DEPTH: 0`). A named commit (`--base`) needs the commits before it, too.',
  },
  FREEZE_NOTHING: {
    summary: 'options.yaml freezes a cluster that is not in the committed tree.',
    fix: 'Remove `freeze`, render and commit; then freeze the cluster. If the tree has lost the cluster, restore it from the commit that the message names.',
  },
  DECOMMISSION_UNDER_WAY: {
    summary:
      'A cluster is recreated, or restored by a revert, while the decommission of the old cluster of that name is not finished.',
    fix: 'Finish the decommission first (`step: finish`, until its last commit); then create the new cluster.',
  },
  MERGE_UNDER_WAY: {
    summary:
      'A merge is not committed yet, and the commit that is merged has a cluster at another step of an upgrade or decommission than the last commit.',
    fix: 'Name the side that the GitOps tool follows: `--base HEAD`, or `--base MERGE_HEAD` where its branch is merged into yours.',
  },
  STEPS_TOGETHER: {
    summary:
      'With `--check --base`: the tree is two steps of a cluster ahead of the base, so the GitOps tool would get both at once, in any order.',
    fix: 'Write one step with `stackmason render --base`, and the next one when that is merged and applied.',
  },
  BASE_UNKNOWN: {
    summary:
      '`--base` does not name a commit of the repository that holds the output folder, or its name stands for several: a tag and a branch.',
    fix: 'Check the spelling, and fetch it first: CI checkouts often hold only one branch (`git fetch origin main`). An ambiguous name has to be given in full (`refs/remotes/origin/main`).',
  },
  BASE_UNUSED: {
    summary:
      '`--base` is given, but the fleet names no GitOps tool (`spec.handoff`), so no steps follow on a commit; or the commit has no tree, which `spec.publish` puts into another place.',
    fix: 'Leave `--base` out, or add `spec.handoff` to stackmason.yaml. Of a tree in another branch that branch is the base: `--base origin/env/prod`.',
  },
  CLUSTER_ORPHANED: {
    summary:
      'A cluster is in the rendered tree, but its folder is gone. It keeps running, and nothing manages it any longer. As an error: the tree has it again, but not one step away from what may still run.',
    fix: 'Restore the folder, with the class and version that the cluster had; to delete a cluster, put `decommission: {}` into its options.yaml. If nothing of it runs any more, `startOver` in options.yaml says so.',
  },
  CLUSTER_AUTOSCALED: {
    summary:
      'A group of machines has both a fixed number of replicas and annotations for the autoscaler, so the two conflict; or it has no initial size, so Cluster API scales it to one machine.',
    fix: 'If both annotations are set, leave `replicas` out: the autoscaler keeps the number within their limits. Otherwise set `replicas`.',
  },
  // writing
  WRITE_NOT_OWNED: {
    summary: 'The output folder holds files that stackmason did not write.',
    fix: 'Choose another output folder, or move the files away.',
  },
  WRITE_HAND_EDITED: {
    summary: 'A rendered file was edited by hand.',
    fix: 'Move the change into values or patches and restore the file, or discard it with --overwrite-edited.',
  },
  WRITE_OTHER_FLEET: {
    summary:
      'The output folder, or the branch that is published to, holds the tree of another fleet; or a branch holds what this fleet proposes for another base.',
    fix: 'Give each fleet its own name, its own folder in spec.output.path, and its own branch or folder in spec.publish. The message says how a fleet takes over a tree.',
  },
  WRITE_EMPTY: {
    summary: 'Nothing was rendered, but the output folder holds objects.',
    fix: 'Check the inputs; if this is intended, pass --allow-empty.',
  },
  WRITE_INTERRUPTED: {
    summary: 'An earlier run was interrupted while it wrote.',
    fix: 'Run `stackmason render` again: it completes or rolls back that run first.',
  },
  WRITE_BUSY: {
    summary: 'Another run is writing to the same folder, or may be.',
    fix: 'Wait for it to end. When you know that it has ended, remove .stackmason/lock.json of the output folder.',
  },
  WRITE_PATH_CONFLICT: { summary: 'Two objects would be written to one file.', fix: 'Rename one of the objects.' },
  WRITE_FAILED: { summary: 'A file could not be written.', fix: 'Check free space and permissions, then run again.' },
  SHARD_MISSING: {
    summary: 'A shard of `stackmason render --shard` is not where `render --join` looks for it.',
    fix: 'Find out why the shard was not rendered, or not copied there. Nothing is written unless all shards are there.',
  },
  SHARD_MISMATCHED: {
    summary:
      'A shard belongs to another run: to other inputs, another version of stackmason, other options or another number of shards; or it is there twice.',
    fix: 'Render all shards and join them at one commit, with one version and the same options; empty the folder first.',
  },
  SHARD_DAMAGED: {
    summary: 'A file of a shard is damaged, or something has changed it.',
    fix: 'Render the shard again. If that does not help, find out what else writes to the folder where shards are kept.',
  },
  ACKNOWLEDGEMENT_UNUSED: {
    summary:
      'An entry of `spec.acknowledged` in stackmason.yaml matches no finding of the fleet, or names a cluster that it does not have.',
    fix: 'Remove the entry, or correct its object, cluster, release or addon.',
  },
  RENDER_STALE: {
    summary: 'The committed tree does not match its inputs.',
    fix: 'Run `stackmason render` and commit the result.',
  },
  INIT_FILE_EXISTS: {
    summary: 'A file that `stackmason init` or `stackmason new` would write exists already.',
    fix: 'Choose an empty folder or another name, or move the file away.',
  },
  // command line
  USAGE: { summary: 'The command line is not valid.', fix: 'See `stackmason <command> --help`.' },
  INTERNAL: { summary: 'A defect in stackmason.', fix: 'Please report it with the input that triggers it.' },
} as const

/** A code of {@link errorCodes}. */
export type Code =
  | keyof typeof otherCodes
  | keyof typeof handoffErrorCodes
  | keyof typeof laterCodes
  | keyof typeof adoptErrorCodes
  | keyof typeof publishErrorCodes
  | keyof typeof ruleErrorCodes

/**
 * Every code a user can meet; the closed union of the product. Codes are `UPPER_SNAKE`, domain first; never reused,
 * never renamed. `docs/` has a generated entry for each and `test/` a case that triggers it.
 */
export const errorCodes: Readonly<Record<Code, CodeEntry>> = {
  ...otherCodes,
  ...handoffErrorCodes,
  ...laterCodes,
  ...adoptErrorCodes,
  ...publishErrorCodes,
  ...ruleErrorCodes,
}

/** True if a text is a code. */
export function isCode(text: string): text is Code {
  return Object.hasOwn(errorCodes, text)
}

/** True if a rule of `check` finds it, and nothing else does. */
export function isRuleCode(code: Code): boolean {
  return Object.hasOwn(ruleErrorCodes, code)
}
