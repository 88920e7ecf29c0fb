import { shellWord } from '../../codec/text/shell-word.ts'
import { objectPath } from '../../model/object-name.ts'
import { markdownBlock, markdownCode } from '../forms/markdown-text.ts'
import { type Section, single } from './pack-sections.ts'
import type { PullRequestFacts } from './pull-request-facts.ts'
import { ranks } from './ranks.ts'

/** More clusters are not named one by one on a command line. */
const NAMED = 5

/** How to make the same tree again. */
export function reproduceSection(facts: PullRequestFacts): Section {
  const { base, head, folder, lock, clusters = [], run } = facts
  const only = clusters.length <= NAMED ? clusters.map((cluster) => ` --cluster ${shellWord(objectPath(cluster))}`) : []
  const commands = [
    `git fetch origin ${shellWord(head)} && git checkout FETCH_HEAD`,
    ...(folder === '' ? [] : [`cd ${shellWord(folder)}`]),
    `stackmason render --check${only.join('')}`,
    `stackmason diff ${shellWord(run.commit)} HEAD --all`,
  ]
  const npx = markdownCode(`npx stackmason@${shellWord(run.version)}`)
  const from = `Rendered by stackmason ${markdownCode(run.version)} from ${markdownCode(base)} at ${markdownCode(run.commit)}`
  const text = [
    '<details><summary>How to reproduce it</summary>',
    '',
    `${from}${lock === undefined ? '' : `, with the lock ${markdownCode(lock)}`}. With that version this ends without a difference to render, and shows each changed line; where it is not installed, ${npx} stands for ${markdownCode('stackmason')}:`,
    '',
    ...markdownBlock(commands, 'sh'),
    '',
    '</details>',
  ].join('\n')
  return single([{ rank: ranks.reproduce[0], text }])
}
