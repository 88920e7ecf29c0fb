import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { parsePositionedYaml } from '../../codec/yaml/positioned-yaml.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import { fieldAt, type PathStep } from '../../model/field.ts'
import type { Source, Span } from '../../model/source.ts'
import { Dict, type Value } from '../../model/value.ts'
import { tooLarge } from './read-folder.ts'

type Path = readonly PathStep[]

/** A problem without its position. */
export interface ProblemText {
  readonly message: string
  readonly hint?: string
  /** Point at the key instead of the value. */
  readonly part?: 'key' | 'value'
}

/** A YAML file of a release under examination; problems and findings are collected, not thrown. */
export interface ReleaseDocument {
  readonly source: Source
  readonly value: Value
  readonly spanOf: (path: Path, part?: 'key' | 'value') => Span
  /** The problems that make the file unusable. */
  readonly problems: Diagnostic[]
  /** The findings that a person should look at. */
  readonly findings: Diagnostic[]
  readonly addProblem: (path: Path, text: ProblemText) => void
  /** The non-empty string at `path`; '' after noting a problem. */
  readonly requiredText: (path: Path) => string
  /** The string at `path`, '' when absent; a problem when it is something else. */
  readonly optionalText: (path: Path) => string
  /** The map at `path`; a problem when it is absent or something else. */
  readonly requiredMap: (path: Path) => Dict | undefined
  /** Notes a finding for every key at `path` that is not in `known`: it is read by nothing. */
  readonly checkKeys: (path: Path, known: readonly string[]) => void
}

/** Real ones have less than 2 KiB. */
const MAX_BYTES = 1024 * 1024

/**
 * Parses a YAML file of a release for checking.
 * @throws StackmasonError RELEASE_METADATA_INVALID when it is no YAML, has duplicate keys, several documents or is no
 * map; RELEASE_TOO_LARGE
 */
export function openReleaseDocument(bytes: Uint8Array, name: string): ReleaseDocument {
  if (bytes.length > MAX_BYTES) throw tooLarge(name, `more than ${MAX_BYTES} bytes`)
  const source: Source = { name, text: decodeUtf8(bytes) }
  const { documents, problems: syntax } = parsePositionedYaml(source)
  if (syntax.length > 0) {
    throw new StackmasonError(syntax.map((problem) => ({ ...problem, code: 'RELEASE_METADATA_INVALID' })))
  }
  const [document, second] = documents
  const value = document?.value ?? null
  if (document === undefined || second !== undefined || !(value instanceof Dict)) {
    const message = second === undefined ? 'the file must hold a map' : 'the file must hold one document only'
    const at = second?.span ?? document?.span ?? { source, start: 0, end: 0 }
    throw new StackmasonError({ code: 'RELEASE_METADATA_INVALID', severity: 'error', message, at })
  }
  const problems: Diagnostic[] = []
  const findings: Diagnostic[] = []
  const diagnostic = (severity: 'error' | 'warning', path: Path, { message, hint, part }: ProblemText): Diagnostic => ({
    code: 'RELEASE_METADATA_INVALID',
    severity,
    message,
    at: document.spanOf(path, part),
    hint,
  })
  const addProblem = (path: Path, text: ProblemText): void => {
    problems.push(diagnostic('error', path, text))
  }
  const readText = (path: Path, isRequired: 'required' | 'optional'): string => {
    const found = fieldAt(value, ...path)
    if (typeof found === 'string' && (found !== '' || isRequired === 'optional')) return found
    if (found === undefined || found === null || found === '') {
      if (isRequired === 'required') addProblem(path, { message: `${formatPath(path)} is missing` })
      return ''
    }
    addProblem(path, { message: `${formatPath(path)} must be a string`, hint: 'Put the value in quotes.' })
    return ''
  }
  return {
    source,
    value,
    spanOf: document.spanOf,
    problems,
    findings,
    addProblem,
    requiredText: (path) => readText(path, 'required'),
    optionalText: (path) => readText(path, 'optional'),
    requiredMap: (path) => {
      const found = fieldAt(value, ...path)
      if (found instanceof Dict) return found
      const isAbsent = found === undefined || found === null
      addProblem(path, { message: `${formatPath(path)} ${isAbsent ? 'is missing' : 'must be a map'}` })
      return undefined
    },
    checkKeys: (path, known) => {
      const found = fieldAt(value, ...path)
      if (!(found instanceof Dict)) return
      for (const key of found.keys()) {
        if (known.includes(key)) continue
        findings.push(
          diagnostic('warning', [...path, key], {
            message: `unknown field ${formatPath([...path, key])}: nothing reads it`,
            hint: `Known fields here: ${known.join(', ')}.`,
            part: 'key',
          }),
        )
      }
    },
  }
}

/** `addonStages.BeforeClusterUpgrade[0].name` */
function formatPath(path: Path): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else text += `${text === '' ? '' : '.'}${/^[\w-]+$/.test(step) ? step : JSON.stringify(step)}`
  }
  return text
}
