import { withoutTrailingSlashes } from '../../codec/path.ts'
import { parsePositionedYaml, type ReadDocument } from '../../codec/yaml/positioned-yaml.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { dictAt, itemsAt, textAt } from '../../model/field.ts'
import type { Lock, LockedDependency, LockedRelease } from '../../model/lock.ts'
import { positionAt, type Source, type Span } from '../../model/source.ts'
import { Dict, type Value } from '../../model/value.ts'
import { describeProblem } from '../fleet/schema-diagnostic.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import { lockProblems } from './lock-problems.ts'

/**
 * Reads the text of stackmason.lock. Entries may stand in any order, as merges leave them.
 * @throws StackmasonError LOCK_INVALID with every problem at its place
 */
export function parseLock(source: Source): Lock {
  const problems = [...conflictMarkers(source), ...wrongBytes(source)]
  if (problems.length > 0) throw new StackmasonError(problems)
  const { documents, problems: found } = parsePositionedYaml(source)
  const repeated = found.map(({ code, message, at }) => problem(message, at, HINTS.get(code)))
  if (repeated.length > 0) throw new StackmasonError(repeated)
  const [document, second] = documents.filter(({ value }) => value !== null)
  if (document === undefined) throw new StackmasonError(problem('the lock is empty', spanFrom(source, 0, 0)))
  if (second !== undefined) throw new StackmasonError(problem('the lock holds more than one document', second.span))
  const wrong = [...wrongKind(document), ...wrongFields(source, document)]
  if (wrong.length > 0) throw new StackmasonError(wrong)
  const lock: Lock = {
    releases: itemsAt(document.value, 'releases').map((item, index) =>
      releaseOf(item, document.spanOf(['releases', index, 'name'])),
    ),
    dependencies: itemsAt(document.value, 'dependencies').map((item, index) =>
      dependencyOf(item, document.spanOf(['dependencies', index, 'name'])),
    ),
  }
  const twice = [
    ...duplicates(lock.releases, releaseTwice),
    ...duplicates(lock.dependencies, ({ name, repository, request }) => {
      const key = `dependency ${name} ${request} of ${shownUrl(repository)}`
      return { key, describe: (line) => `${key} stands twice in the lock, first in line ${line}` }
    }),
  ]
  const moved = lock.dependencies.flatMap((dependency, index) =>
    mayLead(dependency) ? [] : [movedUrl(dependency, document.spanOf(['dependencies', index, 'url']))],
  )
  if (twice.length + moved.length > 0) throw new StackmasonError([...twice, ...moved])
  return lock
}

const BOTH_CHANGED =
  'Two branches changed the same entry: leave one of the two, or remove both and run `stackmason update`.'

const HINTS: ReadonlyMap<string, string> = new Map([['CONFIG_DUPLICATE_KEY', BOTH_CHANGED]])

/** Git's markers, at the start of a line, where no lock has such text. */
function conflictMarkers(source: Source): readonly Diagnostic[] {
  const [marker] = source.text.matchAll(/^(?:<{7}|>{7}|={7}|\|{7})(?=[ \r\n]|$)[^\r\n]*/gm)
  if (marker === undefined) return []
  const { line } = positionAt(source, marker.index)
  const message = `a merge was not finished: line ${String(line)} is a conflict marker`
  const hint =
    'Remove the marker lines and leave the entries of both sides (of an entry that both have, one), then run `stackmason update`.'
  return [problem(message, spanFrom(source, marker.index, marker[0].length), hint)]
}

function wrongBytes(source: Source): readonly Diagnostic[] {
  const start = source.text.search(/(?<![\uD800-\uDBFF])[\uDC80-\uDCFF]/)
  return start === -1 ? [] : [problem('the lock is not UTF-8 text', spanFrom(source, start, 1))]
}

function wrongKind(document: ReadDocument): readonly Diagnostic[] {
  const [version, kind] = [textAt(document.value, 'apiVersion'), textAt(document.value, 'kind')]
  if (kind !== '' && kind !== 'Lock') {
    return [problem('this is not a lock: kind must be Lock', document.spanOf(['kind']))]
  }
  if (version === '' || version === 'stackmason.dev/v1alpha1') return []
  const message = 'the lock is of a version that this stackmason does not know; it knows stackmason.dev/v1alpha1'
  return [problem(message, document.spanOf(['apiVersion']), 'Use the stackmason that wrote it, or a newer one.')]
}

