import type { Diagnostic } from '../model/diagnostic.ts'
import type { GitopsTool } from '../model/gitops-tool.ts'
import type { Dict } from '../model/value.ts'
import type { VariableRenames } from '../model/variable-renames.ts'
import { type CelBudget, celBudget } from './cel/cel-work.ts'
import type { PlacedObject } from './placed-object.ts'
import type { PolicyObject } from './policy/policy-file.ts'
import type { BuiltInSchemas } from './schema/built-in-schemas.ts'

/** The inputs of rules besides the units that they judge. */
export interface CheckInputs {
  /** The kinds of Kubernetes itself. */
  readonly builtIn: BuiltInSchemas
  /** The minor of the management cluster, `1.34`, where the fleet says it. */
  readonly managementMinor?: string | undefined
  /** CustomResourceDefinitions that no unit brings: our own, and those of the folders that the fleet names. */
  readonly definitions: readonly Dict[]
  /** Those of them that lie in such folders, with their places; absent: none. */
  readonly ownDefinitions?: readonly PlacedObject[] | undefined
  /** Those of the objects that the GitOps tool is handed, where `definitions` has none of a kind; absent: none. */
  readonly handoffDefinitions?: readonly Dict[] | undefined
  /** Folders for definitions that have none, relative to stackmason.yaml; absent: all of them have some. */
  readonly withoutDefinitions?: readonly string[] | undefined
  /** Documents beside definitions that are no YAML: nobody knows whether they are some; absent: none. */
  readonly unreadDocuments?: readonly Pick<Diagnostic, 'message' | 'at'>[] | undefined
  /** The folder of the tree, relative to stackmason.yaml; absent: findings name folders from there on. */
  readonly treeFolder?: string
  /** Who applies the tree; absent: nobody that we know. */
  readonly tool?: GitopsTool | undefined
  /** New names of class variables; absent: none is known to be renamed. */
  readonly renames?: VariableRenames
  /** Objects of the fleet's folder `policies`: policies, their bindings and parameters; absent: nothing. */
  readonly policies?: readonly PolicyObject[]
  /** What is wrong with a Go template in a class; undefined for one that can be parsed. */
  readonly classTemplateProblem: (template: string) => string | undefined
}

const budgets = new WeakMap<CheckInputs, CelBudget>()

/** The budget of rules in CEL and policies in the run of these inputs. */
export function budgetOf(inputs: CheckInputs): CelBudget {
  const budget = budgets.get(inputs) ?? celBudget()
  budgets.set(inputs, budget)
  return budget
}

/** The work that counted in the run of these inputs so far. */
export function workOf(inputs: CheckInputs): number {
  return budgetOf(inputs).done
}
