import { parseGoYaml, YamlError } from '../codec/go-yaml/go-yaml-parse.ts'
import { createHandlebars } from '../codec/text/handlebars.ts'
import { type BadName, badNamesOf } from '../model/bad-names.ts'
import { type Diagnostic, StackmasonError } from '../model/diagnostic.ts'
import { fieldAt, type PathStep } from '../model/field.ts'
import type { Manifest } from '../model/manifest.ts'
import type { Source } from '../model/source.ts'
import { Dict, GoInt, type Value } from '../model/value.ts'
import type { Demand, Demands } from './demand.ts'
import { metadataDemands } from './metadata-demands.ts'
import { templatePlace, writtenPlace } from './template-place.ts'

/**
 * The templates of handoff objects by path below `templates/handoff/`, those of the fleet in place of ours:
 * `flux/kustomization.yaml.hbs`.
 */
export type HandoffTemplates = ReadonlyMap<string, Source>

/** Demands on every object: it is applied as it is, and not as a list. */
const ofEveryObject: Demands = [[['items'], undefined], ...metadataDemands(['metadata'])]

const RELEASE_LABEL = 'stackmason.dev/release'

/** Renders the template of that name to one object. */
export type RenderHandoffObject = (name: string, data: Dict, demands: Demands) => Manifest

/**
 * Makes a renderer of handoff objects: Handlebars, then YAML, then what each object must say.
 * The renderer throws StackmasonError HANDOFF_TEMPLATE when the template fails, gives no single object, or an object
 * that breaks a demand, and OBJECT_NAME_INVALID for labels and keys that no API server takes.
 */
export function createHandoffTemplates(templates: HandoffTemplates): RenderHandoffObject {
  const render = createHandlebars()
  return (name, data, demands) => {
    const template = templates.get(name)
    if (template === undefined) throw new Error(`no template ${name}`)
    const object = parseObject(render(template, { data, code: 'HANDOFF_TEMPLATE' }), template)
    const refusedFields = [...ofEveryObject, ...demands].flatMap(([path, wanted]): readonly Diagnostic[] => {
      const found = fieldAt(object, ...path)
      const wrong = brokenDemand(found, wanted)
      if (wrong === undefined) return []
      return [
        problem(template, `its object has ${path.join('.')} ${shown(found)}, which ${wrong}`, {
          start: templatePlace(template, path),
        }),
      ]
    })
    if (refusedFields.length > 0) throw new StackmasonError(refusedFields)
    const text = (path: readonly PathStep[]): string => {
      const found = fieldAt(object, ...path)
      if (typeof found === 'string' && found !== '') return found
      throw broken(template, `its object has no ${path.join('.')}`, { start: templatePlace(template, path) })
    }
    const namespace = fieldAt(object, 'metadata', 'namespace')
    const manifest: Manifest = {
      apiVersion: text(['apiVersion']),
      kind: text(['kind']),
      name: text(['metadata', 'name']),
      ...(typeof namespace === 'string' && { namespace }),
      object,
      origin: { from: 'handoff', unit: 'handoff', template: `templates/handoff/${name}`, source: template },
    }
    // the name of a release is not the template's to correct: HANDOFF_NAME_TOO_LONG tells of it
    const refused = badNamesOf(manifest).filter(({ path }) => path.at(-1) !== RELEASE_LABEL)
    if (refused.length > 0) throw new StackmasonError(refused.map((bad) => badName(template, bad)))
    return manifest
  }
}

function parseObject(text: string, template: Source): Dict {
  // a document may begin after comments
  if (/^---/m.test(text.replace(/^(?:[ \t]*(?:#.*)?\n)*---[ \t]*(?:#.*)?\n/, '')))
    throw broken(template, 'it gives more than one document')
  let value: Value
  try {
    value = parseGoYaml(text, { integers: 'int' })
  } catch (error) {
    if (error instanceof YamlError)
      throw broken(template, `it gives no valid YAML: ${error.problem.unquoted ?? error.problem.text}`, {
        start: writtenPlace(template, text, error.offset),
      })
    throw error
  }
  if (!(value instanceof Dict)) throw broken(template, 'it gives no object')
  return value
}

function brokenDemand(found: Value | undefined, wanted: Demand[1]): string | undefined {
  if (typeof wanted === 'function') return wanted(found)
  if (found === wanted) return undefined
  return wanted === undefined ? 'may not be there' : `must be ${JSON.stringify(wanted)}`
}

function shown(value: Value | undefined): string {
  if (value === undefined) return '(missing)'
  if (value instanceof GoInt) return value.value.toString()
  if (Array.isArray(value)) return '(a list)'
  return value instanceof Dict ? '(a map)' : JSON.stringify(value)
}

function broken(template: Source, reason: string, place?: { readonly start: number }): StackmasonError {
  return new StackmasonError(problem(template, reason, place))
}

function problem(template: Source, message: string, { start } = { start: 0 }): Diagnostic {
  return { code: 'HANDOFF_TEMPLATE', severity: 'error', message, at: { source: template, start, end: start } }
}

/** Says it in the same words for the objects of all units: it is the template that is to be corrected. */
function badName(template: Source, { what, says, path }: BadName): Diagnostic {
  const start = templatePlace(template, path)
  return {
    code: 'OBJECT_NAME_INVALID',
    severity: 'error',
    message: `no API server takes ${what} of its object; allowed are ${says}`,
    at: { source: template, start, end: start },
  }
}
