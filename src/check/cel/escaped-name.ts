/** Words that CEL keeps for itself (k8s.io/apiserver, `pkg/cel/escaping.go`). */
const reserved: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

const escapes: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
}

/** The name by which rules know a field; undefined where they cannot name it. */
export function escapedName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`
  if (!/^[A-Za-z_.\-/][A-Za-z0-9_.\-/]*$/.test(name)) return undefined
  return name.replaceAll(/__|[.\-/]/g, (part) => escapes[part] ?? part)
}
