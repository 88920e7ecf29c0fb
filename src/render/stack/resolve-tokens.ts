import { decodeBase64, encodeBase64 } from '../../codec/bytes/base64.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import { formatPointer, pathOfPointer, textAt } from '../../model/field.ts'
import { type LocatedToken, type Manifest, placeIn } from '../../model/manifest.ts'
import { rootTokens, type TokenOrigin, type TokenTable } from '../../model/token.ts'
import { GoInt } from '../../model/value.ts'
import { describeTokens, nameTokens } from '../engine/token-search.ts'
import { locateTokens, replaceTokens, valueAt, type TextWithTokens } from './locate-tokens.ts'
import { describeManifest } from './patch.ts'
import { misplacedHash, restoreHashes } from './restore-hashes.ts'
import { placeholderText, privateToken, standardResolvers, type ResolverContext } from './token-resolver.ts'

/**
 * Manifests with samples in place of tokens, by those with tokens: where a sample is a number, the object needs one.
 */
export type Samples = ReadonlyMap<Manifest, Manifest>

/** Manifests without tokens, and what is worth telling about those that were in them. */
export interface ResolvedManifests {
  readonly manifests: readonly Manifest[]
  readonly findings: readonly Diagnostic[]
}

/**
 * Judges where tokens have landed and puts placeholders in their place; `deferred` of each manifest says what they
 * stand for. Test hooks with a random name are left out. Rule: the design's late binding.
 * @throws StackmasonError SECRET_OUTSIDE_SECRET for private text anywhere but in `data` and `stringData` of a Secret,
 * OBJECT_DEFERRED_KEY for a token in a key or in what identifies an object
 */
export function resolveTokens(
  manifests: readonly Manifest[],
  options: Omit<ResolverContext, 'resolvers'> & Partial<ResolverContext> & { readonly samples?: Samples },
): ResolvedManifests {
  const { tokens } = options
  if (tokens.specs.length === 0) return { manifests, findings: [] }
  const context = { resolvers: standardResolvers, ...options }
  const problems: Diagnostic[] = []
  const findings: Diagnostic[] = []
  const uses: GeneratorUses = new Map()
  const resolved = manifests.flatMap((made) => {
    const manifest = restoreHashes(made, tokens)
    const misplaced = misplacedHash(manifest, tokens)
    if (misplaced !== undefined) problems.push(hashOutside(manifest, misplaced, tokens))
    const found = locateTokens(manifest.object)
    if (found.length === 0) return [manifest]
    const identity = found.find(isIdentity)
    if (identity !== undefined && isTestHook(manifest)) {
      findings.push(skippedTestHook(manifest, identity, tokens))
      return []
    }
    for (const text of found) {
      const problem = problemAt(manifest, text, context)
      if (problem !== undefined) problems.push(problem)
      noteUse(uses, `${nameTokens(describeManifest(manifest), tokens)} ${formatPointer(text.path)}`, {
        text: text.text,
        tokens,
      })
    }
    return [withPlaceholders(manifest, found, { ...context, sample: options.samples?.get(made) })]
  })
  if (problems.length > 0) throw new StackmasonError(problems)
  return { manifests: resolved, findings: [...findings, ...[...uses.values()].map(generatorFinding)] }
}

function withPlaceholders(
  manifest: Manifest,
  found: readonly TextWithTokens[],
  context: ResolverContext & { readonly sample: Manifest | undefined },
): Manifest {
  const place = (text: string, path: readonly string[]): string => {
    const written = placeholderText(text, context)
    // the API server refuses data that is no base64
    const isBytes = isSecret(manifest) && path[0] === 'data' && decodeBase64(written) === undefined
    return isBytes ? encodeBase64(encodeUtf8(written)) : written
  }
  const deferred = found.map(({ path, text }): LocatedToken => {
    const pointer = formatPointer(path)
    const isInteger = context.sample !== undefined && valueAt(context.sample.object, pointer) instanceof GoInt
    const written = place(text, path)
    return { pointer, text, tokens: context.tokens, written, ...(isInteger && { isInteger }) }
  })
  return { ...manifest, object: replaceTokens(manifest.object, place), deferred }
}

function isSecret(manifest: Manifest): boolean {
  return manifest.kind === 'Secret' && manifest.apiVersion === 'v1'
}

const identityPointers: ReadonlySet<string> = new Set([
  '/apiVersion',
  '/kind',
  '/metadata/name',
  '/metadata/namespace',
  '/metadata/generateName',
])

function isIdentity({ path, isKey }: TextWithTokens): boolean {
  return !isKey && identityPointers.has(formatPointer(path))
}

