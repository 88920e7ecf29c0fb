import type { ClusterBinding, Placeholder } from '../../model/binding.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { GitopsTool } from '../../model/gitops-tool.ts'
import { type LocatedToken, type Manifest, placeIn, type RenderedFolder } from '../../model/manifest.ts'
import { rootTokens, tokenPattern, type RuntimeAssumption } from '../../model/token.ts'
import { exceededLimits } from './binding-limits.ts'
import { existingGenerators, isNamed } from './existing-secrets.ts'
import { isGeneratedSecret, isSecret, nameGenerators, placeName } from './generator-places.ts'
import { createRecipes, NotMadeError, type FilledText, type Recipes, type UnitText } from './recipes.ts'
import { runtimeValuesOf } from './runtime-values.ts'
import { secretRecipe } from './secret-recipe.ts'
import { replaceValues } from './replace-values.ts'

/** A rendered cluster to bind. */
export interface BindInput {
  readonly cluster: Pick<Cluster, 'name' | 'namespace' | 'source' | 'existingSecrets'>
  /** All folders of the cluster, that of the Cluster first. */
  readonly folders: readonly RenderedFolder[]
  readonly assumptions: readonly RuntimeAssumption[]
  /** Who fills placeholders in; nothing is bound without. */
  readonly tool: GitopsTool | undefined
  /** The controller tells Argo CD of the cluster. */
  readonly clusterSecret?: true | undefined
}

/** A cluster whose manifests wait for nothing that is not bound. */
export interface BoundCluster {
  /** Without the Secrets that are generated or exist; with the RuntimeValues object beside the Cluster. */
  readonly folders: readonly RenderedFolder[]
  readonly runtimeValues?: Manifest
  /** The placeholder index. */
  readonly placeholders: readonly Placeholder[]
  readonly binding: ClusterBinding
}

/**
 * Binds what a cluster's manifests wait for: fields of the running cluster and public parts of what is generated become
 * placeholders, `${NAME}` (in the files of Flux; elsewhere placeholders stay, and the index says what belongs there);
 * Secrets that hold what charts would have generated are taken out of the tree and listed with what it takes to make
 * them. Rule: the design's late binding.
 * @throws StackmasonError SECRET_NOT_MADE for a Secret that cannot be made in the cluster either, BINDING_TOO_LARGE,
 * BINDING_NAME_TAKEN
 */
export function bindCluster({ cluster, folders, assumptions, tool, clusterSecret }: BindInput): BoundCluster {
  const nothing: ClusterBinding = { values: [], generators: [], secrets: [] }
  const all = folders.flatMap(({ manifests }) => manifests)
  const isExisting = (manifest: Manifest): boolean =>
    isSecret(manifest) && cluster.existingSecrets.some((entry) => isNamed(manifest, entry))
  if (tool === undefined)
    return { folders: folders.map((folder) => without(folder, isExisting)), placeholders: [], binding: nothing }
  // of two addons with the same Secret the last one wins, as it would when both are applied
  const last = new Map(all.filter(isGeneratedSecret).map((manifest) => [secretKey(manifest), manifest]))
  const generatorNames = nameGenerators(
    all.filter((manifest) => !isGeneratedSecret(manifest) || last.get(secretKey(manifest)) === manifest),
  )
  const existing = existingGenerators(all, cluster.existingSecrets, generatorNames)
  const recipes = createRecipes({ generatorNames, existing, assumptions })
  const placeholders: Placeholder[] = []
  const secrets: ClusterBinding['secrets'][number][] = []
  const problems: Diagnostic[] = []
  const bound = folders.map((folder) => ({
    ...folder,
    manifests: folder.manifests.flatMap((manifest) => {
      if (isExisting(manifest)) return []
      try {
        if (isGeneratedSecret(manifest)) {
          if (last.get(secretKey(manifest)) === manifest) secrets.push(secretRecipe(manifest, recipes))
          return []
        }
        const made = bindManifest(manifest, recipes, tool)
        placeholders.push(...made.placeholders.map((placeholder) => ({ ...placeholder, folder: folder.path })))
        return [made.manifest]
      } catch (error) {
        if (!(error instanceof NotMadeError)) throw error
        problems.push(notMade(manifest, error))
        return []
      }
    }),
  }))
  if (problems.length > 0) throw new StackmasonError(problems)
  for (const { path, type } of assumptions) recipes.needField(path, type)
  const binding = { values: recipes.values(), generators: recipes.generators(), secrets: secrets.toSorted(bySecret) }
  const isEmpty = binding.values.length === 0 && binding.secrets.length === 0
  if (isEmpty && clusterSecret === undefined) return { folders: bound, placeholders, binding }
  const runtimeValues = runtimeValuesOf(cluster, binding, clusterSecret)
  const exceeded = exceededLimits(binding, runtimeValues.object)
  if (exceeded.length > 0) throw new StackmasonError(exceeded.map((problem) => tooLarge(cluster, problem)))
  const [first, ...others] = bound
  if (first === undefined) throw new Error('a cluster without folders')
  const taken =
    binding.values.length === 0 ? undefined : first.manifests.find((manifest) => isPublished(manifest, cluster))
  if (taken !== undefined) throw new StackmasonError(nameTaken(taken, cluster))
  return {
    folders: [{ ...first, manifests: [...first.manifests, runtimeValues] }, ...others],
    runtimeValues,
    placeholders,
    binding,
  }
}

