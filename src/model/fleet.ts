import type { Acknowledgement } from './acknowledgement.ts'
import type { ServerAccess } from './credentials.ts'
import type { Code } from './error-codes.ts'
import type { AddonUnits, HandoffConfig } from './handoff-config.ts'
import type { GitopsTool } from './gitops-tool.ts'
import type { DocumentPlace, Positioned } from './positioned.ts'
import type { PublishConfig } from './publish-config.ts'
import type { RolloutConfig } from './rollout-config.ts'
import type { RuleLevels } from './rule-level.ts'
import type { Source, Span } from './source.ts'
import type { ClusterOptions } from './steps.ts'
import type { Dict, Value } from './value.ts'
import type { VariableRenames } from './variable-renames.ts'

/** The fields that every source has. */
interface SourceIdentity {
  readonly name: string
  readonly at: Span
}

/** A folder with one folder of assets per release. */
export interface DirectorySourceConfig extends SourceIdentity {
  readonly type: 'directory'
  readonly path: string
}

/** A stack as it lies in git. */
export interface ProviderDirectorySourceConfig extends SourceIdentity {
  readonly type: 'providerDirectory'
  readonly path: string
  readonly version?: string
}

/** A folder of a git repository: a provider directory (then with `version`, if any), or a folder of releases. */
export interface GitSourceConfig extends SourceIdentity, ServerAccess {
  readonly type: 'git'
  readonly url: string
  /** Branch, tag or commit; the remote's HEAD without one. */
  readonly ref?: string | undefined
  /** Relative to the repository's root; '' for the root. */
  readonly path: string
  readonly version?: string
}

/** Releases of a GitHub repository; one GitHub release per stack release, told by its tag. */
export interface GitHubSourceConfig extends SourceIdentity, ServerAccess {
  readonly type: 'github'
  readonly owner: string
  readonly repository: string
  /** Without a slash at the end: `https://api.github.com`, or that of an Enterprise server. */
  readonly apiUrl: string
}

/** A repository of an OCI registry; one tag per release. */
export interface OciSourceConfig extends SourceIdentity, ServerAccess {
  readonly type: 'oci'
  /** `host[:port]/path`; without one the environment says it (OCI_REGISTRY, OCI_REPOSITORY). */
  readonly repository?: string | undefined
  readonly repositoryAt?: Span
  /**
   * Public keys in PEM, absolute paths; when there is one, every release must carry a cosign signature of one of them.
   */
  readonly publicKeys: readonly string[]
}

/** A web server: `<url>/<tag>/<asset>`, and `<url>/index.json` for what it offers. */
export interface HttpSourceConfig extends SourceIdentity, ServerAccess {
  readonly type: 'http'
  /** Without a slash at the end. */
  readonly url: string
}

/** A source that lies on this machine, and needs no lock. */
export type LocalSourceConfig = DirectorySourceConfig | ProviderDirectorySourceConfig

/** Where releases come from. Members are told apart by `type`. */
export type SourceConfig = LocalSourceConfig | GitSourceConfig | GitHubSourceConfig | OciSourceConfig | HttpSourceConfig

/** How a repository of charts is reached that Chart.yaml files name. */
export interface ChartRepository extends ServerAccess {
  /** As Chart.yaml writes it, without a slash at the end: `https://helm.cilium.io`, `oci://registry.example/charts`. */
  readonly url: string
  /** Where to fetch from instead. */
  readonly mirror?: string | undefined
  /** Absolute paths of files with public keys; when there are any, every chart below must be signed by one of them. */
  readonly publicKeys: readonly string[]
  readonly at: Span
}

/** Scope of a kind that is in no built-in table and has no CRD in the tree. */
export interface KindScope {
  readonly group: string
  readonly kind: string
  readonly namespaced: boolean
}

/** Names of the class variables that choose the image of machines; absent: those of the openstack scs2 stack. */
export interface ImageVariableNames {
  /** Holds the image's name. */
  readonly name?: string
  /** Variable that says whether `-<Kubernetes version>` follows that name. */
  readonly addVersion?: string
  /** Variable that says whether the name is that of an Image object; else it is that of an image in the cloud. */
  readonly isObject?: string
}

