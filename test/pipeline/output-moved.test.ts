import { execFileSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bothClusters, type HandoffFleet, handoffFleet, options } from './handoff-fleet.ts'
import { problemsOf, told } from './remote-fleet.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { gitTestEnvironment } from '../../tools/servers/git-server.ts'

const names = { flux: 'Flux', argocd: 'Argo CD' } as const

/** `path` under `spec.handoff` of each tool. */
const written = { flux: './rendered', argocd: 'rendered' } as const
const pathField = (tool: keyof typeof names, path: string): string => `path: ${tool === 'flux' ? './' : ''}${path}`

const bootstraps = {
  flux: (path: string): string =>
    `apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: fleet}\n---\napiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: fleet}\nspec:\n  path: ./${path}\n`,
  argocd: (path: string): string =>
    `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: fleet}\nspec:\n  source:\n    path: ${path}\n`,
} as const
const bootstrapPlace = { flux: '9:9', argocd: '6:11' } as const

async function warnings(fleet: HandoffFleet, check = false): Promise<readonly string[]> {
  const { findings } = await fleet.render({ check })
  return findings.filter(({ code }) => code === 'HANDOFF_PATH_DIFFERS').map((finding) => told(finding, fleet.folder))
}

test('a second tree of the fleet is no part of a right one, whichever it is', async () => {
  const fleet = await handoffFleet('flux', bothClusters)
  fleet.copy(fleet.path('rendered'), 'deploy')
  // before a commit it is nobody's
  expect(await fleet.render({ check: true })).toMatchObject({ changes: [], findings: [] })
  fleet.commit()
  const second =
    'OUTPUT_MOVED stackmason.yaml:17:3 spec.output.path is not set, so it is "rendered", and "deploy" holds a second tree of this fleet: nothing renders or checks that one | ' +
    'Remove it: `git rm -r deploy`. A tree moves with `git mv`: docs/02-fleet-repository.md, "The output folder".'
  for (const given of [{ check: true }, { check: true, base: 'HEAD~1' }])
    expect(await problemsOf(fleet.render(given), fleet.folder)).toEqual([second])
  fleet.git('rm', '-rq', 'deploy')
  expect(await fleet.render({ check: true })).toMatchObject({ changes: [], findings: [] })
})

