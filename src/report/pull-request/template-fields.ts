import { dict, type Dict, goInt64, type Value } from '../../model/value.ts'

/** The fields that templates of `templates/publish/` see: the documentation and the data are made from this. */
export const templateFields = {
  title: 'the title, or the subject of the commit',
  summary: 'what changes in a sentence, and the counts',
  effects: 'table of what is dangerous, and what of it the fleet acknowledges',
  clusters: 'table of who changes, is new, goes, and is the odd one out',
  versions: 'table of versions before and after: Kubernetes, releases, addons, variables, images',
  findings: 'errors, warnings and what is acknowledged, with links to their lines',
  undo: 'table of what a revert would not bring back',
  changes: 'each change once, folded away',
  reproduce: 'the commands that make the same tree again',
  steps: 'which step of several this is, and what follows',
  footer: 'where the whole report is, and what becomes of text that people write',
  text: 'the change in plain lines of at most 72 characters, as commits have it',
  fleet: 'the name of the fleet',
  group:
    'what is published together: `fleet`, `namespace/team-a`, `cluster/team-a/web`, `rollout/openstack-scs/canary`',
  base: 'the branch that it goes to',
  head: 'the branch that holds it',
  commit: 'the commit that was rendered',
  version: 'the version of stackmason',
  lock: "the lock's digest; empty without one",
  report: 'where the whole report is: an address or the name of a file; empty without one',
  changed: 'how many clusters change',
  added: 'how many clusters are new',
  removed: 'how many clusters go',
  unchanged: 'how many clusters do not change',
  objects: 'how many objects differ',
  errors: 'how many errors are not acknowledged',
  warnings: 'how many warnings are not acknowledged',
  acknowledged: 'how many findings are acknowledged',
} as const

/** One of {@link templateFields}. */
export type TemplateField = keyof typeof templateFields

/** The data of a template. */
export type TemplateData = Readonly<Record<TemplateField, string | number>>

/** The same for the engine. */
export function templateDict(data: TemplateData): Dict {
  return dict(
    Object.entries(data).map(([name, value]): [string, Value] => [
      name,
      typeof value === 'number' ? goInt64(value) : value,
    ]),
  )
}
