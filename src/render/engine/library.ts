import type { Definition } from './ast.ts'
import { builtinFunctions } from './builtins.ts'
import type { TemplateFunction } from './call-function.ts'
import { compileDefinition } from './compile.ts'
import type { Program } from './execution.ts'
import type { FunctionTable } from './function.ts'
import { lateBoundFunctions } from './late-bound.ts'

/** Everything that templates of one kind can call, and the programs compiled against it. */
export interface Library {
  readonly isFunction: (name: string) => boolean
  /** Compiles a definition, once. */
  readonly compile: (definition: Definition) => Program
}

/**
 * The additions of a library to a function table: `chart` Helm's late-bound functions, `plain` nothing but Go's own.
 */
export type LibraryKind = 'chart' | 'plain'

/**
 * Libraries follow from their table alone, so they are kept as long as it lives: every engine on the same table shares
 * compiled programs.
 */
const libraries: Readonly<Record<LibraryKind, WeakMap<FunctionTable, Library>>> = {
  chart: new WeakMap(),
  plain: new WeakMap(),
}

/** Returns the library of a table. Functions of the table hide Go's own; Helm's late-bound ones hide both. */
export function functionLibrary(table: FunctionTable, kind: LibraryKind): Library {
  const known = libraries[kind].get(table)
  if (known !== undefined) return known
  const library = createLibrary(table, kind)
  libraries[kind].set(table, library)
  return library
}

function createLibrary(table: FunctionTable, kind: LibraryKind): Library {
  const functions = new Map<string, TemplateFunction>()
  for (const definition of builtinFunctions) functions.set(definition.name, definition)
  for (const [name, definition] of table) functions.set(name, definition)
  if (kind === 'chart') for (const definition of lateBoundFunctions) functions.set(definition.name, definition)
  const builtins = new Set<TemplateFunction>(builtinFunctions)
  const isBuiltin = (definition: TemplateFunction): boolean => builtins.has(definition)
  const programs = new WeakMap<Definition, Program>()
  return {
    isFunction: (name) => functions.has(name),
    compile(definition) {
      const known = programs.get(definition)
      if (known !== undefined) return known
      const program = compileDefinition(definition, { functions, isBuiltin })
      programs.set(definition, program)
      return program
    },
  }
}
