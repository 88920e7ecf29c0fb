import { parseGoYaml, YamlError } from '../codec/go-yaml/go-yaml-parse.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { itemsAt, textAt } from '../model/field.ts'
import { positionAt, type Source, type Span } from '../model/source.ts'
import { Dict, type Value } from '../model/value.ts'
import { groupOf, type LiveObject } from './live-object.ts'

/** The text of a file with objects of a cluster. */
export interface ObjectFile {
  readonly file: string
  readonly text: string
  /** See {@link LiveObject}. */
  readonly clusterKey: string
}

/** The objects of a file. */
export interface ReadObjects {
  readonly objects: readonly LiveObject[]
  readonly problems: readonly Diagnostic[]
}

/** More objects than any cluster has that a person exports to a file. */
const MAX_OBJECTS = 100_000

/**
 * Reads what `kubectl get -o yaml` or `-o json` wrote: single objects and lists, any number of documents. Messages
 * never quote the text: it may hold Secrets.
 */
export function readObjects({ file, text, clusterKey }: ObjectFile): ReadObjects {
  const objects: LiveObject[] = []
  const problems: Diagnostic[] = []
  /** Its lines, without what stands in them. */
  let source: Source | undefined
  for (const { start, end } of documentsOf(text)) {
    const { line } = positionAt({ name: file, text }, start)
    try {
      const value = parseGoYaml(text.slice(start, end), { integers: 'int' })
      if (value !== null) collect(value, `the document of line ${String(line)}`)
    } catch (error) {
      if (!(error instanceof YamlError)) throw error
      problems.push({
        code: 'CONFIG_SYNTAX',
        severity: 'error',
        message: 'this is not YAML or JSON that can be read',
        at: placeAt(start + error.offset),
      })
    }
    if (objects.length > MAX_OBJECTS) {
      problems.push(problem(`there are more than ${String(MAX_OBJECTS)} objects`))
      break
    }
  }
  return { objects, problems }

  function placeAt(offset: number): Span {
    source ??= { name: file, text: text.replaceAll(/[^\r\n]/g, ' '), holds: 'values' }
    const start = Math.min(offset, text.length)
    return { source, start, end: start }
  }

  function collect(
    value: Value,
    what: string,
    inherited?: { readonly apiVersion: string; readonly kind: string },
  ): void {
    const apiVersion = textAt(value, 'apiVersion') || (inherited?.apiVersion ?? '')
    const kind = textAt(value, 'kind') || (inherited?.kind ?? '')
    if (isList(value, kind)) {
      // items of a typed list do not repeat what they are
      const item = kind === 'List' ? undefined : { apiVersion, kind: kind.slice(0, -'List'.length) }
      for (const [index, one] of itemsAt(value, 'items').entries())
        collect(one, `item ${String(index + 1)} of ${what}`, item)
      return
    }
    const name = textAt(value, 'metadata', 'name')
    if (!(value instanceof Dict) || apiVersion === '' || kind === '' || name === '') {
      problems.push(problem(`${what} is not a Kubernetes object: it needs apiVersion, kind and metadata.name`))
      return
    }
    const namespace = textAt(value, 'metadata', 'namespace')
    const wrong = wrongPart({ apiVersion, kind, namespace, name })
    if (wrong !== undefined) {
      problems.push(problem(`${what} has a ${wrong} that no API server takes`))
      return
    }
    objects.push({ apiVersion, group: groupOf(apiVersion), kind, namespace, name, object: value, file, clusterKey })
  }

  function problem(message: string): Diagnostic {
    return { code: 'ADOPT_INPUT_INVALID', severity: 'error', message, file }
  }
}

/** A name that Kubernetes accepts (RFC 1123); only these become names of files and folders. */
const SUBDOMAIN = /^(?=.{1,253}$)[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/
const LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/
/** A text that can be part of an address: names of a few kinds, such as `system:node`, are no more than that. */
const SEGMENT = /^(?!\.{1,2}$)[^/%\p{C}]{1,253}$/u
/** Groups whose objects get files and folders of their names. */
const WRITTEN = /(?:^|\.)(?:clusterstack\.)?x-k8s\.io$/

interface Head {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

/** The part of an object's identity that cannot be one; undefined when all can. */
function wrongPart({ apiVersion, kind, namespace, name }: Head): string | undefined {
  if (!/^[\w.-]{1,253}(?:\/[\w.-]{1,63})?$/.test(apiVersion)) return 'apiVersion'
  if (!/^[A-Za-z]\w{0,252}$/.test(kind)) return 'kind'
  if (namespace !== '' && !LABEL.test(namespace)) return 'namespace'
  return (WRITTEN.test(groupOf(apiVersion)) ? SUBDOMAIN : SEGMENT).test(name) ? undefined : 'name'
}

function isList(value: Value, kind: string): boolean {
  return kind.endsWith('List') && value instanceof Dict && Array.isArray(value.get('items'))
}

/** The ranges between document marks: a mark at the start of a line always ends a document. */
function documentsOf(text: string): readonly { readonly start: number; readonly end: number }[] {
  const ranges: { start: number; end: number }[] = []
  let start = 0
  for (const mark of text.matchAll(/^(?:---|\.\.\.)(?=\s|$)/gm)) {
    ranges.push({ start, end: mark.index })
    start = text[mark.index] === '.' ? mark.index + 3 : mark.index
  }
  return [...ranges, { start, end: text.length }].filter((range) => range.end > range.start)
}
