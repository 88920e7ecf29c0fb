import { textAt } from '../../model/field.ts'
import type { LocatedToken, Manifest } from '../../model/manifest.ts'
import { isBeforeDecryption, isEncrypted } from '../../model/sops.ts'
import type { Dict } from '../../model/value.ts'
import type { CelBudget } from '../cel/cel-work.ts'
import { type RuleProblem, validateRules } from '../cel/validate-rules.ts'
import { budgetOf, type CheckInputs } from '../check-inputs.ts'
import type { CheckedFolder, CheckedUnit, Destination } from '../checked-unit.ts'
import type { MinorSchemas } from './built-in-schemas.ts'
import { readCustomKind } from './custom-kind.ts'
import { createSchemaSet, type KindLookup } from './schema-set.ts'
import { type ObjectSchema, validateObject, withDefaults } from './validate-object.ts'
import type { SchemaProblem } from './validate-value.ts'

/** An object of a unit, and what the schema of its kind says about it. */
export interface JudgedObject {
  readonly manifest: Manifest
  readonly lookup: KindLookup
  readonly problems: readonly SchemaProblem[]
  /** Rules in CEL of its definition that are not kept; not asked of an object with other problems. */
  readonly ruleProblems: readonly RuleProblem[]
  /** Where it is applied. */
  readonly destination: Destination
  /** Path of the folder that it lies in. */
  readonly folder: string
  /** The built-in kinds of the API server that it goes to. */
  readonly builtIn: MinorSchemas
  /** The minor of that server; undefined where it is not known, or too old or too new to be known. */
  readonly minor: string | undefined
}

const judged = new WeakMap<CheckedUnit, readonly JudgedObject[]>()

/** Judges the objects of a unit by their schemas: once, for however many rules. */
export function judgeObjects(unit: CheckedUnit, inputs: CheckInputs): readonly JudgedObject[] {
  const known = judged.get(unit)
  if (known !== undefined) return known
  const found = [true, false].flatMap((isManagement) => {
    const folders = unit.folders.filter(({ destination }) => (destination === 'management') === isManagement)
    const minor = isManagement ? inputs.managementMinor : minorOf(unit)
    return judgeFolders(folders, { minor, known: unit.kind === 'handoff' ? inputs.handoffDefinitions : [] }, inputs)
  })
  judged.set(unit, found)
  return found
}

function judgeFolders(
  folders: readonly CheckedFolder[],
  { minor, known = [] }: { readonly minor: string | undefined; readonly known: readonly Dict[] | undefined },
  inputs: CheckInputs,
): readonly JudgedObject[] {
  const { builtIn, definitions } = inputs
  const placed = folders.flatMap(({ path, manifests, destination }) =>
    manifests.map((manifest) => ({ manifest, destination, folder: path })),
  )
  const ofTree = placed.flatMap(({ manifest: { apiVersion, kind, object } }) =>
    isDefinition(apiVersion, kind) ? [object] : [],
  )
  const schemas = builtIn.of(minor ?? '')
  const set = createSchemaSet(schemas, [...known, ...definitions, ...ofTree].map(readCustomKind))
  return placed.map(({ manifest, destination, folder }): JudgedObject => {
    const lookup = set.find(manifest.apiVersion, manifest.kind)
    return {
      manifest,
      destination,
      folder,
      lookup,
      ...(lookup.state === 'known' ? problemsOf(manifest, lookup.schema, budgetOf(inputs)) : noProblems),
      builtIn: schemas,
      minor: schemas.minor === minor ? minor : undefined,
    }
  })
}

/** True for a CustomResourceDefinition. */
function isDefinition(apiVersion: string, kind: string): boolean {
  return kind === 'CustomResourceDefinition' && apiVersion === 'apiextensions.k8s.io/v1'
}

/** The minor of a cluster's API server: that of the Cluster as it is written, which may wait for a later step. */
function minorOf({ folders }: CheckedUnit): string | undefined {
  const cluster = folders
    .flatMap(({ manifests }) => manifests)
    .find(({ apiVersion, kind }) => kind === 'Cluster' && apiVersion.startsWith('cluster.x-k8s.io/'))
  return /^v?([0-9]+\.[0-9]+)\./.exec(
    cluster === undefined ? '' : textAt(cluster.object, 'spec', 'topology', 'version'),
  )?.[1]
}

type Problems = Pick<JudgedObject, 'problems' | 'ruleProblems'>

const noProblems: Problems = { problems: [], ruleProblems: [] }
/** Problems by schema and object: what clusters have in common is the same object, and judged once. */
const known = new WeakMap<ObjectSchema['node'], WeakMap<Dict, Problems & { readonly work: number }>>()

function problemsOf({ object, deferred }: Manifest, schema: ObjectSchema, budget: CelBudget): Problems {
  if (deferred !== undefined) return findProblems(object, schema, { late: deferred, budget })
  const bySchema = known.get(schema.node) ?? new WeakMap<Dict, Problems & { readonly work: number }>()
  known.set(schema.node, bySchema)
  const before = bySchema.get(object)
  if (before !== undefined) {
    budget.done += before.work
    return before
  }
  const { done } = budget
  const problems = findProblems(object, schema, { budget })
  bySchema.set(object, { ...problems, work: budget.done - done })
  return problems
}

function findProblems(
  object: Dict,
  schema: ObjectSchema,
  { late, budget }: { readonly late?: readonly LocatedToken[]; readonly budget: CelBudget },
): Problems {
  const isSops = isEncrypted(object)
  const problems = validateObject(object, schema, late).filter(
    // it is decrypted before an API server gets it
    ({ path }) => !(isSops && isBeforeDecryption(object, path)),
  )
  if (problems.length > 0 || !schema.node.hasCelRules || isSops) return { problems, ruleProblems: [] }
  return { problems, ruleProblems: validateRules({ object: withDefaults(object, schema), late }, schema.node, budget) }
}
