import { createRequire } from 'node:module'

/** What is used of wasmoon. Its own types need those of browsers. */
interface Wasmoon {
  readonly LuaFactory: new () => {
    readonly createEngine: (options: { readonly openStandardLibs: boolean }) => Promise<LuaEngine>
  }
  readonly LuaLibraries: Readonly<Record<'Base' | 'Table', string>>
}

interface LuaEngine {
  readonly global: { readonly loadLibrary: (library: string) => void; readonly close: () => void }
  readonly doString: (script: string) => Promise<unknown>
}

const { LuaFactory, LuaLibraries }: Wasmoon = createRequire(import.meta.url)('wasmoon')

/** Compiles Lua itself, once for all scripts; each of its engines has a state of its own. */
const lua = new LuaFactory()

/**
 * Runs one of Argo CD's health scripts over an object, with the libraries that Argo CD gives it: base and table, no
 * strings, no files.
 */
export async function argoHealth(
  script: string,
  object: object,
): Promise<{ readonly status: string; readonly message: string }> {
  const engine = await lua.createEngine({ openStandardLibs: false })
  try {
    engine.global.loadLibrary(LuaLibraries.Base)
    engine.global.loadLibrary(LuaLibraries.Table)
    const literal = luaOf(JSON.parse(JSON.stringify(object)))
    const result: unknown = await engine.doString(
      `obj = ${literal}\nlocal function check()\n${script}\nend\nlocal r = check()\nreturn r.status .. "\\n" .. r.message`,
    )
    const [status = '', ...message] = String(result).split('\n')
    return { status, message: message.join('\n') }
  } finally {
    engine.global.close()
  }
}

/** A JSON value as Lua text, so that the script sees true tables. */
function luaOf(value: unknown): string {
  if (value === null || value === undefined) return 'nil'
  if (Array.isArray(value)) return `{${value.map(luaOf).join(',')}}`
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([key, item]) => `[${luaOf(key)}]=${luaOf(item)}`)
      .join(',')}}`
  return JSON.stringify(value)
}
