import { Dict, elementType, typedList, type Value } from '../model/value.ts'

/**
 * The tables of a TOML document under construction, with BurntSushi/toml's rules on what may be defined twice: a table that was only
 * implied may be defined later, once.
 */
export interface TomlTables {
  readonly root: Dict
  /** Makes the error of a redefinition. */
  fail: (detail: string) => Error
  /** The dotted key that is being read. */
  readonly currentKey: () => string
  /** Enters the table of a `[header]` or adds one to the list of a `[[header]]`. */
  readonly enter: (key: readonly string[], kind: 'table' | 'tables') => void
  /** Begins a `dotted.key =`; the function returned leaves the tables that its dots named. */
  readonly openKey: (key: readonly string[]) => () => void
  /** Forgets the key at hand, at the end of a line. */
  readonly closeKey: () => void
  /** Begins an array as value of the key at hand. */
  readonly openArray: () => void
  /** Begins an inline table as value of the key at hand, or in its array; the function returned leaves it again. */
  readonly openInline: () => () => void
  /** Stores the value of the key at hand. */
  readonly set: (value: Value) => void
}

type Key = readonly string[]

/** The element type of a list of tables. */
const tableType = 'map[string]interface {}'

/** Makes an empty document. */
export function createTomlTables(): TomlTables {
  const root = new Dict()
  /** Tables that were implied, by path. */
  const implied = new Set<string>()
  const arrays = new Set<string>()
  let context: Key = []
  let name = ''

  const tables: TomlTables = {
    root,
    fail: (detail) => new Error(detail),
    currentKey: () =>
      name === '' ? formatKey(context) : [...(context.length > 0 ? [formatKey(context)] : []), name].join('.'),
    enter(key, kind) {
      name = ''
      open(key, kind)
    },
    openKey(key) {
      const before = context
      for (const part of key.slice(0, -1)) imply([...context, part])
      name = key.at(-1) ?? ''
      return () => {
        context = before
      }
    },
    closeKey() {
      name = ''
    },
    openArray() {
      arrays.add(pathOf([...context, name]))
    },
    openInline() {
      const before = { context, name }
      const key = [...context, name]
      name = ''
      implied.add(pathOf(key))
      open(key, arrays.has(pathOf(key)) ? 'tables' : 'table')
      return () => {
        context = before.context
        name = before.name
      }
    },
    set(value) {
      store(name, value)
    },
  }

  function imply(key: Key): void {
    implied.add(pathOf(key))
    open(key, 'table')
  }

  function open(key: Key, kind: 'table' | 'tables'): void {
    const parents = key.slice(0, -1)
    const last = key.at(-1) ?? ''
    const table = descend(parents)
    context = parents
    if (kind === 'tables') append(table, last, key)
    else store(last, new Dict())
    context = key
  }

  /** The table at `parents`, made where it is missing; of a list of tables the last one counts. */
  function descend(parents: Key): Dict {
    let table = root
    for (const [at, part] of parents.entries()) {
      if (!table.has(part)) {
        implied.add(pathOf(parents.slice(0, at + 1)))
        table.set(part, new Dict())
      }
      const next = lastTable(table.get(part))
      if (next === undefined)
        throw tables.fail(`Key '${formatKey(parents.slice(0, at + 1))}' was already created as a hash.`)
      table = next
    }
    return table
  }

  function append(table: Dict, last: string, key: Key): void {
    const list = table.get(last) ?? typedList(tableType, [])
    if (!Array.isArray(list) || elementType(list) !== tableType) {
      throw tables.fail(`Key '${formatKey(key)}' was already created and cannot be used as an array.`)
    }
    list.push(new Dict())
    table.set(last, list)
  }

  function store(last: string, value: Value): void {
    let table = root
    for (const [at, part] of context.entries()) {
      const next = lastTable(table.get(part))
      if (next === undefined) throw defined(context.slice(0, at + 1))
      table = next
    }
    const key = [...context, last]
    const path = pathOf(key)
    if (!table.has(last)) {
      table.set(last, value)
      return
    }
    if (!implied.delete(path)) throw defined(key)
    // what was implied as a table stays; only an array's own entries come again
    if (arrays.has(path)) table.set(last, value)
  }

  function defined(key: Key): Error {
    return tables.fail(`Key '${formatKey(key)}' has already been defined.`)
  }

  return tables
}

function lastTable(value: Value | undefined): Dict | undefined {
  const table = Array.isArray(value) ? value.at(-1) : value
  return table instanceof Dict ? table : undefined
}

function pathOf(key: Key): string {
  return JSON.stringify(key)
}

/** The key as TOML writes it. */
function formatKey(key: Key): string {
  return key.map((part) => (/^[A-Za-z0-9_-]+$/.test(part) ? part : `"${part.replace(/["\\]/g, '\\$&')}"`)).join('.')
}