describe.each(['flux', 'argocd'] as const)('an output folder that moves, applied by %s,', (tool) => {
  async function movedFleet(): Promise<HandoffFleet> {
    const fleet = await handoffFleet(tool, bothClusters)
    fleet.write(`bootstrap/${tool}.yaml`, bootstraps[tool]('rendered/handoff'))
    fleet.commit()
    fleet.handTo(tool, 'output: {path: deploy}')
    return fleet
  }

  test('must take its tree along: written anew, no cluster has steps', async () => {
    const fleet = await movedFleet()
    const place = `stackmason.yaml:${tool === 'flux' ? '19' : '19'}:18`
    const refusal =
      `OUTPUT_MOVED ${place} spec.output.path is "deploy", but this fleet's tree is committed in "rendered": written anew, every cluster counts as new, ` +
      `and ${names[tool]} goes on with the old folder | Move the tree with \`git mv ${fleet.folder}/rendered ${fleet.folder}/deploy\`, then render and commit all of it: docs/02-fleet-repository.md, "The output folder".`
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([refusal])
    expect(await problemsOf(fleet.render({ check: true }), fleet.folder)).toEqual([refusal])
    expect(fleet.has('deploy')).toBe(false)
  })

  test('must take its tree along also where the fleet is renamed with it', async () => {
    const fleet = await movedFleet()
    fleet.edit('stackmason.yaml', /metadata: \{name: \w+\}/, 'metadata: {name: other}')
    for (const check of [false, true])
      expect((await problemsOf(fleet.render({ check }), fleet.folder)).map((text) => text.split(' ')[0])).toEqual([
        'OUTPUT_MOVED',
      ])
    expect(fleet.has('deploy')).toBe(false)
  })

  test('leaves paths behind that say where it was, and each is told', async () => {
    const fleet = await movedFleet()
    fleet.write('clusters/team-a/web/options.yaml', options('{freeze: true}'))
    fleet.git('mv', 'rendered', 'deploy')
    const left =
      `HANDOFF_PATH_DIFFERS stackmason.yaml:${tool === 'flux' ? '18:62' : '18:84'} spec.handoff.${tool}.path is "rendered", where the repository has no tree: it lies in "deploy", so ${names[tool]} would apply nothing of it | ` +
      `Write \`${pathField(tool, 'deploy')}\`, and \`${pathField(tool, 'deploy/handoff')}\` in what applies it in the management cluster: see bootstrap/${tool}.yaml.`
    // what is frozen stays as it is committed
    await expect(warnings(fleet)).rejects.toThrow('team-a/web is frozen, but its files are in no commit')
    fleet.commit()
    expect(await warnings(fleet)).toEqual([left])
    expect(await warnings(fleet, true)).toEqual([left])

    fleet.edit('stackmason.yaml', written[tool], tool === 'flux' ? './deploy' : 'deploy')
    const stale =
      `HANDOFF_PATH_DIFFERS bootstrap/${tool}.yaml:${bootstrapPlace[tool]} bootstrap/${tool}.yaml points ${names[tool]} at "rendered/handoff", but what this fleet writes for it lies in "deploy/handoff" | ` +
      `Write \`${pathField(tool, 'deploy/handoff')}\`, and apply the file again when the tree is merged: \`kubectl apply -f bootstrap/${tool}.yaml\`.`
    expect(await warnings(fleet)).toEqual([stale])
    fleet.write(`bootstrap/${tool}.yaml`, bootstraps[tool]('deploy/handoff'))
    expect(await warnings(fleet)).toEqual([])
    fleet.commit()
    expect(await fleet.render({ check: true })).toMatchObject({ changes: [] })
    expect(() => fleet.git('grep', '-l', 'rendered/', '--', 'deploy/handoff', 'stackmason.yaml')).toThrow(
      'Command failed',
    )
  })

  test.each([
    { path: '.', to: '.', where: tool === 'flux' ? ['path: .', 'path: ./handoff'] : ['path: .', 'path: handoff'] },
    { path: 'env/prod', to: 'env/prod', where: [pathField(tool, 'env/prod'), pathField(tool, 'env/prod/handoff')] },
  ])('that is published into $path of another branch is looked for there', async ({ path, to, where }) => {
    const fleet = await handoffFleet(tool, bothClusters)
    fleet.handTo(tool, `publish: {into: branch, branch: env/prod, path: ${path}}`)
    expect(await warnings(fleet)).toEqual([
      `HANDOFF_PATH_DIFFERS stackmason.yaml:${tool === 'flux' ? '18:62' : '18:84'} spec.handoff.${tool}.path is "rendered", but spec.publish.path puts the tree into "${to}", so ${names[tool]} would apply nothing of it | ` +
        `Write \`${where[0] ?? ''}\`, and \`${where[1] ?? ''}\` in what applies it in the management cluster: see bootstrap/${tool}.yaml.`,
    ])
    fleet.edit('stackmason.yaml', `path: ${written[tool]}`, `path: ${path}`)
    expect(await warnings(fleet)).toEqual([])
  })

  test('that stays is told nothing, and neither is a path into another branch or artifact', async () => {
    const fleet = await handoffFleet(tool, bothClusters)
    fleet.write(`bootstrap/${tool}.yaml`, bootstraps[tool]('rendered/handoff'))
    expect(await warnings(fleet)).toEqual([])
    fleet.edit('stackmason.yaml', `path: ${written[tool]}`, 'path: .')
    fleet.write(`bootstrap/${tool}.yaml`, bootstraps[tool]('handoff'))
    expect(await warnings(fleet)).toEqual([])
  })
})

