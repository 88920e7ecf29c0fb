import { Dict, elementType, typedList, type Value } from '../../model/value.ts'

/**
 * The tables of a TOML document under construction, with BurntSushi/toml's rules on what may be defined twice: a table
 * that was only implied may be defined later, once.
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
  /**
   * Begins an inline table, in an array or by itself, as value of the key at hand; the function returned leaves it
   * again.
   */
  readonly openInline: (where: 'array' | 'value') => () => void
  /** Stores the value of the key at hand. */
  readonly set: (value: Value) => void
}

type Key = readonly string[]

/** Where values go: a table and the key that leads to it. */
interface Context {
  readonly key: Key
  /** Undefined when something else than a table stands there. */
  readonly table: Dict | undefined
}

/** The element type of a list of tables. */
const tableType = 'map[string]interface {}'

/** Makes an empty document. */
export function createTomlTables(): TomlTables {
  const root = new Dict()
  /** Tables that nothing but a longer key has named. */
  const implied = new Set<Value>()
  /** Lists that inline tables of an array have made; the array itself takes their place. */
  const provisional = new Set<Value>()
  let context: Context = { key: [], table: root }
  let name = ''

  const tables: TomlTables = {
    root,
    fail: (detail) => new Error(detail),
    currentKey() {
      if (name === '') return formatKey(context.key)
      return context.key.length === 0 ? name : `${formatKey(context.key)}.${name}`
    },
    enter(key, kind) {
      name = ''
      const parent: Context = { key: key.slice(0, -1), table: descend(key.slice(0, -1)) }
      const last = key.at(-1) ?? ''
      context = parent
      context = kind === 'tables' ? appendTable(parent, last) : defineTable(parent, last)
    },
    openKey(key) {
      const before = context
      for (const part of key.slice(0, -1)) context = implyTable(context, part)
      name = key.at(-1) ?? ''
      return () => {
        context = before
      }
    },
    closeKey() {
      name = ''
    },
    openInline(where) {
      const before = { context, name }
      context = where === 'array' ? appendProvisional(context, name) : implyTable(context, name)
      name = ''
      return () => {
        context = before.context
        name = before.name
      }
    },
    set(value) {
      const table = requireTable(context)
      const old = table.get(name)
      if (old !== undefined && !provisional.delete(old)) {
        if (!implied.delete(old)) throw defined([...context.key, name])
        return
      }
      table.set(name, value)
    },
  }

  function requireTable({ key, table }: Context): Dict {
    if (table === undefined) throw defined(key)
    return table
  }

  function defined(key: Key): Error {
    return tables.fail(`Key '${formatKey(key)}' has already been defined.`)
  }

  /** The table at `parents`, made where it is missing; of a list of tables the last one counts. */
  function descend(parents: Key): Dict {
    let table = root
    for (const [at, part] of parents.entries()) {
      const known = table.get(part) ?? implyNew(table, part)
      const next = lastTable(known)
      if (next === undefined) {
        throw tables.fail(`Key '${formatKey(parents.slice(0, at + 1))}' was already created as a hash.`)
      }
      table = next
    }
    return table
  }

  function implyNew(table: Dict, part: string): Dict {
    const made = new Dict()
    table.set(part, made)
    implied.add(made)
    return made
  }

  /** The table of a header: new, or implied before. */
  function defineTable({ key, table }: Context, last: string): Context {
    const path = [...key, last]
    const old = table?.get(last)
    if (old === undefined) {
      const made = new Dict()
      table?.set(last, made)
      return { key: path, table: made }
    }
    if (!(old instanceof Dict) || !implied.delete(old)) throw defined(path)
    return { key: path, table: old }
  }

  /**
   * The table that a dotted key or inline table needs. What it names is not implied any more when it was there before.
   */
  function implyTable(parent: Context, last: string): Context {
    const table = requireTable(parent)
    const key = [...parent.key, last]
    const old = table.get(last)
    if (old === undefined) return { key, table: implyNew(table, last) }
    implied.delete(old)
    return { key, table: lastTable(old) }
  }

  function appendTable({ key, table }: Context, last: string): Context {
    const path = [...key, last]
    const list = table?.get(last) ?? typedList(tableType, [])
    if (!Array.isArray(list) || elementType(list) !== tableType) {
      throw tables.fail(`Key '${formatKey(path)}' was already created and cannot be used as an array.`)
    }
    const made = new Dict()
    list.push(made)
    table?.set(last, list)
    return { key: path, table: made }
  }

  function appendProvisional(parent: Context, last: string): Context {
    const made = appendTable({ key: parent.key, table: requireTable(parent) }, last)
    provisional.add(parent.table?.get(last) ?? null)
    return made
  }

  return tables
}

function lastTable(value: Value): Dict | undefined {
  const table = Array.isArray(value) && elementType(value) === tableType ? value.at(-1) : value
  return table instanceof Dict ? table : undefined
}

/** The key as TOML writes it. */
function formatKey(key: Key): string {
  return key.map((part) => (/^[A-Za-z0-9_-]+$/.test(part) ? part : `"${part.replace(/["\\]/g, '\\$&')}"`)).join('.')
}