const testEvents: ReadonlySet<string> = new Set(['test', 'test-success', 'test-failure'])

function isTestHook({ object }: Manifest): boolean {
  const events = textAt(object, 'metadata', 'annotations', 'helm.sh/hook')
  return events.split(',').every((event) => testEvents.has(event.trim().toLowerCase()))
}

function skippedTestHook(manifest: Manifest, { text }: TextWithTokens, tokens: TokenTable): Diagnostic {
  return {
    code: 'OBJECT_TEST_HOOK',
    severity: 'note',
    message: `${nameTokens(describeManifest(manifest), tokens)} is a test hook with a random name; it was left out`,
    ...(originOf(text, tokens) ?? placeIn(manifest, 'metadata', 'name')),
  }
}

/** The problem with where a text has landed, if there is one. */
function problemAt(manifest: Manifest, found: TextWithTokens, context: ResolverContext): Diagnostic | undefined {
  const { tokens } = context
  const { path, text, isKey } = found
  const object = nameTokens(describeManifest(manifest), tokens)
  const pointer = formatPointer(path)
  const place = placeIn(manifest, ...pathOfPointer(manifest.object, pointer))
  if (isKey || isIdentity(found)) {
    return {
      code: 'OBJECT_DEFERRED_KEY',
      severity: 'error',
      message: isKey
        ? `a key at ${pointer === '' ? 'the top' : pointer} of ${object} (${manifest.origin.template}) holds ${describeTokens([text], tokens)}, which is known only later`
        : `${pointer} of ${object} (${manifest.origin.template}) holds ${describeTokens([text], tokens)}, which is known only later`,
      ...(originOf(text, tokens) ?? place),
      hint: 'Supply the name through the values: what identifies an object must be known when it is committed.',
    }
  }
  if (isSecret(manifest) && path.length === 2 && (path[0] === 'data' || path[0] === 'stringData')) return undefined
  for (const root of rootTokens(text, tokens)) {
    const secret = privateToken(root, context)
    if (secret === undefined) continue
    const inside = secret === root ? '' : `, with ${describeTokens([secret], tokens)} in it`
    return {
      code: 'SECRET_OUTSIDE_SECRET',
      severity: 'error',
      message: `${pointer} of ${object} (${manifest.origin.template}) holds ${describeTokens([root], tokens)}${inside}, which only a Secret may hold`,
      ...(tokens.originOf(root) ?? place),
      hint: 'Supply the value through the values, or switch the chart to an existing Secret.',
    }
  }
  return undefined
}

function hashOutside(
  manifest: Manifest,
  { pointer, hash }: { readonly pointer: string; readonly hash: string },
  tokens: TokenTable,
): Diagnostic {
  return {
    code: 'SECRET_OUTSIDE_SECRET',
    severity: 'error',
    message: `${pointer} of ${nameTokens(describeManifest(manifest), tokens)} (${manifest.origin.template}) holds the hash of a generated secret, which only a Secret may hold`,
    ...(tokens.hashes.get(hash)?.origin ?? placeIn(manifest, ...pathOfPointer(manifest.object, pointer))),
    hint: 'Supply the value and its hash through the values, or switch the chart to an existing Secret.',
  }
}

function originOf(text: string, tokens: TokenTable): TokenOrigin | undefined {
  const [root] = rootTokens(text, tokens)
  return root === undefined ? undefined : tokens.originOf(root)
}

/** The value that one call of a generator made, and its positions. */
interface GeneratorUse {
  readonly function: string
  readonly origin: TokenOrigin | undefined
  readonly places: Set<string>
}

type GeneratorUses = Map<string, GeneratorUse>

function noteUse(uses: GeneratorUses, place: string, { text, tokens }: Pick<LocatedToken, 'text' | 'tokens'>): void {
  for (const token of rootTokens(text, tokens)) {
    const spec = tokens.get(token)
    if (spec?.kind !== 'generated') continue
    const key = `${spec.generate.identity}\n${spec.generate.function}`
    const use = uses.get(key) ?? {
      function: spec.generate.function,
      origin: tokens.originOf(token),
      places: new Set<string>(),
    }
    uses.set(key, use)
    use.places.add(place)
  }
}

function generatorFinding({ function: name, origin, places }: GeneratorUse): Diagnostic {
  return {
    code: 'TEMPLATE_GENERATED_SECRET',
    severity: 'warning',
    message: `${name} makes a secret; placeholders stand at ${[...places].join(', ')}`,
    ...origin,
  }
}
