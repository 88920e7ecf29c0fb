/** The codes of the rules of `check`, which nothing else finds; a part of the table of codes. */
export const ruleErrorCodes = {
  CLUSTER_DELETED: {
    summary: 'A Cluster leaves the tree without a decommission.',
    fix: 'Restore its folder and decommission it in steps, as docs/19-life-of-a-cluster.md says, or acknowledge this finding.',
  },
  OBJECT_DELETED: {
    summary:
      'An object leaves the tree, and more is deleted with it: all objects of a definition, everything in a namespace, the data of a volume, machines.',
    fix: 'Bring it back, or acknowledge this finding if it is meant to go.',
  },
  FIELD_IMMUTABLE: {
    summary: 'An object changes in a field that the API server refuses to change.',
    fix: 'Give the object another name, or have it deleted first and acknowledge this finding. Publish another template of a class as a new version of the release.',
  },
  DEFAULT_STAYS: {
    summary:
      'A change leaves what the API server filled in when the object was made, so that the object does something else than it says.',
    fix: 'Write the field that was filled in, such as `policyTypes` of a NetworkPolicy or `serviceAccountName` of a pod template.',
  },
  KUBERNETES_STEP_REFUSED: {
    summary: 'The version of Kubernetes of a cluster goes back or skips a minor version.',
    fix: 'Upgrade one minor version at a time, each in a commit of its own.',
  },
  RELEASE_REVERTED: {
    summary: 'A Cluster goes back to an older release of its stack.',
    fix: 'Restore its class, or acknowledge this finding if the older release is meant.',
  },
  CLASS_REMOVED_EARLY: {
    summary: 'A class leaves the tree in the commit in which its last Clusters move away from it.',
    fix: 'Keep its release in `versions` of the ClusterStack for one more commit.',
  },
  OBJECT_CHANGES_UNIT: {
    summary: 'An object moves from one unit of the GitOps tool to another in one commit, so it may be deleted.',
    fix: 'Commit each step that render writes for itself: first the object is marked to stay, then it moves. Beside a Cluster, mark it yourself.',
  },
  OBJECT_OWNED_TWICE: {
    summary: 'Two units of the GitOps tool have the same object of the management cluster.',
    fix: 'Remove it from one of the two, or give it another name there.',
  },
  DEFINITION_NARROWED: {
    summary: 'A CustomResourceDefinition no longer serves a version, or no longer has a field or subresource.',
    fix: 'Look for objects that use it, in clusters and in other repositories; then acknowledge this finding.',
  },
  DEFINITION_TIGHTENED: {
    summary: 'A CustomResourceDefinition accepts fewer values of a field than before, or is merged differently.',
    fix: 'Look for objects that it no longer accepts, in clusters and in other repositories; then acknowledge this finding.',
  },
  CONVERSION_MISSING: {
    summary: 'A CustomResourceDefinition serves versions with different fields, and nothing converts between them.',
    fix: 'Write objects in the version that is stored, or complete the conversion webhook.',
  },
  CLASS_VARIABLE_UNKNOWN: {
    summary: 'A Cluster sets a variable that its class does not define.',
    fix: 'Correct the name, or remove the variable.',
  },
  CLASS_VARIABLE_INVALID: {
    summary: 'A Cluster gives a variable of its class a value that the class does not allow.',
    fix: 'Write a value that the variable of the class allows.',
  },
  CLASS_VARIABLE_MISSING: {
    summary: 'A Cluster does not set a variable that its class requires.',
    fix: 'Add the variable to spec.topology.variables of cluster.yaml.',
  },
  WORKER_CLASS_UNKNOWN: {
    summary: 'A group of workers names a worker class that the ClusterClass does not have.',
    fix: 'Name one of the worker classes of the class.',
  },
  ENDPOINT_SHARED: {
    summary: 'Two Clusters have the same control plane endpoint.',
    fix: 'Give each Cluster an address of its own.',
  },
  VALUES_KEY_UNREAD: {
    summary: 'A key of the values of an addon is read by no template of its chart.',
    fix: 'Correct the name or the indentation, or remove the key.',
  },
  KIND_NOT_SERVED: {
    summary: 'The API server that an object goes to does not serve its kind, or not in this version.',
    fix: 'Write the object in a version that is served.',
  },
  OBJECT_FIELD_UNKNOWN: {
    summary: 'An object has a field that its kind does not have.',
    fix: 'Correct the name or the place of the field, or remove it.',
  },
  OBJECT_FIELD_INVALID: {
    summary: 'A field of an object is missing, or has a value that an API server refuses.',
    fix: 'Correct it where the message points: in the template, in the values that it reads, or with a patch.',
  },
  FIELD_RULE_BROKEN: {
    summary: 'An object breaks a rule that the definition of its kind has for fields (CEL).',
    fix: 'Correct it where the message points: in the template, in the values that it reads, or with a patch.',
  },
  RULE_NOT_EVALUATED: {
    summary: 'A rule in CEL could not be evaluated, so only the API server will check it.',
    fix: 'Try the object on a server: `kubectl apply --dry-run=server`.',
  },
  POLICY_INVALID: {
    summary: 'Something in the folder `policies` has no effect: API servers refuse it, or nothing uses it.',
    fix: 'Correct it, or remove it from the folder.',
  },
  POLICY_DENIED: {
    summary: 'A ValidatingAdmissionPolicy refuses an object.',
    fix: 'Correct the object as the policy says, or exempt it in the policy or its binding.',
  },
  POLICY_NOT_EVALUATED: {
    summary: 'A policy could not be evaluated for an object, so only the API server will check it.',
    fix: 'Try the object on a server that has the policy: `kubectl apply --dry-run=server`.',
  },
  API_DEPRECATED: {
    summary:
      'The next minor of Kubernetes does not serve the version of a kind, or its definition calls it deprecated.',
    fix: 'Write the object in a newer version.',
  },
  SCHEMA_MISSING: {
    summary: 'The definition of a kind is not known, so fields of its objects are not checked.',
    fix: 'Put the CustomResourceDefinition of each kind into a folder that `spec.check.schemas` of stackmason.yaml names.',
  },
  CLASS_INVALID: {
    summary: 'A ClusterClass contains something that the webhook of Cluster API refuses.',
    fix: 'Correct the class. If clusters use it, publish a new version of the release.',
  },
  CLASS_PATCH_INVALID: {
    summary: 'A patch of a ClusterClass sets a field that its template cannot have, or a value that it does not take.',
    fix: 'Correct the patch. If clusters use the class, publish a new version of the release.',
  },
  CLASS_TEMPLATE_MISSING: {
    summary: 'A ClusterClass names a template that its release does not have.',
    fix: 'Correct the name in the class, or bring the template with it.',
  },
  CLUSTER_PART_MISSING: {
    summary: 'A Cluster names a class, or a part, that the tree does not have.',
    fix: 'Correct the name, or bring the object.',
  },
  CREDENTIALS_MISSING: {
    summary: 'Machines or images of a cloud need a Secret with credentials that nothing in the tree brings.',
    fix: 'Bring it encrypted, as a SealedSecret or as an ExternalSecret; if it is made by hand, acknowledge this finding.',
  },
  RIGHTS_MISSING: {
    summary: 'The GitOps tool may not write a kind that the tree has.',
    fix: 'Give the service account or the AppProject the permission, or leave the object out.',
  },
  NAMESPACE_UNKNOWN: {
    summary: 'An object of the management cluster is in a namespace that nothing in the tree makes or has.',
    fix: 'Correct the namespace, or bring a Namespace; if it is there already, acknowledge this finding.',
  },
  NAMESPACE_FOREIGN: {
    summary: 'An object that lies beside a Cluster is in another namespace than the Cluster.',
    fix: 'Leave the namespace out, so that it is that of the Cluster; if another one is meant, acknowledge this finding.',
  },
  NAMESPACE_LATE: {
    summary: 'A Namespace comes after objects in it, and waits for them.',
    fix: 'Bring the Namespace with the first addon that has objects in it.',
  },
  POD_CONFIG_MISSING: {
    summary: 'Pods need a ConfigMap, a Secret, a claim or a key that nothing in the tree brings.',
    fix: 'Correct the name, or bring the object with an addon.',
  },
  POD_ADMISSION_MISSING: {
    summary: 'Pods name a service account, priority class or runtime class that nothing in the tree brings.',
    fix: 'Correct the name, or bring the object with an addon.',
  },
  STORAGE_CLASS_MISSING: {
    summary: 'A volume claim names a storage class that nothing in the tree brings.',
    fix: 'Correct the name, or bring the storage class with an addon.',
  },
  SERVICE_MISSING: {
    summary: 'The API server is configured to call a Service or port that nothing in the tree brings.',
    fix: 'Correct name, namespace and port, or bring the Service with an addon.',
  },
  ROLE_MISSING: {
    summary: 'A binding names a role, or nearly the name of a service account, that nothing in the tree brings.',
    fix: 'Correct the name, or bring the role or account with an addon.',
  },
  DEFINITION_MISSING: {
    summary: 'An object is of a kind that nothing in the tree defines.',
    fix: 'Bring its CustomResourceDefinition with an addon, or declare the API version that the cluster serves.',
  },
  BACKEND_MISSING: {
    summary: 'An Ingress or a route names a Service or port that nothing in the tree brings.',
    fix: 'Correct name and port, or bring the Service with an addon.',
  },
  GATEWAY_MISSING: {
    summary: 'An Ingress, Gateway or route names a class or a Gateway that nothing in the tree brings.',
    fix: 'Correct the name, or bring the class or Gateway with an addon.',
  },
  GOVERNING_SERVICE_MISSING: {
    summary: 'A StatefulSet names a Service that nothing in the tree brings.',
    fix: 'Correct the name, or bring the Service with the StatefulSet.',
  },
  SCALE_TARGET_MISSING: {
    summary: 'The target of an autoscaler is an object that nothing in the tree brings.',
    fix: 'Correct group, kind and name of the target, or remove the autoscaler.',
  },
  PULL_SECRET_MISSING: {
    summary: 'Pods or a service account name a Secret for a registry that nothing in the tree brings.',
    fix: 'Correct the name, or bring the Secret with an addon.',
  },
  SELECTOR_MATCHES_NOTHING: {
    summary: 'The selector of a Service or PodDisruptionBudget matches no pod of the tree.',
    fix: 'Correct the selector, or the labels of the pods.',
  },
  PORT_UNKNOWN: {
    summary: 'A Service or a probe names a port that no container has.',
    fix: 'Correct the name, or name the port of the container.',
  },
  CONTROL_PLANE_EVEN: {
    summary: 'A Cluster has no control plane, or an even number of them, and etcd runs on them.',
    fix: 'Write an odd number of replicas.',
  },
  REPLICAS_CONTESTED: {
    summary: 'The tree and an autoscaler both set a number of replicas.',
    fix: 'Remove replicas, or the autoscaler.',
  },
  IMAGE_INVALID: {
    summary: 'A container has an image whose name no node can pull.',
    fix: 'Correct the name, tag or digest; put a tag that looks like a number in quotes.',
  },
  IMAGE_TAG_FLOATS: {
    summary: 'A container has an image without a tag, or with the tag latest.',
    fix: 'Write the version as the tag, or a digest.',
  },
  IMAGE_DIGEST_MISSING: {
    summary: 'A container has an image without a digest.',
    fix: 'Add the digest, `@sha256:…`, behind the tag.',
  },
  NODE_IMAGE_UNVERIFIED: {
    summary: 'The image of machines is fetched from an address, without a checksum.',
    fix: 'Add the checksum of the image.',
  },
  EVICTION_BLOCKED: {
    summary: 'A PodDisruptionBudget allows no eviction, so nodes cannot be drained.',
    fix: 'Allow one pod to be unavailable, or run one more.',
  },
  REPLICAS_ZERO: {
    summary: 'A change scales a workload or a group of workers to nothing.',
    fix: 'Restore the number of replicas, or acknowledge this finding if it is meant to stop.',
  },
  VARIABLE_UNFILLED: {
    summary: 'A field of an object holds a variable, `${NAME}`, that nothing fills in.',
    fix: 'Write the value instead.',
  },
  CHARACTER_HIDDEN: {
    summary: 'A text of an object holds a character that nobody sees, or that turns the direction of what is read.',
    fix: 'Remove the character.',
  },
  OBJECT_TOO_LARGE: {
    summary: 'An object is larger than API servers take.',
    fix: 'Divide it among several objects, or leave out what is not needed.',
  },
} as const
