import type { Placeholder } from '../../model/binding.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { pathOfPointer } from '../../model/field.ts'
import { type Manifest, placeIn, type RenderedFolder } from '../../model/manifest.ts'
import { Dict, type Value } from '../../model/value.ts'

/**
 * Refuses objects with placeholders that kustomize cannot patch: it writes such an object as YAML, a text that begins
 * with a tab and has lines as a block, and reads no such block back (go-yaml takes the tab for an indentation).
 * @throws StackmasonError HOLE_NOT_PATCHABLE
 */
export function refuseUnpatchable(folders: readonly RenderedFolder[], placeholders: readonly Placeholder[]): void {
  const patched = new Set(placeholders.map(({ folder, object }) => `${folder}\n${objectKey(object)}`))
  const problems = folders.flatMap(({ path, manifests }) =>
    manifests.flatMap((manifest) => {
      if (!patched.has(`${path}\n${objectKey(manifest)}`)) return []
      const pointer = unreadableAt(manifest.object, '')
      return pointer === undefined ? [] : [problem(manifest, pointer)]
    }),
  )
  if (problems.length > 0) throw new StackmasonError(problems)
}

function objectKey({ apiVersion, kind, namespace = '', name }: Placeholder['object']): string {
  return [apiVersion, kind, namespace, name].join('\n')
}

/** Where the first such text stands, as a JSON pointer. */
function unreadableAt(value: Value, pointer: string): string | undefined {
  if (typeof value === 'string') return value.startsWith('\t') && value.includes('\n') ? pointer : undefined
  const children: Iterable<readonly [string | number, Value]> = Array.isArray(value)
    ? value.entries()
    : value instanceof Dict
      ? value
      : []
  for (const [key, child] of children) {
    const found = unreadableAt(child, `${pointer}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    if (found !== undefined) return found
  }
  return undefined
}

function problem(manifest: Manifest, pointer: string): Diagnostic {
  const { kind, name, namespace, object: value } = manifest
  const object = `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`
  return {
    code: 'HOLE_NOT_PATCHABLE',
    severity: 'error',
    message: `${object} needs values of the running cluster, and its text at ${pointer} has several lines and begins with a tab: kustomize cannot patch the object`,
    ...placeIn(manifest, ...pathOfPointer(value, pointer)),
    hint: 'Begin the text with spaces or a line break, with a patch if the chart is not yours; or supply the values under spec.runtimeValues of addons.yaml.',
  }
}
