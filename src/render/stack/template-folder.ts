import { createHandlebars } from '../../codec/text/handlebars.ts'
import { fieldAt, withField } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { pathOf, type Source } from '../../model/source.ts'
import { Dict, dict, GoInt } from '../../model/value.ts'
import { parseManifests } from './parse-manifests.ts'
import { locateInFile, locateInTemplate } from './template-line.ts'

/** What the templates of a folder see: `cluster`, `values`, and `release` {name, namespace}. */
export interface TemplateFolderData {
  readonly cluster: Dict
  readonly values: Dict
  readonly release: { readonly name: string; readonly namespace: string }
}

/**
 * Renders an addon that a user wrote as a folder: `*.hbs` are Handlebars templates, `*.yaml` are taken as they are. Names that are not there are an
 * error; helpers are the built-in block helpers and `yaml`, `json`, `quote`, `default`, `eq`; nothing reaches files, environment or network.
 * @throws StackmasonError ADDON_TEMPLATE at the template's line; OBJECT_INVALID
 */
export function renderTemplateFolder(
  files: readonly Source[],
  addon: string,
  data: TemplateFolderData,
): readonly Manifest[] {
  const render = createHandlebars()
  const context = dict([
    ['cluster', withFixedEndpoint(data.cluster)],
    ['values', data.values],
    [
      'release',
      dict([
        ['name', data.release.name],
        ['namespace', data.release.namespace],
      ]),
    ],
  ])
  return files.flatMap((file) => {
    const isTemplate = file.name.endsWith('.hbs')
    const text = isTemplate ? render(file, { data: context, code: 'ADDON_TEMPLATE' }) : file.text
    const locate = isTemplate ? locateInTemplate(file, text) : locateInFile(file)
    return parseManifests(text, { from: file.name, unit: addon, template: file.name, path: pathOf(file) }, { locate })
  })
}

/** An empty host or port 0 is what Cluster API fills in later: to print it would be a mistake that nobody sees. */
function withFixedEndpoint(cluster: Dict): Dict {
  const path = ['spec', 'controlPlaneEndpoint']
  const endpoint = fieldAt(cluster, ...path)
  if (!(endpoint instanceof Dict)) return cluster
  const fixed = [...endpoint].filter(([, value]) => value !== '' && !(value instanceof GoInt && value.value === 0n))
  return fixed.length === endpoint.size ? cluster : withField(cluster, path, dict(fixed))
}