function without(folder: RenderedFolder, isOut: (manifest: Manifest) => boolean): RenderedFolder {
  if (!folder.manifests.some(isOut)) return folder
  return { ...folder, manifests: folder.manifests.filter((manifest) => !isOut(manifest)) }
}

function secretKey({ namespace = '', name }: Pick<Manifest, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`
}

function bySecret(a: ClusterBinding['secrets'][number], b: ClusterBinding['secrets'][number]): number {
  const [first, second] = [secretKey(a), secretKey(b)]
  return first < second ? -1 : first > second ? 1 : 0
}

function bindManifest(
  manifest: Manifest,
  recipes: Recipes,
  tool: GitopsTool,
): { readonly manifest: Manifest; readonly placeholders: readonly Omit<Placeholder, 'folder'>[] } {
  if (manifest.deferred === undefined) return { manifest, placeholders: [] }
  const { apiVersion, kind, name, namespace } = manifest
  const placeholders: Omit<Placeholder, 'folder'>[] = []
  const texts = new Map<string, string>()
  const deferred = manifest.deferred.map((located): LocatedToken => {
    const at = { unit: manifest.origin.unit, tokens: located.tokens, place: placeName(manifest, located) }
    const { source, ...filled } = filledText(located, { at, recipes, tool })
    placeholders.push({
      object: { apiVersion, kind, name, ...(namespace !== undefined && { namespace }) },
      pointer: located.pointer,
      ...filled,
      written: tool === 'flux' ? filled.text : located.written,
      ...(located.isInteger === true && { isInteger: located.isInteger }),
    })
    if (tool !== 'flux') return located
    texts.set(located.pointer, filled.text)
    return { ...located, text: source, written: filled.text }
  })
  if (texts.size === 0) return { manifest: { ...manifest, deferred }, placeholders }
  return { manifest: { ...manifest, deferred, object: replaceValues(manifest.object, texts) }, placeholders }
}

/** The text with placeholders, and the text with tokens that it comes from. */
function filledText(
  { text, tokens }: LocatedToken,
  { at, recipes, tool }: { readonly at: UnitText; readonly recipes: Recipes; readonly tool: GitopsTool },
): FilledText & { readonly source: string } {
  // Flux takes line breaks out of values (fluxcd/pkg, kustomize_varsub.go): PEM goes through as one line between double
  // quotes
  if (tool !== 'flux' || !holdsLines({ text, tokens })) return { ...recipes.fill(text, at), source: text }
  return {
    ...recipes.fillEscaped(text, at),
    source: tokens.add({ kind: 'derived', type: 'string', function: 'text', input: text }),
  }
}

/** True if the value of a token in the text has lines, certificates that is, and is not encoded. */
function holdsLines({ text, tokens }: Pick<LocatedToken, 'text' | 'tokens'>): boolean {
  return (text.match(tokenPattern()) ?? []).some((token) => {
    const spec = tokens.get(token)
    if (spec?.kind === 'derived' && ['b64enc', 'b32enc'].includes(spec.function)) return false
    return rootTokens(token, tokens).some((root) => tokens.get(root)?.kind === 'generated')
  })
}

/** Values are published in a ConfigMap named like the cluster; Flux also takes them from a Secret of that name. */
function isPublished({ apiVersion, kind, namespace, name }: Manifest, cluster: BindInput['cluster']): boolean {
  if (apiVersion !== 'v1' || (kind !== 'ConfigMap' && kind !== 'Secret')) return false
  return name === cluster.name && (namespace ?? cluster.namespace) === cluster.namespace
}

function nameTaken(manifest: Manifest, { namespace }: BindInput['cluster']): Diagnostic {
  const { kind, name } = manifest
  return {
    code: 'BINDING_NAME_TAKEN',
    severity: 'error',
    message: `${kind} ${namespace}/${name} has the name under which the values of cluster ${namespace}/${name} are published`,
    ...placeIn(manifest, 'metadata', 'name'),
    hint: `Give the ${kind} another name, for example ${name}-settings.`,
  }
}

function tooLarge({ namespace, name, source }: BindInput['cluster'], problem: string): Diagnostic {
  return {
    code: 'BINDING_TOO_LARGE',
    severity: 'error',
    message: `cluster ${namespace}/${name} waits for more than a RuntimeValues object can hold: ${problem}`,
    file: source.name,
    hint: 'Set known values under spec.runtimeValues of addons.yaml; create large Secrets yourself, and name them under spec.existingSecrets.',
  }
}

function notMade(manifest: Manifest, error: NotMadeError): Diagnostic {
  const { kind, name, namespace = '', origin } = manifest
  return {
    code: 'SECRET_NOT_MADE',
    severity: 'error',
    message: `${kind} ${namespace === '' ? name : `${namespace}/${name}`} (${origin.template}) cannot be made in the cluster: ${error.message}`,
    ...placeIn(manifest, 'metadata', 'name'),
    hint: `Make the Secret yourself and name it in addons.yaml: spec.existingSecrets: [{name: ${name}, namespace: ${namespace}}].`,
  }
}
