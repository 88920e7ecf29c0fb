import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parseGoJson } from '../../src/codec/json/go-json.ts'
import { compileSchema } from '../../src/codec/json-schema/json-schema.ts'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { bumpCni, manyClusters } from '../../tools/fleets/many-clusters.ts'
import { tempFolderForFile } from '../support/temp-folder.ts'
import { packageFolder, runCli } from './run-cli.ts'

describe('a fleet of 40 clusters', () => {
  const folder = tempFolderForFile()
  let fleet: FleetFolder

  beforeAll(async () => {
    fleet = await manyClusters(join(folder, 'fleet'), 40)
    await fleet.render()
    fleet.commit()
    bumpCni(fleet)
    await fleet.render()
  })

  const diff = async (...words: readonly string[]): ReturnType<typeof runCli> =>
    runCli(['diff', ...words], { cwd: fleet.folder })

  test('what a reviewer must know is on the first screen', async () => {
    const { stdout, stderr, status } = await diff()
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout.split('\n').slice(0, 24).join('\n')).toBe(
      `HEAD -> files on disk: 39 clusters changed, 1 new, 1 removed, 125 objects
Effects
  deletes        Cluster team-b/c40 and 4 more objects, without a decommission; a revert makes an empty cluster
  skips a minor  team-b/c39: Kubernetes v1.32.5 -> v1.34.1
  rolls nodes    Cluster team-b/c39; a revert does not lower the version
  restarts pods  addon cni: 2 objects on 38 clusters: team-a/{c01,c02,c03,…}, team-b/{c21,c22,c23,…}
New clusters
  team-c/new  like team-a/c01, except workers.machineDeployments[name=md-0].replicas: 3 -> 5
Versions
  Kubernetes  v1.32.5 -> v1.34.1 on team-b/c39
  addon       cni v1.17.4 -> v1.18.1 on the same 38 clusters
  2 images    quay.io/cilium/cilium, quay.io/cilium/operator-generic v1.17.4 -> v1.18.1 on the same 38 clusters

addon cni: the same 38 clusters
  not team-b/c39: unchanged there
  ~ ConfigMap kube-system/cilium-config
      data.agent-version: v1.17.4 -> v1.18.1
  ~ DaemonSet kube-system/cilium  (restarts pods)
      spec.template.metadata.annotations["checksum/config"]: <hash> -> <hash>
      spec.template.spec.containers[name=cilium-agent].image: quay.io/cilium/cilium:v1.17.4 -> quay.io/cilium/cilium:v1.18.1
  ~ Deployment kube-system/cilium-operator  (restarts pods)
      spec.template.spec.containers[name=operator].image: quay.io/cilium/operator-generic:v1.17.4 -> quay.io/cilium/operator-generic:v1.18.1

Cluster: team-b/c39`,
    )
  })

  test('the whole text names everybody', async () => {
    const { stdout } = await diff('--all')
    expect(stdout).toContain('team-b/{c21,c22,c23,c24,c25,c26,c27,c28,c29,c30,c31,c32,c33,c34,c35,c36,c37,c38}')
  })

  test('differences end the run with 1 only if that is asked for', async () => {
    expect((await diff('--exit-code')).status).toBe(1)
    expect(await diff('--exit-code', 'HEAD', 'HEAD')).toEqual({
      status: 0,
      stdout: 'No differences between HEAD and HEAD.\n',
      stderr: '',
    })
  })

  test('two folders need no fleet', async () => {
    const { stdout, status } = await runCli(['diff', './rendered', './rendered', '--exit-code'], { cwd: fleet.folder })
    expect({ stdout, status }).toEqual({ stdout: 'No differences between ./rendered and ./rendered.\n', status: 0 })
  })

  test('a folder without a tree is refused, and so is an unknown revision', async () => {
    expect(await diff('./clusters/values')).toEqual({
      status: 2,
      stdout: '',
      stderr: `error USAGE "./clusters/values" holds no rendered tree: neither clusters nor stacks nor handoff
  → Name the output folder itself, such as ./rendered; a name without ./ is a revision of git.
`,
    })
    expect((await diff('nowhere')).stderr).toContain('BASE_UNKNOWN')
  })

  test('writes JSON that fits its schema', async () => {
    const { stdout } = await diff('-o', 'json')
    const { validate } = compileSchema(
      parseGoJson(await readFile(join(packageFolder, 'schemas/diff-report.json'), 'utf8')),
    )
    expect(validate(parseGoJson(stdout))).toEqual([])
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'DiffReport',
      before: 'HEAD',
      after: 'files on disk',
      objects: 125,
      facts: {
        clusters: { changed: 39, unchanged: 0, removed: [{ cluster: { name: 'c40' }, isDecommissioned: false }] },
        kubernetes: [{ before: 'v1.32.5', after: 'v1.34.1', step: 'skips' }],
      },
    })
  })
})
