import { placeIn } from '../../model/manifest.ts'
import { shownKey } from '../../model/shown-name.ts'
import { definedVariables, givenVariables } from '../../model/topology-variables.ts'
import { classOf } from '../class-of.ts'
import { type Rule, unitRule } from '../rule.ts'

/** Variables that a class requires, that have no default, and that the Cluster does not set. */
export const missingClassVariables: Rule = unitRule(
  {
    code: 'CLASS_VARIABLE_MISSING',
    severity: 'error',
    explanation: [
      'Cluster API refuses a Cluster without a variable that its class requires and gives no default. A value for one group of machines is not enough: the Cluster itself has to have one.',
    ],
  },
  (unit) => {
    const found = classOf(unit)
    if (found === undefined) return []
    const { manifest, clusterClass, className } = found
    const given = new Set(
      givenVariables(manifest.object)
        .filter(({ level }) => level === 'cluster')
        .map(({ name }) => name),
    )
    return definedVariables(clusterClass)
      .filter(({ name, isRequired, schema }) => isRequired && !schema.has('default') && !given.has(name))
      .map(({ name }) => ({
        message: `class ${className} requires the variable ${shownKey(name)}, and the Cluster does not set it`,
        ...placeIn(manifest, 'spec', 'topology', 'variables'),
        hint: `Add ${name} to spec.topology.variables.`,
      }))
  },
)