function wrongFields(source: Source, document: ReadDocument): readonly Diagnostic[] {
  const { value, span } = document
  const start = { ...span, end: Math.min(span.start + 1, span.end) }
  if (!(value instanceof Dict)) return [problem('the lock must be a map', start)]
  // an unknown version or kind was told already, and makes no field of it wrong
  if (wrongKind(document).length > 0) return []
  return lockProblems(value).map((found) => {
    const { message, at, hint } = describeProblem(found, { ...document, source, start }, 'lock')
    return problem(message, at, hint)
  })
}

function releaseOf(item: Value, at: Span): LockedRelease {
  const [revision, ref] = [textAt(item, 'revision'), textAt(item, 'ref')]
  return {
    name: textAt(item, 'name'),
    source: textAt(item, 'source'),
    from: textAt(item, 'from'),
    ...(revision !== '' && { revision }),
    ...(ref !== '' && { ref }),
    digest: textAt(item, 'digest'),
    kubernetesVersion: textAt(item, 'kubernetesVersion'),
    stacks: itemsAt(item, 'stacks').map((stack) => (typeof stack === 'string' ? stack : '')),
    addons: textsAt(item, 'addons'),
    assets: textsAt(item, 'assets'),
    at,
  }
}

function dependencyOf(item: Value, at: Span): LockedDependency {
  const revision = textAt(item, 'revision')
  return {
    name: textAt(item, 'name'),
    repository: textAt(item, 'repository'),
    request: textAt(item, 'request'),
    version: textAt(item, 'version'),
    url: textAt(item, 'url'),
    ...(revision !== '' && { revision }),
    digest: textAt(item, 'digest'),
    at,
  }
}

/**
 * True if the url of a chart may be one of its repository. In a registry it is the repository with the name of the
 * chart; indexes of Helm repositories name addresses on any host, where the digest decides.
 */
function mayLead({ name, repository, url }: LockedDependency): boolean {
  if (!/^oci:/i.test(repository)) return /^(?:https?|oci):\/\//i.test(url)
  const place = `${withoutTrailingSlashes(shownUrl(repository))}/${name}`
  return url === place || (url.startsWith(`${place}:`) && /^[\w.+-]+$/.test(url.slice(place.length + 1)))
}

function movedUrl({ name, repository, url }: LockedDependency, at: Span): Diagnostic {
  const message = `the url of dependency ${name} does not lead to its repository ${shownUrl(repository)}: ${shownUrl(url)}`
  return problem(message, at, 'Remove the entry and run `stackmason update`.')
}

function textsAt(item: Value, field: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const [key, value] of dictAt(item, field) ?? []) texts.set(key, typeof value === 'string' ? value : '')
  return texts
}

/** The key that tells an entry from others, and what is wrong with a second one; `line` is that of the first. */
interface Identity<Item> {
  readonly key: string
  readonly describe: (line: number, first: Item) => string
}

/**
 * One tag has one source, which `update` has settled. Of two, a merge that keeps both leaves nothing to choose by but
 * their order, so that a run would take content that nobody has reviewed for this fleet.
 */
function releaseTwice({ name, source }: LockedRelease): Identity<LockedRelease> {
  const describe: Identity<LockedRelease>['describe'] = (line, first) =>
    first.source === source
      ? `release ${name} of source "${source}" stands twice in the lock, first in line ${line}`
      : `release ${name} stands twice in the lock, of source "${first.source}" in line ${line} and of source "${source}" here`
  return { key: name, describe }
}

function duplicates<Item extends { readonly at?: Span }>(
  items: readonly Item[],
  identify: (item: Item) => Identity<Item>,
): readonly Diagnostic[] {
  const seen = new Map<string, Item>()
  return items.flatMap((item) => {
    const { key, describe } = identify(item)
    const first = seen.get(key)
    if (first === undefined) seen.set(key, item)
    return first?.at === undefined ? [] : [problem(describe(lineOf(first.at), first), item.at, BOTH_CHANGED)]
  })
}

function lineOf({ source, start }: Span): number {
  return positionAt(source, start).line
}

function spanFrom(source: Source, start: number, length: number): Span {
  return { source, start, end: start + length }
}

function problem(message: string, at: Span | undefined, hint?: string): Diagnostic {
  return {
    code: 'LOCK_INVALID',
    severity: 'error',
    message,
    at,
    hint,
  }
}
