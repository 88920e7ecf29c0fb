import { createPlainMap, isPlainMap, type Plain, type PlainMap } from '../codec/json/plain-value.ts'
import type { DescribedClass, DescribedVariable } from './describe-class.ts'

/** A class that clusters may name. */
export interface SchemaClass extends Pick<
  DescribedClass,
  'variables' | 'machineDeployments' | 'machinePools' | 'definesMore'
> {
  readonly className: string
  /** The prefix of its names, where its version is not known yet. */
  readonly classPrefix?: string | undefined
  /** With `v`. */
  readonly kubernetesVersion: string
}

/** The inputs of a schema for cluster.yaml. */
export interface ClusterSchemaInput {
  /** Of the fleet, or of the release. */
  readonly title: string
  /** The schemas of Cluster API's Cluster. */
  readonly v1beta1: Plain
  readonly v1beta2: Plain
  readonly classes: readonly SchemaClass[]
}

const GROUP = 'cluster.x-k8s.io'

/**
 * Makes a JSON Schema of draft 7 for cluster.yaml, for editors: Cluster API's own, with the classes that there are, and
 * for each of them its version, variables and classes of workers. Other documents of the file are left alone.
 */
export function makeClusterSchema({ title, v1beta1, v1beta2, classes }: ClusterSchemaInput): PlainMap {
  const definitions = createPlainMap()
  definitions['v1beta1'] = withClasses(v1beta1, ['class'], classes)
  definitions['v1beta2'] = withClasses(v1beta2, ['classRef', 'name'], classes)
  for (const one of classes) {
    definitions[`${one.className}/variable`] = variableOf(one)
    definitions[one.className] = topologyOf(one)
  }
  definitions['Cluster'] = {
    if: { properties: { apiVersion: { const: `${GROUP}/v1beta1` } }, required: ['apiVersion'] },
    then: refTo('v1beta1'),
    else: refTo('v1beta2'),
    ...withItems(
      'allOf',
      classes.map((one) => ({
        if: names(one),
        then: { properties: { spec: { properties: { topology: refTo(one.className) } } } },
      })),
    ),
  }
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title,
    description:
      'A Cluster, with the variables of the class that it names. Written by `stackmason variables -o schema`.',
    if: {
      properties: { apiVersion: { type: 'string', not: { pattern: `^${GROUP.replaceAll('.', '\\.')}/` } } },
      required: ['apiVersion'],
    },
    else: refTo('Cluster'),
    definitions,
  }
}

function refTo(name: string): PlainMap {
  return { $ref: `#/definitions/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` }
}

/** The schema of Cluster API, with the classes that its topology may name. */
function withClasses(schema: Plain, path: readonly string[], classes: readonly SchemaClass[]): Plain {
  const names: readonly PlainMap[] = [
    { enum: classes.filter(({ classPrefix }) => classPrefix === undefined).map(({ className }) => className) },
    ...classes.flatMap(({ classPrefix }) => (classPrefix === undefined ? [] : [{ pattern: patternOf(classPrefix) }])),
  ]
  const used = names.filter(({ enum: known }) => !Array.isArray(known) || known.length > 0)
  const [only, ...more] = used
  const allowed = only === undefined ? {} : more.length === 0 ? only : { anyOf: used }
  const whole = ['spec', 'topology', ...path].flatMap((name) => ['properties', name])
  const own = new Set(['$schema', '$id', 'title', 'examples'])
  const rest = Object.entries(isPlainMap(schema) ? schema : {}).filter(([keyword]) => !own.has(keyword))
  return changed(Object.fromEntries(rest), whole, (found) => ({ ...found, ...allowed }))
}

/** A copy in which one schema is another. */
function changed(value: Plain, path: readonly string[], change: (found: PlainMap) => PlainMap): Plain {
  if (!isPlainMap(value)) return value
  const [key, ...rest] = path
  if (key === undefined) return change(value)
  return { ...value, [key]: changed(value[key] ?? {}, rest, change) }
}

/** True for a Cluster that names a class, in either version of its API. */
function names({ className, classPrefix }: SchemaClass): PlainMap {
  const name = classPrefix === undefined ? { const: className } : { pattern: patternOf(classPrefix), type: 'string' }
  const topology = {
    anyOf: [
      { properties: { class: name }, required: ['class'] },
      {
        properties: { classRef: { type: 'object', properties: { name }, required: ['name'] } },
        required: ['classRef'],
      },
    ],
  }
  return { properties: { spec: { properties: { topology }, required: ['topology'] } }, required: ['spec'] }
}

function patternOf(prefix: string): string {
  return `^${prefix.replaceAll(/[^\w-]/g, String.raw`\$&`)}`
}

function topologyOf(one: SchemaClass): PlainMap {
  const { className, kubernetesVersion, machineDeployments, machinePools, definesMore } = one
  const list: PlainMap =
    one.variables.length === 0 && !definesMore
      ? { maxItems: 0, description: 'The class has no variables.' }
      : { items: refTo(`${className}/variable`) }
  const overrides = { properties: { overrides: list } }
  const demanded = one.variables.filter(({ isRequired }) => isRequired)
  const group = (classes: readonly string[]): PlainMap =>
    classes.length === 0
      ? { maxItems: 0, description: 'The class has none of these workers.' }
      : { items: { properties: { class: { enum: classes }, variables: overrides } } }
  return {
    properties: {
      version: { enum: [kubernetesVersion] },
      variables: {
        ...list,
        ...withItems(
          'allOf',
          demanded.map(({ name }) => ({
            description: `The variable ${name} is required.`,
            contains: { properties: { name: { const: name } }, required: ['name'] },
          })),
        ),
      },
      controlPlane: { properties: { variables: overrides } },
      workers: {
        properties: { machineDeployments: group(machineDeployments), machinePools: group(machinePools) },
      },
    },
    ...withItems('required', demanded.length > 0 ? ['variables'] : []),
  }
}

/** An entry of a list of variables. */
function variableOf({ variables, definesMore }: SchemaClass): PlainMap {
  if (variables.length === 0) return {}
  const known = { enum: variables.map(({ name }) => name), enumDescriptions: variables.map(summaryOf) }
  return {
    properties: {
      // others may be defined where only the running cluster knows them
      name: definesMore ? { anyOf: [known, { type: 'string' }] } : known,
    },
    defaultSnippets: variables.map((variable) => ({
      label: variable.name,
      description: summaryOf(variable),
      body: { name: variable.name, value: variable.default ?? startOf(variable) },
    })),
    allOf: variables.map(({ name, schema }) => ({
      if: { properties: { name: { const: name } }, required: ['name'] },
      then: { properties: { value: schema } },
    })),
  }
}

/** A keyword with a list, which must not be empty. */
function withItems(keyword: string, items: readonly Plain[]): PlainMap {
  return items.length === 0 ? {} : { [keyword]: items }
}

function summaryOf({ type, isRequired, description }: DescribedVariable): string {
  return `${type}${isRequired ? ', required' : ''}${description === '' ? '' : `: ${description}`}`
}

/** The value that an editor writes for a variable without a default. */
function startOf({ schema }: DescribedVariable): Plain {
  const [first] = Array.isArray(schema['enum']) ? schema['enum'] : []
  if (first !== undefined) return first
  const { type } = schema
  const starts: Readonly<Record<string, Plain>> = { object: {}, array: [], boolean: false, integer: 0, number: 0 }
  return (typeof type === 'string' ? starts[type] : undefined) ?? ''
}