describe.each(['flux', 'argocd'] as const)('an output folder of %s', (tool) => {
  const refusal = (path: string, resolved: string): string =>
    `OUTPUT_OUTSIDE stackmason.yaml:19:18 spec.output.path is "${path}"${resolved}, which lies in no git repository: the last commit tells what ${names[tool]} has applied of each cluster, and there every one would count as new each time | ` +
    'Remove spec.output, so that the tree lies in "rendered" beside stackmason.yaml, or choose a folder of this or another repository.'

  test('outside of every repository is refused', async () => {
    const fleet = await handoffFleet(tool, bothClusters)
    const outer = await tempFolder()
    for (const path of [`../${basename(outer)}/esc`, `${outer}/esc`]) {
      fleet.handTo(tool, `output: {path: ${path}}`)
      const resolved = path.startsWith('/') ? '' : `, that is "${outer}/esc"`
      for (const check of [false, true])
        expect(await problemsOf(fleet.render({ check }), fleet.folder)).toEqual([refusal(path, resolved)])
    }
    expect(readdirSync(outer)).toEqual([])
  })

  test('in another repository is read there', async () => {
    const fleet = await handoffFleet(tool, bothClusters)
    fleet.git('rm', '-rq', 'rendered')
    fleet.commit()
    const other = await tempFolder()
    const git = (...args: readonly string[]): string =>
      execFileSync('git', args, { cwd: other, env: gitTestEnvironment, encoding: 'utf8' })
    git('init', '-q')
    fleet.handTo(tool, `output: {path: ../${basename(other)}/deploy}`)
    expect(await warnings(fleet)).toEqual([])
    git('add', '-A')
    git('commit', '-q', '-m', 'tree')
    fleet.write('clusters/team-a/web/options.yaml', options('{freeze: true}'))
    expect(fleet.steps(await fleet.render())).toEqual(['freeze'])
    fleet.remove('clusters/team-a/web/options.yaml')
    expect(await fleet.render({ check: true })).toMatchObject({ changes: [] })
  })

  test('of a fleet without a repository may lie anywhere', async () => {
    const fleet = await handoffFleet(tool, bothClusters)
    rmSync(join(fleet.folder, '.git'), { recursive: true })
    const outer = await tempFolder()
    fleet.handTo(tool, `output: {path: ../${basename(outer)}/out}`)
    await fleet.render()
    expect(readdirSync(outer)).toEqual(['out'])
  })

  test('that moves away from a tree without a committed marker is refused all the same', async () => {
    const fleet = await handoffFleet(tool, bothClusters)
    fleet.git('rm', '-q', '--cached', 'rendered/.stackmason-tree')
    fleet.write('.gitignore', '.stackmason-tree\n')
    fleet.commit()
    fleet.handTo(tool, 'output: {path: deploy}')
    const [problem = ''] = await problemsOf(fleet.render(), fleet.folder)
    expect(problem).toContain(
      `OUTPUT_MOVED stackmason.yaml:19:18 spec.output.path is "deploy", but this fleet's tree is committed in "rendered"`,
    )
    const object = fleet.read('rendered/clusters/team-a/web/cluster/cluster-web.yaml')
    // the tree of a fleet with other clusters is none of this one's
    fleet.git('rm', '-rqf', 'rendered')
    fleet.write('other/clusters/team-x/web/cluster/cluster-web.yaml', object)
    fleet.commit()
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([])
  })
})

test('a tree that no GitOps tool applies may be written anew elsewhere', async () => {
  const fleet = await handoffFleet('flux', bothClusters)
  fleet.handTo(undefined, 'retiredTool: flux')
  await fleet.render()
  fleet.commit()
  fleet.handTo(undefined, 'output: {path: deploy}')
  await fleet.render()
  expect(fleet.has('deploy/clusters')).toBe(true)
})
