import { execFileSync } from 'node:child_process'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { render } from '../../src/pipeline/render.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { gitTestEnvironment } from '../../tools/servers/git-server.ts'
import { tempFolder } from '../support/temp-folder.ts'

const project = join(import.meta.dirname, '../..')

async function edit(file: string, from: string, to: string): Promise<void> {
  const text = await readFile(file, 'utf8')
  if (!text.includes(from)) throw new Error(`${file} holds no ${from}`)
  await writeFile(file, text.replace(from, to))
}

/** The example fleet in a repository of its own, rendered and committed. */
async function committedFleet(): Promise<{ readonly folder: string; readonly diff: () => Promise<readonly string[]> }> {
  const folder = await tempFolder()
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: folder, env: gitTestEnvironment, encoding: 'utf8' })
  const run = (): Promise<unknown> => {
    const options = { start: folder, clusters: [], stacks: [], check: false, allowEmpty: false, overwriteEdited: false }
    return render(options, createNodePorts(), () => undefined)
  }
  await cp(join(project, 'examples/fleet'), folder, { recursive: true })
  await edit(join(folder, 'stackmason.yaml'), '../../rendered', 'rendered')
  git('init', '--quiet')
  await run()
  git('add', '--all')
  git('commit', '--quiet', '--message', 'x')
  // as in a clone: nothing is remembered
  await rm(join(folder, 'rendered/.stackmason'), { recursive: true })
  return {
    folder,
    diff: async () => {
      await run()
      git('add', '--all', 'rendered')
      const printed = git('diff', '--cached', '--numstat', '--no-renames', '--', 'rendered')
      return printed.split('\n').filter((line) => line !== '')
    },
  }
}

const cluster = 'clusters/team-a/web/cluster.yaml'
const addon = 'clusters/team-a/web/addons/02-metrics/deployment-metrics-agent.yaml'

describe('what git shows of one change', () => {
  test.each([
    {
      name: 'a value',
      file: 'clusters/team-a/web/values/metrics.yaml',
      from: 'replicas: 2',
      to: 'replicas: 3',
      want: [`1\t1\trendered/${addon}`],
    },
    {
      name: 'replicas of a cluster',
      file: cluster,
      from: 'replicas: 4',
      to: 'replicas: 5',
      want: ['1\t1\trendered/clusters/team-a/web/cluster/cluster-web.yaml'],
    },
    {
      name: 'an image',
      file: 'clusters/team-a/web/values/metrics.yaml',
      from: 'metrics-agent:',
      to: 'metrics-agent:\n  image: {tag: 9.9.9}',
      want: [`1\t1\trendered/${addon}`],
    },
  ])('$name: one line of one file', async ({ file, from, to, want }) => {
    const { folder, diff } = await committedFleet()
    await edit(join(folder, file), from, to)
    expect(await diff()).toEqual(want)
  })
})
