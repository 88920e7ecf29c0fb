import { objectPath } from '../../model/object-name.ts'
import type { Grouping } from '../../model/publish-config.ts'
import { changedStacks, groupFiles, type GroupingFacts } from '../../publish/group-files.ts'
import type { ProposalPlan } from '../../publish/proposal.ts'
import type { RenderedSource, TreePair } from './rendered-source.ts'
import { clusterOfFile } from './source-change.ts'

/** Plans proposals for merged inputs that are not rendered yet. If the lock moves, there is one. */
export async function planProposals(
  { change, trees }: RenderedSource,
  { grouping }: { readonly grouping: Grouping },
): Promise<ProposalPlan> {
  const { files, inputs, result } = change
  const isMoved = inputs.length > 0
  const whole = isMoved ? ('fleet' as const) : grouping
  if (whole === 'fleet' && result.holds.size === 0) return { proposals: [{ group: 'fleet' }], held: [] }
  if (files.length === 0 && !isMoved) return { proposals: [], held: [] }
  const pair = await trees()
  const facts = { base: [...pair.before.files.keys()], files, grouping: whole, holds: result.holds }
  const { groups, held } = groupFiles({ ...facts, namesOf: await readNames(facts, pair) })
  const isAlone = isMoved && groups.length === 0 && held.every(({ group }) => group !== 'fleet')
  const all = isAlone ? [{ group: 'fleet', part: new Set<string>() }] : groups
  return { proposals: all, held }
}

/** Looks up which releases the files of clusters name, where releases come or go. */
async function readNames(
  facts: Pick<GroupingFacts, 'base' | 'files'>,
  { before, after }: TreePair,
): Promise<GroupingFacts['namesOf']> {
  const { added, removed } = changedStacks(facts)
  const tags = [...added, ...removed]
  if (tags.length === 0) return () => ({ before: new Set(), after: new Set() })
  const named = { before: new Map<string, Set<string>>(), after: new Map<string, Set<string>>() }
  const paths = new Set(facts.files.map(({ path }) => path))
  for (const [side, tree] of [['before', before] as const, ['after', after] as const]) {
    for (const [path, text] of await tree.read(paths)) {
      const cluster = clusterOfFile(path)
      if (cluster === undefined) continue
      const key = objectPath(cluster)
      const found = named[side].get(key) ?? new Set()
      named[side].set(key, found)
      // classes write the version with dots where tags have dashes
      const plain = text.replaceAll('.', '-')
      for (const tag of tags) if (plain.includes(tag.replaceAll('.', '-'))) found.add(tag)
    }
  }
  const of = (side: 'before' | 'after', key: string): ReadonlySet<string> => named[side].get(key) ?? new Set()
  return (cluster) => ({ before: of('before', cluster), after: of('after', cluster) })
}
