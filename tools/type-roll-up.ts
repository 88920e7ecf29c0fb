/**
 * One file of types for what the package exports: the declarations that the compiler wrote, from the entry on, those
 * that are reached and no others. What the entry exports keeps its name; of two others that are called the same, the
 * second gets another name. Whatever this cannot take over as it stands is an error, not a guess.
 */
import { readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import { parseSync } from 'oxc-parser'

/** A node of the tree that the parser gives; fields by its kind. */
type Node = { readonly type: string; readonly start: number; readonly end: number } & Readonly<Record<string, unknown>>

/** A name as another file exports it. */
interface Target {
  readonly file: string
  readonly name: string
}

/** Where in the text of its file a declaration says a name of another one. */
interface Mention {
  readonly start: number
  readonly name: string
}

interface Declaration {
  readonly file: string
  readonly name: string
  /** `interface` and `type` have no value. */
  readonly isType: boolean
  /** The comment in front. */
  readonly comment: string
  /** Without the word `export`. */
  readonly text: string
  /** Where `text` begins in its file. */
  readonly start: number
  readonly nameStart: number
  readonly mentions: readonly Mention[]
}

interface Module {
  readonly file: string
  /** Local name to what it is elsewhere. */
  readonly imports: ReadonlyMap<string, Target>
  /** Exported name to what it is elsewhere. */
  readonly reExports: ReadonlyMap<string, Target>
  readonly declarations: ReadonlyMap<string, readonly Declaration[]>
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

function childrenOf(node: Node): readonly Node[] {
  return Object.values(node).flatMap((value) => (Array.isArray(value) ? value : [value]).filter(isNode))
}

/** The node in a field that the grammar says is there. */
function part(node: Node, field: string): Node {
  const found = node[field]
  if (!isNode(found)) throw new Error(`${node.type} has no ${field}`)
  return found
}

function nameOf(node: Node): string {
  const name = node.type === 'Literal' ? node['value'] : node['name']
  if (typeof name !== 'string') throw new Error(`${node.type} has no name`)
  return name
}

/** The first name of `a`, of `a.b` and of `a.b.c`. */
function leftmost(node: Node): Node {
  if (node.type === 'TSQualifiedName') return leftmost(part(node, 'left'))
  if (node.type === 'MemberExpression') return leftmost(part(node, 'object'))
  return node
}

/** The fields in which a node of a kind says the name of a declaration. */
const namingFields: ReadonlyMap<string, string> = new Map([
  ['TSTypeReference', 'typeName'],
  ['TSTypeQuery', 'exprName'],
  ['TSInterfaceHeritage', 'expression'],
  ['TSClassImplements', 'expression'],
  ['ClassDeclaration', 'superClass'],
])

function mentionsIn(node: Node, file: string): readonly Mention[] {
  if (node.type === 'TSImportType') throw new Error(`${file}: a type that is imported where it stands`)
  const field = namingFields.get(node.type)
  const named = field === undefined ? undefined : node[field]
  const own = isNode(named) && leftmost(named).type === 'Identifier' ? [leftmost(named)] : []
  return [
    ...own.map((found) => ({ start: found.start, name: nameOf(found) })),
    ...childrenOf(node).flatMap((child) => mentionsIn(child, file)),
  ]
}

const TYPES: ReadonlySet<string> = new Set(['TSInterfaceDeclaration', 'TSTypeAliasDeclaration'])

function readModule(file: string): Module {
  const source = readFileSync(file, 'utf8')
  const { program, comments, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join(', ')}`)
  const imports = new Map<string, Target>()
  const reExports = new Map<string, Target>()
  const declarations = new Map<string, Declaration[]>()
  const targetOf = (statement: Node, name: Node): Target => {
    const from = nameOf(part(statement, 'source'))
    if (!from.startsWith('.')) throw new Error(`${file}: types of ${from} would have to be installed, too`)
    return { file: resolve(dirname(file), from.replace(/(?<!\.d)\.ts$/, '.d.ts')), name: nameOf(name) }
  }
  const declare = (statement: Node, declared: Node): void => {
    if (declared.type === 'VariableDeclaration' && childrenOf(declared).length > 1)
      throw new Error(`${file}: one statement declares several names`)
    const named = declared.type === 'VariableDeclaration' ? childrenOf(declared)[0] : declared
    if (named === undefined) throw new Error(`${file}: a statement declares no name`)
    const id = part(named, 'id')
    const name = nameOf(id)
    const comment = comments.findLast(({ end }) => end <= statement.start)
    const isOwn = comment !== undefined && source.slice(comment.end, statement.start).trim() === ''
    const keyword = source.slice(statement.start, declared.start)
    if (keyword !== '' && keyword !== 'export ') throw new Error(`${file}: ${name} is exported as ${keyword}`)
    declarations.set(name, [
      ...(declarations.get(name) ?? []),
      {
        file,
        name,
        isType: TYPES.has(declared.type),
        comment: isOwn ? source.slice(comment.start, statement.start) : '',
        text: source.slice(declared.start, statement.end),
        start: declared.start,
        nameStart: id.start,
        mentions: mentionsIn(declared, file),
      },
    ])
  }
  for (const statement of childrenOf({ ...program, type: 'Program' })) {
    if (statement.type === 'ImportDeclaration') {
      for (const each of childrenOf(statement).filter(({ type }) => type === 'ImportSpecifier'))
        imports.set(nameOf(part(each, 'local')), targetOf(statement, part(each, 'imported')))
    } else if (statement.type === 'ExportNamedDeclaration' && isNode(statement['source'])) {
      for (const each of childrenOf(statement).filter(({ type }) => type === 'ExportSpecifier'))
        reExports.set(nameOf(part(each, 'exported')), targetOf(statement, part(each, 'local')))
    } else if (statement.type === 'ExportNamedDeclaration') {
      if (isNode(statement['declaration'])) declare(statement, statement['declaration'])
      else if (childrenOf(statement).length > 0) throw new Error(`${file}: names are exported apart from what they are`)
    } else if (isNode(statement['id']) || statement.type === 'VariableDeclaration') declare(statement, statement)
    else throw new Error(`${file}: ${statement.type} is not known here`)
  }
  return { file, imports, reExports, declarations }
}

/** Returns the text of one file with the types of all that the file `entry` exports. */
export function rollUpTypes(entry: string): string {
  const modules = new Map<string, Module>()
  const moduleOf = (file: string): Module => {
    const found = modules.get(file) ?? readModule(file)
    modules.set(file, found)
    return found
  }
  /** Declaration by file and name, in the order of reaching them: what is used before what uses it. */
  const reached = new Map<string, readonly Declaration[]>()
  const keyOf = ({ file, name }: Target): string => `${relative(dirname(entry), file)}#${name}`
  /** The place where a name is declared; undefined for what the language or its library brings. */
  const declaredAt = ({ file, name }: Target): Target | undefined => {
    const { imports, reExports, declarations } = moduleOf(file)
    if (declarations.has(name)) return { file, name }
    const elsewhere = reExports.get(name) ?? imports.get(name)
    return elsewhere === undefined ? undefined : declaredAt(elsewhere)
  }
  const reach = (target: Target): void => {
    const key = keyOf(target)
    if (reached.has(key)) return
    const found = moduleOf(target.file).declarations.get(target.name) ?? []
    reached.set(key, found)
    for (const { mentions } of found)
      for (const { name } of mentions) {
        const used = declaredAt({ file: target.file, name })
        if (used !== undefined) reach(used)
      }
  }
  const { declarations: ownOfEntry, reExports } = moduleOf(entry)
  if (ownOfEntry.size > 0) throw new Error(`${entry} declares something itself`)
  const exported = [...reExports].map(([name, target]) => {
    const found = declaredAt(target)
    if (found === undefined) throw new Error(`${entry}: ${name} is declared nowhere`)
    return { name, found }
  })
  for (const { found } of exported) reach(found)
  const names = new Map(exported.map(({ name, found }) => [keyOf(found), name]))
  const taken = new Set(names.values())
  for (const [key, [first]] of reached) {
    if (names.has(key) || first === undefined) continue
    let name = first.name
    for (let count = 2; taken.has(name); count += 1) name = `${first.name}${String(count)}`
    taken.add(name)
    names.set(key, name)
  }
  const texts = [...reached.values()].flat().map((each) => {
    const places = [{ start: each.nameStart, name: each.name }, ...each.mentions]
    const renamed = places
      .map(({ start, name }) => {
        const target = declaredAt({ file: each.file, name })
        return { start: start - each.start, name, to: target === undefined ? name : (names.get(keyOf(target)) ?? name) }
      })
      .sort((a, b) => b.start - a.start)
      .reduce((text, { start, name, to }) => text.slice(0, start) + to + text.slice(start + name.length), each.text)
    return each.comment + renamed
  })
  const list = exported.map(({ name, found }) => {
    const isType =
      moduleOf(found.file)
        .declarations.get(found.name)
        ?.every((each) => each.isType) === true
    return { name, text: `${isType ? 'type ' : ''}${name}` }
  })
  const sorted = list.sort((a, b) => (a.name < b.name ? -1 : 1)).map(({ text }) => `  ${text},\n`)
  return `${texts.join('\n')}\nexport {\n${sorted.join('')}}\n`
}
