import type { Rule } from './rule.ts'
import { brokenRules } from './rules/broken-rules.ts'
import { contestedReplicas } from './rules/contested-replicas.ts'
import { deniedByPolicy } from './rules/denied-by-policy.ts'
import { evenControlPlanes } from './rules/even-control-planes.ts'
import { hiddenCharacters } from './rules/hidden-characters.ts'
import { oversizedObjects } from './rules/oversized-objects.ts'
import { blockedEvictions } from './rules/blocked-evictions.ts'
import { stoppedWorkloads } from './rules/stopped-workloads.ts'
import { undigestedImages } from './rules/undigested-images.ts'
import { unverifiedNodeImages } from './rules/unverified-node-images.ts'
import { tightenedDefinitions } from './rules/tightened-definitions.ts'
import { unconvertedVersions } from './rules/unconverted-versions.ts'
import { unfilledVariables } from './rules/unfilled-variables.ts'
import { invalidImages } from './rules/invalid-images.ts'
import { unknownPorts } from './rules/unknown-ports.ts'
import { unpinnedImages } from './rules/unpinned-images.ts'
import { invalidClasses } from './rules/invalid-classes.ts'
import { invalidClassVariables } from './rules/invalid-class-variables.ts'
import { deletedClusters } from './rules/deleted-clusters.ts'
import { deletedObjects } from './rules/deleted-objects.ts'
import { immutableFields } from './rules/immutable-fields.ts'
import { kubernetesSteps } from './rules/kubernetes-steps.ts'
import { narrowedDefinitions } from './rules/narrowed-definitions.ts'
import { deprecatedApis } from './rules/deprecated-apis.ts'
import { invalidPolicies } from './rules/invalid-policies.ts'
import { invalidFields } from './rules/invalid-fields.ts'
import { missingClassVariables } from './rules/missing-class-variables.ts'
import { missingSchemas } from './rules/missing-schemas.ts'
import { missingClassTemplates } from './rules/missing-class-templates.ts'
import { missingDefinitions } from './rules/missing-definitions.ts'
import { missingPodConfig } from './rules/missing-pod-config.ts'
import { missingPodIdentity } from './rules/missing-pod-identity.ts'
import { missingRights } from './rules/missing-rights.ts'
import { lateNamespaces } from './rules/late-namespaces.ts'
import { foreignNamespaces } from './rules/foreign-namespaces.ts'
import { unknownNamespaces } from './rules/unknown-namespaces.ts'
import { missingRoles } from './rules/missing-roles.ts'
import { missingServices } from './rules/missing-services.ts'
import { missingStorageClasses } from './rules/missing-storage-classes.ts'
import { unevaluatedPolicies } from './rules/unevaluated-policies.ts'
import { unevaluatedRules } from './rules/unevaluated-rules.ts'
import { unknownClassVariables } from './rules/unknown-class-variables.ts'
import { invalidClassPatches } from './rules/invalid-class-patches.ts'
import { unknownFields } from './rules/unknown-fields.ts'
import { unknownWorkerClasses } from './rules/unknown-worker-classes.ts'
import { unreadValues } from './rules/unread-values.ts'
import { unservedKinds } from './rules/unserved-kinds.ts'
import { missingBackends } from './rules/missing-backends.ts'
import { missingGateways } from './rules/missing-gateways.ts'
import { missingGoverningServices } from './rules/missing-governing-services.ts'
import { missingScaleTargets } from './rules/missing-scale-targets.ts'
import { missingPullSecrets } from './rules/missing-pull-secrets.ts'
import { unmatchedSelectors } from './rules/unmatched-selectors.ts'
import { sharedEndpoints } from './rules/shared-endpoints.ts'
import { sharedOwners } from './rules/shared-owners.ts'
import { keptDefaults } from './rules/kept-defaults.ts'
import { movedObjects } from './rules/moved-objects.ts'
import { missingClusterParts } from './rules/missing-cluster-parts.ts'
import { missingCredentials } from './rules/missing-credentials.ts'
import { removedClasses } from './rules/removed-classes.ts'
import { revertedReleases } from './rules/reverted-releases.ts'

/** Every rule, in the order in which a run reports and lists them. */
export const rules: readonly Rule[] = [
  // what a commit destroys
  deletedClusters,
  deletedObjects,
  immutableFields,
  keptDefaults,
  stoppedWorkloads,
  kubernetesSteps,
  revertedReleases,
  removedClasses,
  movedObjects,
  sharedOwners,
  narrowedDefinitions,
  tightenedDefinitions,
  // what people write
  unknownClassVariables,
  invalidClassVariables,
  missingClassVariables,
  unknownWorkerClasses,
  evenControlPlanes,
  sharedEndpoints,
  unreadValues,
  // schemas
  unservedKinds,
  unknownFields,
  invalidFields,
  brokenRules,
  unevaluatedRules,
  invalidPolicies,
  deniedByPolicy,
  unevaluatedPolicies,
  deprecatedApis,
  missingSchemas,
  unconvertedVersions,
  invalidClasses,
  invalidClassPatches,
  // references that no API server checks
  missingClassTemplates,
  missingClusterParts,
  missingCredentials,
  missingRights,
  unknownNamespaces,
  foreignNamespaces,
  lateNamespaces,
  missingPodConfig,
  missingPodIdentity,
  missingStorageClasses,
  missingServices,
  missingRoles,
  missingDefinitions,
  missingBackends,
  missingGateways,
  missingGoverningServices,
  missingScaleTargets,
  missingPullSecrets,
  unmatchedSelectors,
  unknownPorts,
  // what harms in the cluster
  oversizedObjects,
  contestedReplicas,
  blockedEvictions,
  invalidImages,
  unpinnedImages,
  undigestedImages,
  unverifiedNodeImages,
  unfilledVariables,
  hiddenCharacters,
]
