import type { ChartDependency } from '../../model/chart.ts'
import { Dict, dict, typedList, type Value } from '../../model/value.ts'
import { formatValue } from '../engine/format.ts'
import { nilDict, nilList } from '../functions/go/typed-nil.ts'
import type { ChartNode } from './chart-node.ts'
import type { HelmVersion } from './coalesce.ts'
import { GoStruct, type StructField } from './go-struct.ts'

/** A field of Go's chart.Metadata: its Go name, and its name in Chart.yaml. */
const fields = [
  ['Name', 'name'],
  ['Home', 'home'],
  ['Sources', 'sources'],
  ['Version', 'version'],
  ['Description', 'description'],
  ['Keywords', 'keywords'],
  ['Maintainers', 'maintainers'],
  ['Icon', 'icon'],
  ['APIVersion', 'apiVersion'],
  ['Condition', 'condition'],
  ['Tags', 'tags'],
  ['AppVersion', 'appVersion'],
  ['Deprecated', 'deprecated'],
  ['Annotations', 'annotations'],
  ['KubeVersion', 'kubeVersion'],
  ['Dependencies', 'dependencies'],
  ['Type', 'type'],
] as const

/** Makes `.Chart`: a map with every field in Helm 4 (pkg/chart, structToMap), the struct itself in Helm 3. */
export function createChartObject(node: ChartNode, isRoot: boolean, helmVersion: HelmVersion): Value {
  return helmVersion === 4 ? chartMap(node, isRoot) : chartStruct(node, isRoot)
}

function chartMap(node: ChartNode, isRoot: boolean): Dict {
  const map = dict(fields.map(([name, key]) => [name, mapField(node, key)]))
  map.set('IsRoot', isRoot)
  return map
}

function mapField(node: ChartNode, key: string): Value {
  const value = plainField(node, key)
  if (key === 'maintainers') return listOf(value).map((item) => renamed(item, maintainerFields))
  if (key === 'dependencies') return node.declared.map(dependencyMap)
  // The element type of a []string is lost on its way into the map.
  return Array.isArray(value) ? [...value] : value
}

/** The value of a field that is no list of structs. */
function plainField(node: ChartNode, key: string): Value {
  if (key === 'name') return node.name
  const value = node.chart.metadata.raw.get(key)
  if (key === 'annotations') return value instanceof Dict ? copyAnnotations(value) : stringMap(nilDict())
  if (key === 'deprecated') return value === true
  return value ?? ''
}

function copyAnnotations(annotations: Dict): Dict {
  return stringMap(new Dict(annotations))
}

function stringMap(map: Dict): Dict {
  map.goType = 'map[string]string'
  return map
}

function listOf(value: Value): readonly Value[] {
  return Array.isArray(value) ? value : []
}

const maintainerFields = [
  ['Name', 'name'],
  ['Email', 'email'],
  ['URL', 'url'],
] as const

function renamed(item: Value, names: readonly (readonly [string, string])[]): Dict {
  return dict(names.map(([name, key]) => [name, (item instanceof Dict ? item.get(key) : undefined) ?? '']))
}

function dependencyMap(entry: ChartDependency): Dict {
  return dict(dependencyFields(entry).map(({ name, value }) => [name, Array.isArray(value) ? [...value] : value]))
}

function dependencyFields(entry: ChartDependency): readonly StructField[] {
  const imports = entry.importValues.map((item) => {
    const { child, parent } = typeof item === 'string' ? { child: `exports.${item}`, parent: '.' } : item
    return stringMap(
      dict([
        ['child', child],
        ['parent', parent],
      ]),
    )
  })
  return [
    { name: 'Name', json: 'name', value: entry.name },
    { name: 'Version', json: 'version', value: entry.version },
    { name: 'Repository', json: 'repository', value: entry.repository },
    { name: 'Condition', json: 'condition', value: entry.condition },
    { name: 'Tags', json: 'tags', value: typedList('string', [...entry.tags]) },
    { name: 'Enabled', json: 'enabled', value: entry.enabled },
    { name: 'ImportValues', json: 'import-values', value: imports },
    { name: 'Alias', json: 'alias', value: entry.alias },
  ]
}

function chartStruct(node: ChartNode, isRoot: boolean): GoStruct {
  const metadata = fields.map(([name, json]): StructField => ({ name, json, value: structField(node, json) }))
  return new GoStruct({
    goType: 'struct { chart.Metadata; IsRoot bool }',
    kind: 'struct',
    fields: [...metadata, { name: 'IsRoot', json: 'IsRoot', value: isRoot }],
    // An anonymous struct around the metadata. Go prints lists of pointers in it as addresses, we print what they point
    // to.
    text: `{{${metadata.map(({ value }) => formatValue(value)).join(' ')}} ${String(isRoot)}}`,
    omitEmpty: true,
  })
}

function structField(node: ChartNode, key: string): Value {
  const value = plainField(node, key)
  if (key === 'maintainers') return structList('*chart.Maintainer', listOf(value).map(maintainer))
  if (key === 'dependencies') return structList('*chart.Dependency', node.declared.map(dependency))
  if (!Array.isArray(value)) return value
  return value.length === 0 ? nilList('string') : typedList('string', [...value])
}

function structList(type: string, items: Value[]): Value {
  return items.length === 0 ? nilList(type) : typedList(type, items)
}

function maintainer(item: Value): Value {
  const map = renamed(item, maintainerFields)
  return new GoStruct({
    goType: '*chart.Maintainer',
    kind: 'ptr',
    fields: maintainerFields.map(([name, json]) => ({ name, json, value: map.get(name) ?? '' })),
    omitEmpty: true,
  })
}

function dependency(entry: ChartDependency): Value {
  return new GoStruct({ goType: '*chart.Dependency', kind: 'ptr', fields: dependencyFields(entry), omitEmpty: true })
}
