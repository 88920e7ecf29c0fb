import type { VariablesOutcome } from './outcome.ts'

type Class = VariablesOutcome['classes'][number]

/** Characters of a default that are shown. */
const LONGEST = 60

/** The default of a variable or field; undefined where it has none. */
export function defaultText({ default: value }: Pick<Class['variables'][number], 'default'>): string | undefined {
  if (value === undefined) return undefined
  const text = JSON.stringify(value)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

/** The classes of workers, as a sentence. */
export function workerText({ machineDeployments, machinePools }: Class): string {
  const lists = [
    ['Machine deployments', machineDeployments],
    ['Machine pools', machinePools],
  ] as const
  const said = lists.filter(([, classes]) => classes.length > 0)
  if (said.length === 0) return 'No classes of workers.'
  return said.map(([list, classes]) => `${list} of class ${classes.join(', ')}.`).join(' ')
}