/** Where the node images of a stack come from. */
export interface NodeImageConfig {
  readonly provider: string
  readonly stack: string
  /** Made from what the release or `file` says; found in the cloud; or none that could be missing. */
  readonly use: 'release' | 'existing' | 'none'
  /** Says which images there are, in place of the release. */
  readonly file?: Source
  /** Credentials for images that name none themselves. */
  readonly credentials: { readonly secretName: string; readonly cloudName: string }
  /**
   * Namespaces whose objects upload, `*` for all; others find the images by name. Absent: every namespace that offers
   * the stack uploads.
   */
  readonly uploadFrom?: readonly string[]
  /**
   * Variables of the stack's classes that choose images, where they have other names than those of the openstack scs2
   * stack.
   */
  readonly variables?: ImageVariableNames
  /**
   * How machines are made to look for images: as Image objects, or by name in the cloud. Absent: as class and cluster
   * say.
   */
  readonly findBy?: 'object' | 'name'
  /** Who says that they are there: the Image objects, or a NodeImageGate, which needs our controller. */
  readonly gate: 'images' | 'controller'
  readonly at: Span
}

/** stackmason.yaml. Paths are absolute after reading. */
export interface Fleet {
  readonly name: string
  /** The folder of stackmason.yaml. */
  readonly root: string
  readonly sources: readonly SourceConfig[]
  /** Which source serves which stack; a stack without an entry is looked up in every source. */
  readonly stackSources: readonly {
    readonly provider: string
    readonly stack: string
    readonly source: string
    readonly at: Span
  }[]
  readonly chartRepositories: readonly ChartRepository[]
  /** A stack without an entry: what its release says. */
  readonly nodeImages: readonly NodeImageConfig[]
  /** Absent: no tool's objects are written. */
  readonly handoff?: HandoffConfig
  /** Where stackmason.yaml says so. */
  readonly handoffAt?: Span
  /** The places of all that it says there, by their path below it: `flux.source.name`. */
  readonly handoffFields?: ReadonlyMap<string, Span>
  /** Where it says where the tree lies in the source of the GitOps tool, if it does. */
  readonly handoffPathAt?: Span
  /** A tool that the owner has taken out of the management cluster: the tree need not be handed over to it any more. */
  readonly retiredTool?: { readonly tool: GitopsTool; readonly at: Span }
  /** How addons are divided among units where no addons.yaml says so; absent: `perOwner`. */
  readonly addonUnits?: AddonUnits
  /** Output folder, relative to `root` (it may lead out: `../rendered`). */
  readonly output: string
  /** The output folder as stackmason.yaml names it, if it does. */
  readonly outputWritten?: { readonly path: string; readonly at: Span }
  readonly helmVersion: 3 | 4
  /** API versions that every cluster declares. */
  readonly apiVersions: DeclaredApiVersions
  /** True if `clusterstack.x-k8s.io/instance: owned` is set as CSO does. */
  readonly instanceLabel: boolean
  readonly scopes: readonly KindScope[]
  /** Findings that are accepted for a time. */
  readonly acknowledged: readonly Acknowledgement[]
  /** How much the findings of rules count in `check`, where the fleet says it. */
  readonly ruleLevels: RuleLevels
  /** Where it says it. */
  readonly ruleLevelPlaces: ReadonlyMap<Code, Span>
  /** New names of class variables that newer releases of stacks have renamed. */
  readonly variableRenames: VariableRenames
  /** The minor of the management cluster's Kubernetes, `1.34`, where the fleet says it. */
  readonly managementMinor?: string
  /** Folders with CustomResourceDefinitions by which `check` knows kinds; absolute. */
  readonly schemaFolders: readonly string[]
  readonly publish: PublishConfig
  /** How releases reach clusters by themselves; none: people write them into cluster.yaml. */
  readonly rollouts: readonly RolloutConfig[]
}

/** A ClusterStack document (clusterstack.x-k8s.io/v1alpha1). */
export interface ClusterStack {
  readonly name: string
  readonly namespace: string
  readonly provider: string
  readonly stack: string
  /** `major.minor`, e.g. `1.32`. */
  readonly kubernetesVersion: string
  readonly channel: 'stable' | 'custom'
  /** Versions in dot form, as written. */
  readonly versions: readonly { readonly version: string; readonly at: Span }[]
  /** Never true off the stable channel: other versions have no order. */
  readonly autoSubscribe: boolean
  readonly at: Span
  /** Where its namespace is written; absent: not known. */
  readonly namespaceAt?: Span
}

/** A values file of the fleet. */
export interface ValuesFile {
  readonly source: Source
  readonly values: Dict
}

