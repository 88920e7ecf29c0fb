/** Renders the example fleet with the built program, and shows what lies in the output folder. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const { status } = spawnSync(process.execPath, ['dist/main.js', 'render', '--fleet', 'examples/fleet'], {
  cwd: root,
  stdio: 'inherit',
})
if (status === 0) {
  process.stdout.write(`\nrendered/ holds, one file per object:\n${describeTree('rendered').join('')}
Now change something, e.g. \`replicas\` in examples/fleet/clusters/team-a/web/cluster.yaml, run
\`npm run example\` again, and look at \`git diff\`.\n`)
}
process.exitCode = status ?? 2

/** One line per folder that has objects, with their kinds. */
function describeTree(folder: string): readonly string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  const kinds = new Map<string, number>()
  for (const { name } of entries.filter(
    (entry) => entry.isFile() && entry.name.includes('-') && !entry.name.startsWith('.'),
  )) {
    const kind = /^kind: (\w+)$/m.exec(readFileSync(join(root, folder, name), 'utf8'))?.[1] ?? 'other'
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  }
  const summary = Array.from(kinds, ([kind, count]) => (count === 1 ? kind : `${String(count)} ${kind}`)).join(', ')
  const line = summary === '' ? [] : [`  ${folder}\n      ${summary}\n`]
  return [
    ...line,
    ...entries.filter((entry) => entry.isDirectory()).flatMap(({ name }) => describeTree(`${folder}/${name}`)),
  ]
}
