import { spanOf } from '../../codec/yaml/positioned-yaml.ts'
import { dictAt, fieldAt, itemsAt, type PathStep, textAt } from '../../model/field.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { Manifest } from '../../model/manifest.ts'
import type { Span } from '../../model/source.ts'
import { Dict, type Value } from '../../model/value.ts'
import { classVariables, imageVariableNames, variableLists } from './class-variables.ts'
import type { ImageStack } from './image-manifest.ts'
import type { ImageRules } from './image-rules.ts'

/**
 * The image that machines boot from, and how they look for it: as an Image object of their namespace, or by name in the
 * cloud.
 */
export interface ChosenImage {
  readonly name: string
  readonly by: 'object' | 'name'
  /** Where the Cluster says the name; absent when the class alone does. */
  readonly path?: readonly PathStep[] | undefined
}

/**
 * The images that a class and, when given, the variables of a cluster choose: for the control plane, and for each group
 * of machines, whose overrides of a variable win. A class without the variable of the name has what its machine
 * templates say; without a cluster the class alone chooses.
 */
export function chosenImages(
  { folder, release }: Pick<ImageStack, 'folder' | 'release'>,
  { variables }: Pick<ImageRules, 'variables'>,
  cluster?: Pick<Cluster, 'object'>,
): readonly ChosenImage[] {
  const names = imageVariableNames(variables)
  const declared = classVariables(folder)
  if (declared.every((variable) => textAt(variable, 'name') !== names.name)) return fromTemplates(folder.manifests)
  const topology = dictAt(cluster?.object ?? null, 'spec', 'topology') ?? new Dict()
  const images = new Map<string, ChosenImage>()
  for (const paths of variableLists(topology)) {
    const find = (name: string): Found | undefined => findVariable(topology, paths, name) ?? defaultOf(declared, name)
    const base = find(names.name)
    if (typeof base?.value !== 'string' || base.value === '') continue
    const name = find(names.addVersion)?.value === true ? `${base.value}-${release.kubernetesVersion}` : base.value
    const by = find(names.isObject)?.value === true ? 'object' : 'name'
    const key = `${by} ${name}`
    if (images.has(key)) continue
    images.set(key, { name, by, path: base.path === undefined ? undefined : ['spec', 'topology', ...base.path] })
  }
  return [...images.values()]
}

interface Found {
  readonly value: Value
  /** Below `spec.topology`. */
  readonly path?: readonly PathStep[]
}

function findVariable(topology: Dict, paths: readonly (readonly PathStep[])[], name: string): Found | undefined {
  for (const path of paths) {
    const index = itemsAt(topology, ...path).findIndex((entry) => textAt(entry, 'name') === name)
    const value = fieldAt(topology, ...path, index, 'value')
    if (value !== undefined) return { value, path: [...path, index, 'value'] }
  }
  return undefined
}

function defaultOf(declared: readonly Value[], name: string): Found | undefined {
  const variable = declared.find((entry) => textAt(entry, 'name') === name)
  const value = fieldAt(variable ?? null, 'schema', 'openAPIV3Schema', 'default')
  return value === undefined ? undefined : { value }
}

function fromTemplates(folder: readonly Manifest[]): readonly ChosenImage[] {
  const images = new Map<string, ChosenImage>()
  for (const { object } of folder.filter(isOpenStackMachine)) {
    const image = dictAt(object, 'spec', 'template', 'spec', 'image') ?? new Dict()
    const reference = textAt(image, 'imageRef', 'name')
    const filtered = textAt(image, 'filter', 'name')
    if (reference !== '') images.set(`object ${reference}`, { name: reference, by: 'object' })
    if (filtered !== '') images.set(`name ${filtered}`, { name: filtered, by: 'name' })
  }
  return [...images.values()]
}

/** True if an image is an object that lies beside the Cluster. */
export function isBeside({ name, by }: ChosenImage, { beside }: Pick<Cluster, 'beside'>): boolean {
  return (
    by === 'object' &&
    beside.some(({ value }) => textAt(value, 'kind') === 'Image' && textAt(value, 'metadata', 'name') === name)
  )
}

/** True if a manifest is a template of machines that boot from an image of OpenStack. */
export function isOpenStackMachine({ kind }: Pick<Manifest, 'kind'>): boolean {
  return kind === 'OpenStackMachineTemplate'
}

/**
 * Where cluster.yaml says the text or truth value at `path` of its Cluster; undefined when it says something else
 * there: a patch or the fleet does then.
 */
export function spanInCluster(
  { document }: Pick<Cluster, 'document'>,
  path: readonly PathStep[],
  value: string | boolean,
): Span | undefined {
  return fieldAt(document.value, ...path) === value ? spanOf(document, path) : undefined
}
