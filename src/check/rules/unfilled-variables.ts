import type { PathStep } from '../../model/field.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { shownKey, shownObject } from '../../model/shown-name.ts'
import { Dict, type Value } from '../../model/value.ts'
import { isLate } from '../references/missing-target.ts'
import { type Rule, type RuleFinding, unitRule } from '../rule.ts'
import { fieldText } from '../schema/field-text.ts'
import { groupOf } from '../schema/built-in-schemas.ts'

/** Variables for Flux or a shell in fields that neither of them reads. */
export const unfilledVariables: Rule = unitRule(
  {
    code: 'VARIABLE_UNFILLED',
    severity: 'warning',
    explanation: [
      'Flux fills in `${NAME}` where a Kustomization says so (`postBuild`), and so do some other tools. Nothing does in a rendered tree: each `${…}` of an input reaches the cluster as it stands, for it may be part of a script, and our own placeholders are the only ones that are filled in.',
      'Looked at are the kinds of Kubernetes and Cluster API, each object is said once. Where such a text is at home nothing is looked for: commands, arguments and variables of containers, contents of ConfigMaps, Secrets and files, annotations, expressions and templates.',
    ],
  },
  ({ kind, isKept, folders }) =>
    isKept || kind === 'handoff'
      ? []
      : folders.flatMap(({ manifests }) => manifests.filter(isJudged).flatMap(unfilledIn)),
)

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?:[:=?+-][^{}]*)?\}/

/** Fields in which a text may hold scripts, templates, or what other programs fill in. */
const free: ReadonlySet<PathStep> = new Set([
  'annotations',
  'args',
  'binaryData',
  'command',
  'content',
  'data',
  'env',
  'expression',
  'extraArgs',
  'jsonPatches',
  'messageExpression',
  'postKubeadmCommands',
  'preKubeadmCommands',
  'rule',
  'stringData',
  'template',
  'variables',
])

function isJudged({ apiVersion, kind }: Manifest): boolean {
  const group = groupOf(apiVersion)
  if (kind === 'CustomResourceDefinition') return false
  return !group.includes('.') || group.endsWith('.k8s.io') || group.endsWith('cluster.x-k8s.io')
}

function unfilledIn(manifest: Manifest): readonly RuleFinding[] {
  const found = firstVariable(manifest.object, manifest, [])
  if (found === undefined) return []
  const { name, path } = found
  return [
    {
      message: `${shownObject({ ...manifest, namespace: manifest.namespace })}: nothing fills in the variable ${shownKey(name)} in ${fieldText(path)}: it reaches the cluster as text`,
      ...placeIn(manifest, ...path),
      hint: 'Write the value: in the values of the cluster, or with a patch.',
    },
  ]
}

interface Found {
  readonly name: string
  readonly path: readonly PathStep[]
}

function firstVariable(value: Value, manifest: Manifest, path: readonly PathStep[]): Found | undefined {
  if (typeof value === 'string') {
    const name = value.includes('${') ? VARIABLE.exec(value)?.[1] : undefined
    return name === undefined || isLate(manifest, path) ? undefined : { name, path }
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const found = firstVariable(item, manifest, [...path, index])
      if (found !== undefined) return found
    }
    return undefined
  }
  if (!(value instanceof Dict)) return undefined
  for (const [key, child] of value) {
    // a template of pods is no text
    if (free.has(key) && !(key === 'template' && child instanceof Dict)) continue
    const found = firstVariable(child, manifest, [...path, key])
    if (found !== undefined) return found
  }
  return undefined
}