/** A chart of a Helm repository or of an OCI registry, as addons.yaml names it. */
export interface RemoteChart {
  readonly name: string
  /** `https://…` of a Helm repository, or `oci://host/path` to which the name is added. */
  readonly repository: string
  /** A version or a range; stackmason.lock says what it resolved to. */
  readonly request: string
  readonly at: Span
}

/** An entry of addons.yaml. */
export interface AddonEntry {
  readonly name: string
  readonly enabled: boolean
  /** True if the conditions of clusteraddon.yaml are passed over. */
  readonly ignoresConditions: boolean
  /** Absolute folder or .tgz of a chart that the fleet brings; for a remote one a text that no other chart has. */
  readonly chart?: string
  /** Set when the chart is not in the fleet. */
  readonly remote?: RemoteChart
  /** Absolute folder of Handlebars templates that the fleet brings. */
  readonly templates?: string
  readonly namespace?: string
  readonly releaseName?: string
  readonly at: Span
}

/** A patch document of the fleet. Exactly one of `jsonPatch` and `mergePatch` is set. */
export interface Patch {
  readonly target: {
    readonly group?: string
    readonly version?: string
    readonly kind?: string
    readonly name?: string
    readonly namespace?: string
    readonly addon?: string
  }
  readonly jsonPatch?: readonly JsonPatchOperation[]
  readonly mergePatch?: Dict
  readonly optional: boolean
  readonly at: Span
  /** Where its fields stand. */
  readonly document: DocumentPlace
}

/** RFC 6902. `value` is set for add, replace and test; `from` for move and copy. */
export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test'
  readonly path: string
  readonly from?: string
  readonly value?: Value
  readonly at: Span
}

/** API versions that charts see beside those that Helm knows. */
export interface DeclaredApiVersions {
  /**
   * `group/version` or `group/version/Kind`, the fleet's first, then those of each folder down to the cluster's; each
   * once.
   */
  readonly declared: readonly string[]
  /** True if those of the CRDs count that the cluster's addons bring. */
  readonly fromCrds: boolean
}

/** A Cluster document and all that the fleet says about it, farthest folder first where order matters. */
export interface Cluster {
  readonly name: string
  readonly namespace: string
  /** Folder of cluster.yaml, absolute. */
  readonly folder: string
  /** The Cluster object as written (integers GoInt), its namespace filled in. */
  readonly object: Dict
  readonly apiVersion: string
  /** `topology.class` (v1beta1) or `topology.classRef.name` (v1beta2). */
  readonly className: string
  readonly classAt: Span
  /** `topology.classNamespace` or `classRef.namespace`, else the Cluster's own. */
  readonly classNamespace: string
  /** Where the namespace of the class is written; absent when it is not. */
  readonly classNamespaceAt?: Span
  /** `topology.version`. */
  readonly version: string
  readonly versionAt: Span
  readonly source: Source
  /** The Cluster as written. */
  readonly document: Positioned<Dict>
  /** Further objects that lie beside cluster.yaml (other documents of the file), as written. */
  readonly beside: readonly Positioned<Dict>[]
  readonly addons: readonly AddonEntry[]
  /** By addon name, farthest first. */
  readonly values: ReadonlyMap<string, readonly ValuesFile[]>
  /** Farthest folder first, then file name order. */
  readonly patches: readonly Patch[]
  /** Secrets of addons that are there already, and are neither written nor made. */
  readonly existingSecrets: readonly { readonly name: string; readonly namespace: string; readonly at: Span }[]
  /** `Cluster.spec.controlPlaneEndpoint.host` and the like, supplied by the fleet. */
  readonly runtimeValues: ReadonlyMap<string, { readonly value: string; readonly at: Span; readonly keyAt?: Span }>
  /** The same for a preview with a GitOps tool: what fills the placeholders of the finished objects. */
  readonly previewValues?: Cluster['runtimeValues']
  /** API versions that its charts see in addition to Helm's; absent: none. */
  readonly apiVersions?: DeclaredApiVersions
  /** How its addons are divided among units; absent: as the fleet says. */
  readonly addonUnits?: AddonUnits
  /** The content of options.yaml beside cluster.yaml. */
  readonly options?: ClusterOptions
}

/** A fleet repository, read and validated. */
export interface FleetRepository {
  readonly fleet: Fleet
  readonly clusterStacks: readonly ClusterStack[]
  readonly clusters: readonly Cluster[]
}
