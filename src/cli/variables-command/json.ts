import type { Report } from '../../report/report.ts'
import type { VariablesOutcome } from './outcome.ts'

/** The variables for programs (schemas/variables-report.json). */
export function variablesReport({ fleet, classes, findings }: VariablesOutcome): Report {
  return {
    kind: 'VariablesReport',
    content: {
      fleet,
      releases: classes.map(({ release, className, kubernetesVersion, clusters, definesMore, ...one }) => ({
        release,
        class: className,
        kubernetesVersion,
        clusters,
        variables: one.variables,
        definesMore,
        workerClasses: { machineDeployments: one.machineDeployments, machinePools: one.machinePools },
      })),
    },
    findings,
  }
}
