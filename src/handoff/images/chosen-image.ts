import { dictAt, fieldAt, itemsAt, type PathStep, textAt } from '../../model/field.ts'
import type { ImageVariableNames } from '../../model/fleet.ts'
import type { Manifest, RenderedFolder } from '../../model/manifest.ts'
import { Dict, type Value } from '../../model/value.ts'

/** The image that machines boot from, and how they look for it: as an Image object of their namespace, or by name in the cloud. */
export interface ChosenImage {
  readonly name: string
  readonly by: 'object' | 'name'
  /** Where the Cluster says the name; absent when the class alone does. */
  readonly path?: readonly PathStep[]
}

/** A class, and who uses it. */
export interface ImageChoice {
  /** The class and its templates. */
  readonly folder: Pick<RenderedFolder, 'manifests'>
  /** Kubernetes version of the release. */
  readonly version: string
  /** The Cluster; without one the class alone chooses. */
  readonly cluster?: Dict
  readonly variables?: ImageVariableNames
}

/** Variables of the openstack scs2 stack. */
const SCS2: Required<ImageVariableNames> = {
  name: 'imageName',
  addVersion: 'imageAddVersion',
  isObject: 'imageIsOrc',
}

/** The names of the variables that choose images: those of the openstack scs2 stack where the fleet gives no others. */
export function imageVariableNames(names: ImageVariableNames | undefined): Required<ImageVariableNames> {
  return { ...SCS2, ...names }
}

/**
 * The images that a class and, when given, the variables of a cluster choose: for the control plane, and for each group of machines, whose overrides
 * of a variable win. A class without the variable of the name has what its machine templates say.
 */
export function chosenImages({ folder, version, cluster, variables }: ImageChoice): readonly ChosenImage[] {
  const names = imageVariableNames(variables)
  const declared = classVariables(folder)
  if (declared.every((variable) => textAt(variable, 'name') !== names.name)) return fromTemplates(folder.manifests)
  const topology = dictAt(cluster ?? null, 'spec', 'topology') ?? new Dict()
  const images = new Map<string, ChosenImage>()
  for (const paths of variableLists(topology)) {
    const find = (name: string): Found | undefined => findVariable(topology, paths, name) ?? defaultOf(declared, name)
    const base = find(names.name)
    if (typeof base?.value !== 'string' || base.value === '') continue
    const name = find(names.addVersion)?.value === true ? `${base.value}-${version}` : base.value
    const by = find(names.isObject)?.value === true ? 'object' : 'name'
    const key = `${by} ${name}`
    if (images.has(key)) continue
    images.set(key, { name, by, ...(base.path !== undefined && { path: ['spec', 'topology', ...base.path] }) })
  }
  return [...images.values()]
}

/** The variables that a class declares. */
export function classVariables({ manifests }: ImageChoice['folder']): readonly Value[] {
  return itemsAt(manifests.find(({ kind }) => kind === 'ClusterClass')?.object ?? null, 'spec', 'variables')
}

/** Paths below `spec.topology`, one list of paths for the control plane and each group of machines: where their variables lie, what wins first. */
export function variableLists(topology: Dict): readonly (readonly (readonly PathStep[])[])[] {
  const groups = ['machineDeployments', 'machinePools'].flatMap((kind) =>
    itemsAt(topology, 'workers', kind).map((_, index): readonly PathStep[] => ['workers', kind, index]),
  )
  return [['controlPlane'], ...groups].map((group) => [[...group, 'variables', 'overrides'], ['variables']])
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

/** Whether a manifest is a template of machines that boot from an image of OpenStack. */
export function isOpenStackMachine({ kind }: Pick<Manifest, 'kind'>): boolean {
  return kind === 'OpenStackMachineTemplate'
}
