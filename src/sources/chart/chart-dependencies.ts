import { formatGoJson } from '../../codec/json/go-json.ts'
import type { ChartDependency } from '../../model/chart.ts'
import { Dict, type Value } from '../../model/value.ts'
import {
  boolField,
  FieldProblem,
  fieldOf,
  listField,
  type Path,
  sanitize,
  textField,
  textList,
  textOf,
} from './chart-field.ts'

/** The `dependencies` of Chart.yaml or requirements.yaml. @throws FieldProblem */
export function readDependencies(document: Dict): readonly ChartDependency[] {
  const { items, path } = listField(document, 'dependencies')
  return items.map((item, index) => {
    const at = [...path, index]
    if (!(item instanceof Dict)) throw new FieldProblem('dependencies must not contain empty or null nodes', at)
    return {
      name: sanitize(textField(item, 'name', at)),
      version: sanitize(textField(item, 'version', at)),
      repository: sanitize(textField(item, 'repository', at)),
      condition: sanitize(textField(item, 'condition', at)),
      tags: textList(item, 'tags', at),
      enabled: boolField(item, 'enabled', at),
      importValues: listField(item, 'import-values', at).items.flatMap(readImport),
      alias: textField(item, 'alias', at),
    }
  })
}

/** Helm passes over what is neither text nor a map, and prints an absent side as `<nil>`. */
function readImport(item: Value): readonly (string | { readonly child: string; readonly parent: string })[] {
  if (typeof item === 'string') return [item]
  if (!(item instanceof Dict)) return []
  const side = (name: string): string => {
    const value = item.get(name) ?? null
    return value === null ? '<nil>' : textOf(value, [])
  }
  return [{ child: side('child'), parent: side('parent') }]
}

/** Refuses odd aliases and names that are used twice (Helm, Metadata.Validate). @throws FieldProblem */
export function checkDependencies(dependencies: readonly ChartDependency[]): void {
  const known = new Set<string>()
  dependencies.forEach(({ name, alias }, index) => {
    const at: Path = ['dependencies', index]
    if (alias !== '' && !/^[a-zA-Z0-9_-]+$/.test(alias))
      throw new FieldProblem(`dependency ${JSON.stringify(name)} has disallowed characters in the alias`, [
        ...at,
        'alias',
      ])
    const key = alias === '' ? name : alias
    if (known.has(key)) throw new FieldProblem(`more than one dependency with name or alias ${JSON.stringify(key)}`, at)
    known.add(key)
  })
}

/**
 * Writes `dependencies` as Go's encoding/json writes []*chart.Dependency: what the digest of Chart.lock is taken over.
 * Helm sanitizes what is declared (`sanitized`), and leaves what a lock says as it is (`raw`).
 * @throws FieldProblem
 */
export function formatDependencies(document: Dict, texts: 'sanitized' | 'raw'): string {
  const { items, path } = listField(document, 'dependencies')
  if (items.length === 0) return Array.isArray(fieldOf(document, 'dependencies')?.value) ? '[]' : 'null'
  const entries = items.map((item, index) => {
    if (item === null) return 'null'
    const at = [...path, index]
    if (!(item instanceof Dict)) throw new FieldProblem('dependencies must be maps', at)
    const text = (name: string): string => {
      const plain = textField(item, name, at)
      return texts === 'sanitized' ? sanitize(plain) : plain
    }
    const tags = listField(item, 'tags', at).items.map((tag, tagAt) => textOf(tag, [...at, 'tags', tagAt]))
    const fields: readonly (readonly [string, Value])[] = [
      ['name', text('name')],
      ['version', text('version')],
      ['repository', text('repository')],
      ['condition', text('condition')],
      ['tags', texts === 'sanitized' ? tags.map(sanitize) : tags],
      ['enabled', boolField(item, 'enabled', at)],
      ['import-values', [...listField(item, 'import-values', at).items]],
      ['alias', textField(item, 'alias', at)],
    ]
    const written = fields.filter(([name, value]) => alwaysWritten.has(name) || !isZero(value))
    return `{${written.map(([name, value]) => `"${name}":${formatGoJson(value)}`).join(',')}}`
  })
  return `[${entries.join(',')}]`
}

const alwaysWritten: ReadonlySet<string> = new Set(['name', 'repository'])

/** True for values that `omitempty` leaves out. */
function isZero(value: Value): boolean {
  return value === '' || value === false || (Array.isArray(value) && value.length === 0)
}
