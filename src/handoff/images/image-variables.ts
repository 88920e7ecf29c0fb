import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { dictAt, itemsAt, type PathStep, textAt, withField } from '../../model/field.ts'
import type { Cluster } from '../../model/fleet.ts'
import { formatClassName } from '../../model/release-name.ts'
import { dict, Dict, type Value } from '../../model/value.ts'
import { chosenImages, spanInCluster } from './chosen-images.ts'
import { classVariables, imageVariableNames, unknownVariable, variableLists } from './class-variables.ts'
import { cloudName } from './image-object.ts'
import { describedImages } from './described-images.ts'
import type { ImageStack } from './image-manifest.ts'
import type { ImageRules } from './image-rules.ts'

/** Gives a cluster of a class the variables that the fleet wants. */
export type SetImageVariables = (cluster: Cluster) => Cluster

type Names = ReturnType<typeof imageVariableNames>

/**
 * Makes clusters of a class look for images as `findBy` of the fleet says, by variables of the class that cluster.yaml
 * does not set. The name is set, too, where the release has one image and the class would choose another. Without
 * `findBy` nothing is set.
 * @throws StackmasonError CONFIG_REFERENCE, CONFIG_CONFLICT when the class has no such variables; CONFIG_CONFLICT when
 * cluster.yaml says otherwise
 */
export function createImageVariables(stack: ImageStack, rules: ImageRules): SetImageVariables {
  const { findBy } = rules
  if (findBy === undefined) return (cluster) => cluster
  const names = imageVariableNames(rules.variables)
  const { folder, release } = stack
  const version = release.kubernetesVersion
  const byClass = chosenImages(stack, rules)
  const problems = unfitVariables(stack, rules, names)
  if (problems.length > 0) {
    // machine templates that say it themselves need no variable
    const isFixed = classVariables(folder).every((variable) => textAt(variable, 'name') !== names.name)
    if (isFixed && byClass.length > 0 && byClass.every(({ by }) => by === findBy)) return (cluster) => cluster
    throw new StackmasonError(problems)
  }
  const described = rules.use === 'none' ? [] : describedImages(stack, rules)
  const brought = described.map((image) => (findBy === 'object' ? image.name : cloudName(image)))
  const [only = ''] = brought.length === 1 ? brought : []
  const naming =
    only === '' || byClass.some(({ name }) => name === only) ? [] : nameEntries(only, { version, names, stack })
  return (cluster) => {
    const conflicts = contradictions(cluster, { name: names.isObject, findBy })
    if (conflicts.length > 0) throw new StackmasonError(conflicts)
    const given = itemsAt(cluster.object, 'spec', 'topology', 'variables')
    const sets = (name: string): boolean => given.some((entry) => textAt(entry, 'name') === name)
    const added = [
      ...(sets(names.name) || sets(names.addVersion) ? [] : naming),
      ...(sets(names.isObject) ? [] : [entry(names.isObject, findBy === 'object')]),
    ]
    if (added.length === 0) return cluster
    return { ...cluster, object: withField(cluster.object, ['spec', 'topology', 'variables'], [...given, ...added]) }
  }
}

function entry(name: string, value: Value): Dict {
  return dict([
    ['name', name],
    ['value', value],
  ])
}

function nameEntries(
  image: string,
  { version, names, stack }: { readonly version: string; readonly names: Names; readonly stack: ImageStack },
): readonly Dict[] {
  const hasVersion = classVariables(stack.folder).some((variable) => textAt(variable, 'name') === names.addVersion)
  if (!hasVersion) return [entry(names.name, image)]
  const suffix = `-${version}`
  return image.endsWith(suffix) && image !== suffix
    ? [entry(names.name, image.slice(0, -suffix.length)), entry(names.addVersion, true)]
    : [entry(names.name, image), entry(names.addVersion, false)]
}

/** Variables that the class lacks, or that cannot hold what they should. */
function unfitVariables(stack: ImageStack, { at }: ImageRules, names: Names): readonly Diagnostic[] {
  const declared = classVariables(stack.folder)
  const className = formatClassName(stack.release.name)
  return (
    [
      ['name', 'string'],
      ['isObject', 'boolean'],
    ] as const
  ).flatMap(([role, type]): readonly Diagnostic[] => {
    const variable = declared.find((candidate) => textAt(candidate, 'name') === names[role])
    if (variable === undefined) return [unknownVariable(names[role], { declared, className, at })]
    const found = textAt(variable, 'schema', 'openAPIV3Schema', 'type')
    if (found === type) return []
    return [
      {
        code: 'CONFIG_CONFLICT',
        severity: 'error',
        message: `variable "${names[role]}" of class ${className} is of type ${found}, but it must be ${type} to choose images`,
        at,
        hint: `Name the variable that does under spec.nodeImages[].variables.${role}.`,
      },
    ]
  })
}

function contradictions(
  cluster: Cluster,
  { name, findBy }: { readonly name: string; readonly findBy: 'object' | 'name' },
): readonly Diagnostic[] {
  const topology = dictAt(cluster.object, 'spec', 'topology') ?? new Dict()
  const lists = new Map<string, readonly PathStep[]>()
  for (const path of variableLists(topology).flat()) lists.set(path.join('/'), path)
  return [...lists.values()].flatMap((path) =>
    itemsAt(topology, ...path).flatMap((item, index): readonly Diagnostic[] => {
      const value = item instanceof Dict ? item.get('value') : undefined
      if (textAt(item, 'name') !== name || typeof value !== 'boolean' || value === (findBy === 'object')) return []
      return [
        {
          code: 'CONFIG_CONFLICT',
          severity: 'error',
          message: `cluster ${cluster.namespace}/${cluster.name} sets ${name} to ${String(value)}, but the fleet wants machines to find images by ${findBy}`,
          at: spanInCluster(cluster, ['spec', 'topology', ...path, index, 'value'], value) ?? cluster.versionAt,
          hint: `Remove the variable from cluster.yaml, or findBy from spec.nodeImages of stackmason.yaml.`,
        },
      ]
    }),
  )
}
