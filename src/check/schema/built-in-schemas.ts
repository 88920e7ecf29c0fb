import type { Plain } from '../../codec/json/plain-value.ts'
import { readDefinition } from './read-schema.ts'
import { anyNode, type SchemaNode } from './schema-node.ts'

/** A kind that Kubernetes itself serves in some minors. */
export interface BuiltInKind {
  readonly apiVersion: string
  readonly kind: string
  readonly namespaced: boolean
  /** True if API servers serve it only where that is asked for (`--runtime-config`). */
  readonly isOptIn: boolean
  readonly schema: SchemaNode
}

/** The built-in kinds of one minor of Kubernetes. */
export interface MinorSchemas {
  /** `1.34` */
  readonly minor: string
  readonly find: (apiVersion: string, kind: string) => BuiltInKind | undefined
  /** The versions in which it serves a kind, the best one first. */
  readonly apiVersionsOf: (group: string, kind: string) => readonly string[]
  /** The schema of the metadata of every object. */
  readonly objectMeta: SchemaNode
  /** True for groups of Kubernetes itself, of whatever minor. */
  readonly hasGroup: (group: string) => boolean
  /** The kinds that it serves in a version. */
  readonly kindsOf: (apiVersion: string) => readonly string[]
}

/** The built-in kinds of all minors that we know. */
export interface BuiltInSchemas {
  /** Oldest first, without a gap. */
  readonly minors: readonly string[]
  /** Of that minor, or of the nearest that is known. */
  readonly of: (minor: string) => MinorSchemas
}

/** A line of the file for some minors: `first` and `last` are positions in their list. */
interface Line {
  readonly first: number
  readonly last: number
  readonly content: string
}

interface Lines {
  readonly minors: string[]
  readonly schemas: Map<string, Line[]>
  readonly kinds: Map<string, Line[]>
}

/**
 * Reads the schemas of built-in kinds, as tools/kube-schemas.ts writes them: a table of tab-separated lines, most of
 * which are looked at only when their kind is asked for.
 */
export function readBuiltInSchemas(text: string): BuiltInSchemas {
  const lines = splitLines(text)
  const { minors } = lines
  const read = new Map<number, MinorSchemas>()
  return {
    minors,
    of(minor) {
      const position = nearestMinor(minors, minor)
      const known = read.get(position) ?? readMinor(lines, position)
      read.set(position, known)
      return known
    },
  }
}

function splitLines(text: string): Lines {
  const lines: Lines = { minors: [], schemas: new Map(), kinds: new Map() }
  const positions = new Map<string, number>()
  for (const line of text.split('\n')) {
    const [type = '', ...rest] = line.split('\t')
    if (type === 'minor') {
      const [minor = ''] = rest
      positions.set(minor, lines.minors.length)
      lines.minors.push(minor)
      continue
    }
    const [span = '', content = ''] = rest.slice(-2)
    const [first = '', last = ''] = span.split('-')
    const found = {
      first: positions.get(first) ?? 0,
      last: last === '' ? lines.minors.length - 1 : (positions.get(last) ?? 0),
      content,
    }
    if (type === 'schema') add(lines.schemas, rest[0] ?? '', found)
    if (type === 'kind') add(lines.kinds, `${rest[0] ?? ''} ${rest[1] ?? ''}`, found)
  }
  return lines
}

function add(lines: Map<string, Line[]>, key: string, line: Line): void {
  const known = lines.get(key)
  if (known === undefined) lines.set(key, [line])
  else known.push(line)
}

/** The position of a minor, or of the nearest where it is older or newer than all that are known. */
function nearestMinor(minors: readonly string[], minor: string): number {
  const numberOf = (text: string): number => Number(text.split('.')[1] ?? NaN)
  const wanted = numberOf(minor) - numberOf(minors[0] ?? '')
  return Number.isNaN(wanted) ? minors.length - 1 : Math.min(Math.max(wanted, 0), minors.length - 1)
}

interface KindFacts {
  readonly schema: string
  readonly namespaced?: boolean
  readonly optIn?: boolean
}

function readMinor({ minors, schemas, kinds }: Lines, position: number): MinorSchemas {
  const at = (lines: readonly Line[] | undefined): string | undefined =>
    lines?.find(({ first, last }) => first <= position && position <= last)?.content
  const nodes = new Map<string, SchemaNode>()
  const minor = Number((minors[position] ?? '').split('.')[1])
  const resolve = (name: string): SchemaNode => {
    const content = nodes.has(name) ? undefined : at(schemas.get(name))
    if (content !== undefined) {
      const schema: Plain = JSON.parse(content)
      readDefinition(name, schema, { resolve, known: (node) => nodes.set(name, node), minor })
    }
    return nodes.get(name) ?? anyNode
  }
  const served = [...kinds].flatMap(([key, lines]) => (at(lines) === undefined ? [] : [key.split(' ')]))
  // every kind of `extensions` had left it before the first minor that is known
  const groups = new Set(['extensions', ...[...kinds.keys()].map((key) => groupOf(key.split(' ')[0] ?? ''))])
  const found = new Map<string, BuiltInKind>()
  return {
    minor: minors[position] ?? '',
    find(apiVersion, kind) {
      const key = `${apiVersion} ${kind}`
      const known = found.get(key)
      const content = known === undefined ? at(kinds.get(key)) : undefined
      if (content === undefined) return known
      const facts: KindFacts = JSON.parse(content)
      const made: BuiltInKind = {
        apiVersion,
        kind,
        namespaced: facts.namespaced === true,
        isOptIn: facts.optIn === true,
        schema: resolve(facts.schema),
      }
      found.set(key, made)
      return made
    },
    apiVersionsOf: (group, kind) =>
      bestFirst(
        served.flatMap(([apiVersion = '', name]) =>
          name === kind && groupOf(apiVersion) === group ? [apiVersion] : [],
        ),
      ),
    get objectMeta() {
      return resolve('apimachinery.pkg.apis.meta.v1.ObjectMeta')
    },
    hasGroup: (group) => groups.has(group),
    kindsOf: (apiVersion) => served.flatMap(([version, name = '']) => (version === apiVersion ? [name] : [])),
  }
}

/** The group of an apiVersion; '' for the core group. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/')
  return slash === -1 ? '' : apiVersion.slice(0, slash)
}

/** Versions of a group in the order in which API servers prefer them: stable, beta, alpha, and of each the highest. */
export function bestFirst(apiVersions: readonly string[]): readonly string[] {
  return [...apiVersions].sort((a, b) => rankOf(b) - rankOf(a))
}

function rankOf(apiVersion: string): number {
  const [, major = '0', stage = 'stable', minor = '0'] =
    /v([0-9]{1,4})(?:(alpha|beta)([0-9]{1,4}))?$/.exec(apiVersion) ?? []
  return ['alpha', 'beta', 'stable'].indexOf(stage) * 1e8 + Number(major) * 1e4 + Number(minor)
}
