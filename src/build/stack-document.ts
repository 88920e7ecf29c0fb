import { fieldAt, textAt } from '../model/field.ts'
import { Dict } from '../model/value.ts'
import { inputProblem } from './build-input.ts'
import type { YamlFile } from '../edit/open-yaml.ts'
import { openDocument } from './open-document.ts'
import { matchKubernetes, type DependencyVersion, type VersionRow } from './version-table.ts'

/** stack.yaml of the layout with one folder per Kubernetes minor (cluster-stacks pull request 259). */
export interface StackDocument {
  readonly provider: string
  readonly stack: string
  /** The settings of the document: the Kubernetes version, and versions by addon. */
  readonly row: VersionRow
}

/** The name of the file; it stands in the place of csctl.yaml. */
export const STACK_DOCUMENT = 'stack.yaml'

/** Reads stack.yaml. @throws StackmasonError BUILD_INPUT_INVALID */
export function parseStackDocument(file: YamlFile): StackDocument {
  const { value, spanOf } = openDocument(file)
  const named = (field: string): string => {
    const text = textAt(value, field)
    if (/^[a-z0-9]+$/.test(text)) return text
    const message = `${field} must hold a-z and 0-9 only, because release names are split at dashes`
    throw inputProblem(message, { at: spanOf([field]) })
  }
  const provider = named('provider')
  const stack = named('clusterStackName')
  const kubernetes = matchKubernetes(textAt(value, 'kubernetesVersion'))
  if (kubernetes === undefined) {
    throw inputProblem('kubernetesVersion must be a full version such as 1.34.7', {
      at: spanOf(['kubernetesVersion']),
      hint: 'A release names the exact version that its images and addons are made for.',
    })
  }
  const addons = fieldAt(value, 'addons') ?? new Dict()
  if (!(addons instanceof Dict)) {
    throw inputProblem('addons must be a map of addons and versions', { at: spanOf(['addons']) })
  }
  const dependencies = [...addons].map(([addon, version]): DependencyVersion => {
    const at = spanOf(['addons', addon])
    if (typeof version !== 'string') {
      throw inputProblem(`addons.${addon} must be a version as text`, { at, hint: 'Put it in quotes.' })
    }
    return { of: { addon }, version, at }
  })
  return { provider, stack, row: { ...kubernetes, dependencies, at: spanOf([]) } }
}
