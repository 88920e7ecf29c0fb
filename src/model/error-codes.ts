/** What the errors page says about a code. */
export interface CodeEntry {
  /** What happened, one sentence. */
  readonly summary: string
  /** What to do about it. */
  readonly fix: string
}

/**
 * Every code a user can meet; the closed union of the product. Codes are `UPPER_SNAKE`, domain first; never reused, never
 * renamed. `docs/` has a generated entry for each and `test/` a case that triggers it.
 */
export const errorCodes = {
  // configuration files
  CONFIG_NOT_FOUND: {
    summary: 'No stackmason.yaml was found here or in a parent folder.',
    fix: 'Run the command inside a fleet repository, pass --fleet, or create one with `stackmason init`.',
  },
  CONFIG_SYNTAX: {
    summary: 'A configuration file is not well-formed YAML.',
    fix: 'Correct the YAML at the reported place.',
  },
  CONFIG_DUPLICATE_KEY: { summary: 'A key stands twice in one map.', fix: 'Remove or rename one of the two.' },
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
    summary: 'A file or folder of the fleet lies where nothing reads it.',
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
    fix: 'Build the release again with `stackmason build`, or fetch it again from where it was published.',
  },
  RELEASE_MISMATCH: {
    summary: "A release's tag, chart name and metadata disagree.",
    fix: 'Usually the chart name in cluster-class/Chart.yaml is wrong. It should be <provider>-<stack>-<major>-<minor>-cluster-class.',
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
    fix: '`conditions: ignore` in addons.yaml applies the addon in its place without waiting.',
  },
  RELEASE_UNUSED_ADDON: {
    summary: 'A release holds an addon that no stage applies.',
    fix: 'List the addon under a stage of clusteraddon.yaml, or drop it from the release.',
  },
  RELEASE_FILE_IGNORED: {
    summary: 'A release holds a file that a release of its form never reads.',
    fix: 'Move what it says to where this form of release reads it (docs/13-building-releases.md), or remove the file.',
  },
  RELEASE_TOO_LARGE: {
    summary: 'A release holds more files or bytes than allowed.',
    fix: 'Check where the release comes from and what lies in its folder; releases are small.',
  },
  ARCHIVE_INVALID: { summary: 'An archive is damaged or not a gzipped tar.', fix: 'Fetch or build the archive again.' },
  ARCHIVE_PATH_TRAVERSAL: {
    summary: 'An archive has an entry whose path is absolute or leads outside.',
    fix: 'Do not use this archive: it was built wrong, or to do harm.',
  },
  ARCHIVE_LINK: { summary: 'An archive has a symbolic or hard link.', fix: 'Rebuild the archive without links.' },
  ARCHIVE_SPECIAL_FILE: {
    summary: 'An archive has a device, pipe or other special file.',
    fix: 'Do not use this archive: it was built wrong, or to do harm.',
  },
  ARCHIVE_TOO_LARGE: {
    summary: 'An archive unpacks to more bytes, entries or a higher ratio than allowed.',
    fix: 'Check where the archive comes from; charts are small.',
  },
  ARCHIVE_DUPLICATE_ENTRY: {
    summary: 'An archive holds the same path twice.',
    fix: 'Rebuild the archive; two readers could see two different charts.',
  },
  FILE_UNREADABLE: { summary: 'A file or folder could not be read.', fix: 'Check that it exists and its permissions.' },
  FILE_OUTSIDE: {
    summary: 'A path or symbolic link leads outside of the folder it must stay in.',
    fix: 'Move the file inside, or name the other folder explicitly.',
  },
  // fetching
  FETCH_FAILED: {
    summary: 'A server could not be reached, or broke off, several times in a row.',
    fix: 'Check the address, the network and the proxy variables; run again later.',
  },
  FETCH_TIMEOUT: {
    summary: 'A server did not answer in time.',
    fix: 'Check the network and the server; run again later.',
  },
  FETCH_TLS: {
    summary: "A server's certificate is not trusted, or the TLS handshake failed.",
    fix: 'Name the certificate authority under `caFile` of the source; check the host name.',
  },
  FETCH_PLAIN_HTTP: {
    summary: 'An address uses http without TLS, and the fleet does not allow that.',
    fix: 'Use https, or set `plainHttp: true` on the source when the server offers nothing else.',
  },
  FETCH_UNAUTHORIZED: {
    summary: 'A server refuses access: credentials are missing, wrong, or do not reach far enough.',
    fix: 'Set the variables that `credentials` of the source names, or log in with `docker login` for registries.',
  },
  FETCH_CREDENTIALS: {
    summary: 'Credentials could not be read: a variable is empty, or a credential file or helper failed.',
    fix: 'Set the variable, or repair ~/.docker/config.json and its credential helper.',
  },
  FETCH_NOT_FOUND: {
    summary: 'A server does not have what was asked for.',
    fix: 'Check the address and the name. Some servers also answer this when credentials are missing.',
  },
  FETCH_RATE_LIMITED: {
    summary: 'A server refuses more requests for now.',
    fix: 'Wait and run again, or give `credentials` to the source: with credentials the limit is higher.',
  },
  FETCH_REFUSED: {
    summary: 'A server refused the request.',
    fix: 'Try the address with curl: the server, or a proxy before it, refuses what was asked.',
  },
  FETCH_INVALID: {
    summary: 'A server answered with something that is not what it should be.',
    fix: 'Check that the address is that of a registry, repository or API of the right kind.',
  },
  FETCH_TOO_LARGE: {
    summary: 'A server sent more than allowed.',
    fix: 'Check the address; releases and charts are small.',
  },
  FETCH_DIGEST_MISMATCH: {
    summary: 'What a server sent does not have the digest that it must have.',
    fix: 'Do not use it. If the content was replaced on purpose, look at what changed and run `stackmason update`.',
  },
  FETCH_OFFLINE: {
    summary: 'With --offline something is needed that is not in the cache.',
    fix: 'Run `stackmason fetch` where the network can be reached.',
  },
  GIT_FAILED: {
    summary: 'git failed, or a repository, ref or path does not exist.',
    fix: 'Run the same git command by hand; check url, ref, path and credentials of the source.',
  },
  SIGNATURE_MISSING: {
    summary: 'A release is not signed, but its source asks for signatures.',
    fix: 'Sign the release with cosign, or take the public keys out of the source.',
  },
  SIGNATURE_INVALID: {
    summary: 'No signature of a release was made by one of the keys of its source.',
    fix: 'Do not use the release before you know who signed it; check the public keys of the source.',
  },
  CACHE_FAILED: {
    summary: 'The cache folder could not be read or written.',
    fix: 'Check free space and permissions, or choose another folder with STACKMASON_CACHE.',
  },
  LOCK_MISSING: {
    summary: 'There is no stackmason.lock, or it lacks something that the fleet needs.',
    fix: 'Run `stackmason update`, look at what it prints, and commit stackmason.lock.',
  },
  LOCK_MISMATCH: {
    summary: 'A release or dependency is not what stackmason.lock says.',
    fix: 'Find out who changed it; run `stackmason update` to accept it.',
  },
  LOCK_INVALID: {
    summary: 'stackmason.lock is damaged or has merge conflict markers.',
    fix: 'Take both sides of a conflict, or one side, and run `stackmason update`.',
  },
  RELEASE_TAG_SKIPPED: {
    summary: 'Tags of a source are not release names; they are skipped.',
    fix: 'Nothing needs to be done: the repository may hold other things, too.',
  },
  RELEASE_SKIPPED: {
    summary: 'A release that no cluster uses cannot be rendered, so its stack is not written.',
    fix: 'Have the release corrected, or take it out of the ClusterStack; clusters can use it once it renders.',
  },
  STACK_UNNEEDED: {
    summary: 'A stack of the rendered tree is not needed any more.',
    fix: 'Once the commit before is applied, run `stackmason render`: it takes the stack out of the tree.',
  },
  RELEASE_IN_USE: {
    summary: 'A release that nobody wants any more is still used by the committed tree.',
    fix: 'Commit the change that moved its last user first, then run `stackmason update --prune`.',
  },
  DEPENDENCY_NOT_FOUND: {
    summary: 'A chart repository has no chart or version that a dependency asks for.',
    fix: 'Check name, version and repository of the dependency in Chart.yaml.',
  },
  DEPENDENCY_UNSUPPORTED: {
    summary: 'A dependency names a repository that cannot be fetched from.',
    fix: 'Write an https or oci repository, or vendor the chart into charts/.',
  },
  DEPENDENCY_LOCK_STALE: {
    summary: 'The lock of a chart was made for other dependencies than the chart declares; it is skipped.',
    fix: 'Run `helm dependency update` in the chart and commit what it writes, or remove the lock.',
  },
  BUILD_INPUT_INVALID: {
    summary: 'The version table or an option of `stackmason build` does not fit the provider directory.',
    fix: 'docs/13-building-releases.md shows a version table and the options that go with it.',
  },
  BUILD_NO_CHANGE: {
    summary: 'Nothing has changed since the newest release, so none was built.',
    fix: 'Nothing needs to be done; pass a version explicitly to build it all the same.',
  },
  BUILD_TAG_EXISTS: {
    summary: 'A release of that tag is there already with other content; a tag is never overwritten.',
    fix: 'Build the next version.',
  },
  // charts
  CHART_INVALID: { summary: 'Chart.yaml is missing or not valid.', fix: 'Correct Chart.yaml as `helm lint` wants it.' },
  CHART_NOT_INSTALLABLE: {
    summary: 'A library chart cannot be rendered by itself.',
    fix: 'Render a chart that depends on it.',
  },
  CHART_DEPENDENCY_MISSING: {
    summary: 'A dependency declared in Chart.yaml is missing in charts/.',
    fix: 'Run `stackmason update` to lock and fetch it, or vendor it into charts/.',
  },
  CHART_KUBE_VERSION: {
    summary: "The chart's kubeVersion excludes this Kubernetes version.",
    fix: 'Use a chart version that supports it.',
  },
  CHART_VALUES_INVALID: {
    summary: 'A values file or --set expression is not valid.',
    fix: 'Correct it at the reported place.',
  },
  CHART_VALUES_SCHEMA: {
    summary: "Values do not meet the chart's values.schema.json.",
    fix: 'Change the value, in the file of the fleet that sets it, to what the schema allows.',
  },
  CHART_OUTPUT_INVALID: {
    summary: 'A rendered template is not valid YAML or not a Kubernetes object.',
    fix: 'Render it with `stackmason template <chart>` and look for wrong indentation or quotes around the line.',
  },
  CHART_FLAG_UNSUPPORTED: {
    summary: 'A flag of `helm template` is not supported here.',
    fix: 'Leave the flag out.',
  },
  // templates
  API_VERSION_UNDECLARED: {
    summary: 'A chart omits objects because an API version that it looked for is not declared.',
    fix: 'Add the version to `spec.apiVersions` if the cluster serves it; switch the objects off in the values of the addon if it does not.',
  },
  TEMPLATE_PARSE: { summary: 'A template does not parse.', fix: 'Correct the template at the reported place.' },
  TEMPLATE_EXECUTION: {
    summary: 'A template failed while it was executed.',
    fix: 'The lines that begin with `in` show the way to it, innermost first: correct the template, or the values that it reads.',
  },
  TEMPLATE_FAIL: {
    summary: 'A template called `fail` or `required`.',
    fix: 'The chart refuses these values: change the value that the message names in values/<addon>.yaml of the cluster or of a folder above.',
  },
  TEMPLATE_LIMIT_STEPS: {
    summary: 'A template ran more steps than allowed.',
    fix: 'Look for an endless loop at the reported place.',
  },
  TEMPLATE_LIMIT_DEPTH: {
    summary: 'Templates include each other too deeply.',
    fix: 'Look for a recursion without end in the call chain.',
  },
  TEMPLATE_LIMIT_OUTPUT: {
    summary: 'A template wrote or built more bytes than allowed.',
    fix: 'Look for a loop or `repeat` at the reported place.',
  },
  TEMPLATE_LIMIT_TIME: {
    summary: 'A template ran longer than allowed.',
    fix: 'Look for a loop at the reported place.',
  },
  TEMPLATE_TOKEN_REFUSED: {
    summary: 'A function would have to know a value that is only known later.',
    fix: 'Supply the value in the fleet, or change the template so that it passes the value through.',
  },
  TEMPLATE_NOT_DETERMINISTIC: {
    summary: 'What a template writes or decides depends on the clock, on chance, or on the machine.',
    fix: 'If the chart takes the value from its values, set it there; else set the field with a patch.',
  },
  TEMPLATE_TOKEN_HASHED: {
    summary: 'A hash was taken over text that holds a value only known later.',
    fix: 'Nothing restarts by itself when that value changes: restart what reads it.',
  },
  TEMPLATE_GENERATED_SECRET: {
    summary:
      'A template makes key material; a placeholder, or in `stackmason template` a preview, stands in its place.',
    fix: 'Name a GitOps tool (spec.handoff): then the Secret is made in the cluster. Without one, switch the chart to an existing Secret or to its own in-cluster generation; the message names the template and line.',
  },
  SECRET_OUTSIDE_SECRET: {
    summary: 'Private text that a chart generates stands outside a Secret.',
    fix: 'Supply the value through the values, or switch the chart to an existing Secret; the message names object, field and generator.',
  },
  SECRET_NOT_MADE: {
    summary:
      'A Secret that a chart generates cannot be made in the cluster either: it holds no text, or the chart is that of a cluster class.',
    fix: 'Make it yourself, and name it under spec.existingSecrets of addons.yaml; take it out of a cluster class, or move it to an addon.',
  },
  BINDING_NAME_TAKEN: {
    summary: 'An object beside the Cluster has the name under which the values of the cluster are published.',
    fix: 'Give the ConfigMap or Secret another name than that of the cluster.',
  },
  BINDING_TOO_LARGE: {
    summary: 'A cluster waits for more values and Secrets than a RuntimeValues object can hold.',
    fix: 'Supply values that are known under spec.runtimeValues of addons.yaml, and make large Secrets yourself: name them under spec.existingSecrets.',
  },
  HOLE_NOT_PATCHABLE: {
    summary:
      'An object that needs values of the running cluster has a text that begins with a tab, which kustomize, and so Argo CD, cannot patch.',
    fix: 'Begin the text with spaces or a line break, with a patch if the chart is not yours.',
  },
  SECRET_IN_PLAINTEXT: {
    summary:
      'A Secret, or a private key in any other object, would be readable in git: an error if its content is yours, a warning if it is part of a release or committed already.',
    fix: 'Refer to a Secret that is made elsewhere, write an ExternalSecret, or encrypt it with SOPS; annotate it `stackmason.dev/plaintext: public` if everybody may read it.',
  },
  SECRET_NOT_DECRYPTED: {
    summary:
      'An object is encrypted with SOPS, but nothing would decrypt it: an error with Flux, a warning with Argo CD, which may have a plugin.',
    fix: 'With Flux, state `spec.handoff.flux.decryption`. With Argo CD, write an ExternalSecret or a SealedSecret, or make the Secret outside of git.',
  },
  OBJECT_DEFERRED_KEY: {
    summary: 'A name, namespace, kind or key of an object holds a value that is known only later.',
    fix: 'Supply it through the values: what identifies an object must be known when it is committed.',
  },
  OBJECT_TEST_HOOK: {
    summary: 'A test hook of a chart has a random name; it is skipped.',
    fix: 'Nothing needs to be done: such a test would get another name with every render.',
  },
  NODE_IMAGE_UNKNOWN: {
    summary: 'Nothing says which node images a release needs, so nothing waits for them.',
    fix: 'Say it under spec.nodeImages of stackmason.yaml: a file, `use: existing` or `use: none`.',
  },
  NODE_IMAGE_SKIPPED: {
    summary: 'A file describes a node image that is not taken.',
    fix: 'Give the image the name, version and url that the message misses, or take the entry out of the file.',
  },
  NODE_IMAGE_OPTION: {
    summary: 'An option of a described node image is not carried into its Image object, or its checksum is missing.',
    fix: 'Describe the image as an Image object (image.yaml) with what it needs, or leave it as it is.',
  },
  NODE_IMAGE_MISMATCH: {
    summary: 'Machines would boot from another node image than the one that their release brings.',
    fix: 'Make the variables of the class and the names of the images agree.',
  },
  NODE_IMAGE_NAMESPACE: {
    summary:
      'Clusters outside the namespace of their class use Image objects that upload nothing, and nobody has said whether the cloud has those images.',
    fix: 'Say under spec.nodeImages of stackmason.yaml which namespaces upload (`uploadFrom`): one for each project of the cloud.',
  },
  NODE_IMAGE_UPLOADS: {
    summary:
      'Several namespaces upload a node image of one name. If they share a project of the cloud, it may get two, and machines that look by name take neither.',
    fix: 'Say under spec.nodeImages of stackmason.yaml which namespaces upload (`uploadFrom`): one for each project of the cloud.',
  },
  NODE_IMAGE_EXPORT: {
    summary: 'A node image cannot be handed to openstack-image-manager as it is described, or only at a risk.',
    fix: 'Say what is missing in its entry in kubernetes.yaml beside the stack, or in a file that spec.nodeImages names.',
  },
  HOOK_TRANSLATED: {
    summary:
      'Helm makes some objects at certain events only; they are translated for a GitOps tool, which has no events.',
    fix: 'Check that it does no harm when these objects are applied at every change.',
  },
  HOOK_LEFT_OUT: {
    summary: 'Objects that Helm would make for a test, a deletion or a rollback are skipped.',
    fix: 'Nothing needs to be done, unless something must be cleaned up when the addon goes.',
  },
  RUNTIME_VALUE_UNKNOWN: {
    summary: 'A template reads a field that only the running cluster knows, or decides by one.',
    fix: 'Fix the field in cluster.yaml, supply it under spec.runtimeValues in addons.yaml, or name the GitOps tool that fills it in later (spec.handoff of stackmason.yaml). What decides what is rendered must be known in any case.',
  },
  // objects
  OBJECT_INVALID: {
    summary: 'A rendered document is not a Kubernetes object.',
    fix: 'Correct the template: an object has apiVersion, kind and metadata.name.',
  },
  OBJECT_NAME_INVALID: {
    summary: 'A name, label or key of an object is one that no API server takes.',
    fix: 'Write one that is allowed, where the message points: in the file of the fleet, in the values that the template writes there, or with a patch.',
  },
  OBJECT_DUPLICATE: {
    summary: 'Two documents of one addon, or two addons of one cluster, are the same object.',
    fix: 'Remove one of the two from its chart or addon, or switch one of the addons off in addons.yaml.',
  },
  NAMESPACE_MISSING: {
    summary: 'Objects of an addon lie in a namespace that no addon of the cluster brings.',
    fix: 'Add the Namespace to an addon, for an own addon by its `namespace` in addons.yaml. If something else makes it, nothing needs to be done.',
  },
  OBJECT_SCOPE_UNKNOWN: {
    summary: 'It is not known whether a kind is namespaced or cluster-scoped.',
    fix: 'Add the kind to spec.scopes of stackmason.yaml, or ship its CRD.',
  },
  OBJECT_TYPED_LOSS: { summary: 'A value cannot be written without loss.', fix: 'Quote the value in the template.' },
  PATCH_TARGET_NOT_FOUND: {
    summary: 'A patch matches no object.',
    fix: 'Correct the target, or set `optional: true`.',
  },
  PATCH_FAILED: {
    summary: 'A patch cannot be applied to its target.',
    fix: 'Compare the path with the object as it is rendered, for instance in the output folder.',
  },
  ADDON_TEMPLATE: {
    summary: 'A Handlebars template of an addon does not parse or fails.',
    fix: 'Correct the template at the reported place.',
  },
  // handoff to an engine
  HANDOFF_TEMPLATE: {
    summary: 'A template of an object of the GitOps tool fails, or gives an object that is not safe to hand over.',
    fix: 'Correct the template below templates/handoff/, or remove it to use the built-in one.',
  },
  HANDOFF_NAME_TOO_LONG: {
    summary: 'The name of a unit or release is longer than the GitOps tool can take.',
    fix: 'Give the cluster, or the release, a shorter name.',
  },
  HANDOFF_NAME_CONFLICT: {
    summary: 'Two units would get the same name in one namespace.',
    fix: 'Rename one of the two clusters: names of addon units are made from those of clusters.',
  },
  HANDOFF_UNIT_CHANGES: {
    summary:
      'Objects of addons are about to move from one unit to another, or a unit of which nothing is left is about to go. In one commit the objects could be deleted and recreated, or be left behind.',
    fix: 'Commit, let the GitOps tool apply it, and render again: they move, or the unit goes, with the commit after this one.',
  },
  HANDOFF_PATH_DIFFERS: {
    summary: 'What points a GitOps tool at the tree points elsewhere, as after a move of the output folder.',
    fix: 'Write the path that the message names, in stackmason.yaml or in the file of bootstrap/, and apply the latter again. Where another branch or repository holds the tree under another path, acknowledge the warning.',
  },
  OUTPUT_MOVED: {
    summary: 'The output folder is another one than that in which the fleet has its tree committed.',
    fix: 'Move the tree along with `git mv`, then render and commit; or put `spec.output.path` back.',
  },
  HANDOFF_TOOL_CHANGES: {
    summary: 'The fleet hands over to another GitOps tool than the committed tree, or to none.',
    fix: 'Take the objects of the old tool out of the management cluster, and say so with `spec.retiredTool`: docs/19-life-of-a-cluster.md has the steps. Or put `spec.handoff` back.',
  },
  HANDOFF_TOOL_RETIRED: {
    summary: '`spec.retiredTool` names a GitOps tool that the tree is not handed over to any more.',
    fix: 'Remove the line when the commit that changed the tool is merged and applied.',
  },
  HANDOFF_WAITS_FOR_CONFIRMATION: {
    summary:
      'An object of an addon that says Prune=confirm leaves the tree: its Argo CD Application applies nothing before somebody confirms the deletion.',
    fix: 'Annotate the Application as the message says once it waits, or render and commit with the object still in place first: then it is kept.',
  },
  HANDOFF_OBJECT_STAYS: {
    summary:
      'An object of an addon that Argo CD must not delete leaves the tree: a Namespace, a volume, a claim, or what the chart keeps. It stays in the cluster.',
    fix: 'Delete it by hand when nothing needs it any more. Deleting a Namespace deletes everything in it.',
  },
  // the life of a cluster
  UPGRADE_SKIPS_MINOR: {
    summary:
      'A cluster would skip a Kubernetes minor version, and the fleet offers no release for the minor versions between.',
    fix: 'Add a ClusterStack for each minor version between, or upgrade to the next one first.',
  },
  UPGRADE_GOES_BACK: {
    summary:
      'A cluster gets a lower Kubernetes version in git than it has, perhaps by a revert; Cluster API refuses that.',
    fix: 'Restore class and version in cluster.yaml, or use a release with at least the version that the cluster has.',
  },
  UPGRADE_CHANGES_STACK: {
    summary: 'A cluster would change the provider or the stack of its class in place.',
    fix: 'Put the class back; make a new cluster of the other stack, move the workloads, and decommission the old one.',
  },
  UPGRADE_NOT_UNDER_WAY: {
    summary: 'options.yaml acknowledges a step of an upgrade that the tree does not hold.',
    fix: 'Remove `spec.upgrade`, or name the release of the step that was applied and checked.',
  },
  UPGRADE_STEP_PAST: {
    summary:
      'options.yaml acknowledges a step of an upgrade that the cluster has left behind, or says of a release that it was never applied, which decides nothing any more.',
    fix: 'Remove what it says under `spec.upgrade` from options.yaml.',
  },
  FREEZE_NOTHING: {
    summary: 'options.yaml freezes a cluster of which the committed tree holds nothing.',
    fix: 'Remove `freeze`, render and commit; then freeze the cluster.',
  },
  DECOMMISSION_UNDER_WAY: {
    summary:
      'A cluster is recreated, or a revert has brought it back, while the decommission of the old one of that name has not ended.',
    fix: 'Finish the decommission first (`step: finish`, rendered to its end); then make the new cluster.',
  },
  STEPS_TOGETHER: {
    summary:
      'With `--check --base`: the tree is two steps of a cluster ahead of the base, so the GitOps tool would get both at once, in no order.',
    fix: 'Write one step with `stackmason render --base`, and the next one when that is merged and applied.',
  },
  BASE_UNKNOWN: {
    summary: '`--base` does not name a commit of the repository that holds the output folder.',
    fix: 'Check the spelling, and fetch it first: checkouts of CI often hold one branch only (`git fetch origin main`).',
  },
  BASE_UNUSED: {
    summary: '`--base` is given, but the fleet names no GitOps tool (`spec.handoff`), so no steps follow on a commit.',
    fix: 'Leave `--base` out, or add `spec.handoff` to stackmason.yaml.',
  },
  CLUSTER_ORPHANED: {
    summary:
      'A cluster is in the rendered tree, but its folder is gone. It goes on running, and nothing manages it any more.',
    fix: 'Restore the folder; to delete a cluster, put `decommission: {}` into its options.yaml.',
  },
  CLUSTER_AUTOSCALED: {
    summary:
      'A group of machines has both a fixed number of replicas and annotations for the autoscaler, so the two would fight; or nothing gives its number, so that Cluster API takes it to one machine.',
    fix: 'With both annotations leave `replicas` out: the autoscaler keeps the number between their sizes. Else give `replicas`.',
  },
  // writing
  WRITE_NOT_OWNED: {
    summary: 'The output folder holds files that stackmason did not write.',
    fix: 'Choose another output folder, or move the files away.',
  },
  WRITE_HAND_EDITED: {
    summary: 'A rendered file was edited by hand.',
    fix: 'Move the change into values or patches and restore the file, or pass --overwrite-edited to give it up.',
  },
  WRITE_OTHER_FLEET: {
    summary: 'The output folder holds the tree of another fleet.',
    fix: 'Give each fleet a folder of its own in spec.output.path.',
  },
  WRITE_EMPTY: {
    summary: 'Nothing was rendered where there were objects before.',
    fix: 'Check the inputs; pass --allow-empty if it is meant.',
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
  ACKNOWLEDGEMENT_UNUSED: {
    summary: 'An entry of `spec.acknowledged` in stackmason.yaml matches no warning of the fleet.',
    fix: 'Remove the entry, or correct its cluster, release or addon.',
  },
  RENDER_STALE: {
    summary: 'The committed tree differs from what the inputs render to.',
    fix: 'Run `stackmason render` and commit the result.',
  },
  INIT_FILE_EXISTS: {
    summary: 'A file that `stackmason init` would write is there already.',
    fix: 'Choose an empty folder, or move the file away.',
  },
  // adopting what the Cluster Stack Operator manages
  ADOPT_INPUT_INVALID: {
    summary: 'A file of the export holds no Kubernetes objects, or none of the right cluster.',
    fix: 'Export the objects with `kubectl get … -o yaml`; docs/20-moving-from-cso.md has the commands.',
  },
  ADOPT_FILE_EXISTS: {
    summary: 'A file that `stackmason adopt` would write is there already.',
    fix: 'Choose an empty folder, or move the file away.',
  },
  ADOPT_SOURCE_UNKNOWN: {
    summary: 'Nothing says where the Cluster Stack Operator takes its releases from.',
    fix: 'Pass --oci, --github or --directory, or set the variables of the operator, or replace the placeholder in stackmason.yaml.',
  },
  ADOPT_LEFT_OUT: {
    summary: 'An object of the export is not part of the new fleet.',
    fix: 'Read the reason; nothing needs to be done if you agree.',
  },
  ADOPT_NOT_READY: {
    summary: 'Something is in progress, failed or unknown, so this is not the moment to move.',
    fix: 'Finish it with the Cluster Stack Operator first, then export and adopt again.',
  },
  // command line
  USAGE: { summary: 'The command line is not valid.', fix: 'See `stackmason <command> --help`.' },
  INTERNAL: { summary: 'A defect in stackmason.', fix: 'Please report it with the input that triggers it.' },
} as const

/** A code of {@link errorCodes}. */
export type Code = keyof typeof errorCodes
