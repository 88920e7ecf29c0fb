import { describe, expect, test } from 'vitest'
import { type HandoffFleet, handoffFleet, options, wantNext } from './handoff-fleet.ts'
import { problemsOf, told } from './remote-fleet.ts'

const TEMPLATES = 'providers/docker/demo/cluster-class/templates/templates.yaml'
const CLASS = 'providers/docker/demo/cluster-class/templates/cluster-class.yaml'
const optionsFile = 'clusters/team-a/web/options.yaml'

const start = 'the class of release docker-demo-1-34-v3 in namespace platform changes under its version, with'
const effect = 'Cluster API would take that to the cluster at once, and may replace every machine'
const hint =
  'Put release docker-demo-1-34-v3 back as it was, and publish the change as a new version: clusters move to it one by one, by the class in their cluster.yaml.'

/** What a run says of the class, or what it is refused with. */
async function says(
  fleet: HandoffFleet,
  given: Parameters<HandoffFleet['render']>[0] = {},
): Promise<readonly string[]> {
  const run = fleet.render(given)
  const problems = await problemsOf(run, fleet.folder)
  if (problems.length > 0) return problems.map((text) => `error ${text}`)
  const { findings } = await run
  return findings.flatMap((finding) =>
    finding.code === 'CLASS_CHANGES_IN_PLACE' ? [`${finding.severity} ${told(finding, fleet.folder)}`] : [],
  )
}

const mount = (fleet: HandoffFleet): void => fleet.edit(TEMPLATES, 'hostPath: /var', 'hostPath: /other/var')

describe.each(['flux', 'argocd'] as const)('a class that changes under its version, handed to %s,', (tool) => {
  const place = 'docker-demo-1-34-cluster-class/templates/templates.yaml:19:21'
  const at = 'DockerMachineTemplate docker-demo-1-34-v3-machine at spec.template.spec.extraMounts[0].hostPath'
  const refused = ', or refuse it: the spec of a DockerMachineTemplate is immutable'

  test('is a warning where clusters have it, and none where its version changes', async () => {
    const fleet = await handoffFleet(tool)
    const base = fleet.git('rev-parse', 'HEAD').trim()
    mount(fleet)
    const warning = `warning CLASS_CHANGES_IN_PLACE ${place} ${start} team-a/web at it: ${at}; ${effect}${refused} | ${hint}`
    expect(await says(fleet, { check: true })).toEqual([warning])
    expect(await says(fleet)).toEqual([warning])
    expect(await says(fleet, { check: true })).toEqual([warning])
    fleet.commit()
    for (const given of [{}, { check: true }]) expect(await says(fleet, given)).toEqual([])
    expect(await says(fleet, { check: true, base })).toEqual([warning])
    fleet.git('reset', '--hard', '-q', base)
    wantNext(fleet)
    mount(fleet)
    expect(await says(fleet)).toEqual([])
  })

  test.each([
    ['{freeze: true}', 'frozen', 'freeze'],
    ['{suspend: true}', 'suspended', 'suspend'],
    ['{decommission: {}}', 'on its way out', 'decommission'],
  ])('is refused while a cluster is to stay as it is: %s', async (spec, word, field) => {
    const fleet = await handoffFleet(tool)
    fleet.write(optionsFile, options(spec))
    await fleet.render()
    fleet.commit()
    mount(fleet)
    const error = `error CLASS_CHANGES_IN_PLACE ${place} ${start} team-a/web (${word}) at it: ${at}; ${effect}${refused} | ${hint} To let the change through, first remove \`${field}\` from ${optionsFile}.`
    for (const given of [{}, { check: true }]) expect(await says(fleet, given)).toEqual([error])
    expect(fleet.git('status', '--porcelain', '--', 'rendered')).toBe('')
    // a run of the cluster alone writes no class
    expect(await says(fleet, { clusters: ['team-a/web'] })).toEqual([])
    fleet.git('checkout', '--', TEMPLATES)
    expect(await says(fleet)).toEqual([])
  })

  test.each([
    ['{freeze: true}', 'error'],
    ['{suspend: true}', 'error'],
    ['{decommission: {}}', 'error'],
    ['{}', 'warning'],
  ])('is found where the commit lacks files of it: %s', async (spec, severity) => {
    const fleet = await handoffFleet(tool)
    fleet.write(optionsFile, options(spec))
    await fleet.render()
    const whole = fleet.commit()
    const folder = 'rendered/stacks/platform/docker-demo-1-34-v3'
    const template = `${folder}/dockermachinetemplate-docker-demo-1-34-v3-machine.yaml`
    for (const gone of [[folder], [template], [folder, 'rendered/handoff/platform']]) {
      for (const path of gone) fleet.remove(path)
      fleet.commit()
      mount(fleet)
      for (const given of [{ check: true }, {}])
        expect((await says(fleet, given)).map((text) => text.split(' ', 2).join(' '))).toEqual([
          `${severity} CLASS_CHANGES_IN_PLACE`,
        ])
      fleet.git('checkout', '--', TEMPLATES)
      expect(await says(fleet)).toEqual([])
      fleet.git('reset', '--hard', '-q', whole)
      fleet.git('clean', '-fdq')
    }
  })

  test('is refused where a template goes that the class still names', async () => {
    const fleet = await handoffFleet(tool)
    const template = fleet.read(TEMPLATES).split(/^(?=---$)/m)
    const gone = template.find((text) => text.includes('kind: DockerMachineTemplate')) ?? ''
    fleet.edit(TEMPLATES, gone, '')
    const error =
      'error CLASS_CHANGES_IN_PLACE docker-demo-1-34-cluster-class/templates/templates.yaml the class of release docker-demo-1-34-v3 in namespace platform loses a template under its version, with team-a/web at it: ' +
      'DockerMachineTemplate docker-demo-1-34-v3-machine is gone, and the class still names it; Cluster API would reconcile neither the class nor its clusters any more | ' +
      'Put release docker-demo-1-34-v3 back as it was. In a new version take the template out of the ClusterClass, too: clusters move to it one by one, by the class in their cluster.yaml.'
    for (const given of [{}, { check: true }]) expect(await says(fleet, given)).toEqual([error])
    expect(fleet.git('status', '--porcelain', '--', 'rendered')).toBe('')
    fleet.git('checkout', '--', TEMPLATES)
    expect(await says(fleet)).toEqual([])
  })

  test('is told once for all its objects, with the first fields that differ and what is gone', async () => {
    const fleet = await handoffFleet(tool)
    fleet.write(
      'clusters/team-a/api/cluster.yaml',
      fleet.read('clusters/team-a/web/cluster.yaml').replace('name: web', 'name: api'),
    )
    const spare =
      '---\napiVersion: infrastructure.cluster.x-k8s.io/v1beta2\nkind: DockerMachineTemplate\nmetadata: {name: {{ include "class.name" . }}-spare}\nspec: {template: {spec: {}}}\n'
    fleet.write(TEMPLATES, `${fleet.read(TEMPLATES)}${spare}`)
    await fleet.render()
    fleet.commit()
    mount(fleet)
    fleet.edit(TEMPLATES, spare, '')
    fleet.edit(TEMPLATES, 'certSANs: [localhost, 127.0.0.1]', 'certSANs: [localhost]')
    fleet.edit(CLASS, 'class: default-worker', 'class: default-worker\n        namingStrategy: {template: x}')
    expect((await says(fleet)).map((text) => text.slice(text.indexOf('the class'), text.indexOf('; ')))).toEqual([
      `${start} team-a/api and team-a/web at it: ClusterClass docker-demo-1-34-v3 at spec.workers.machineDeployments[0].namingStrategy, ${at}, DockerMachineTemplate docker-demo-1-34-v3-spare is gone and 1 more`,
    ])
  })

  test('is no matter of labels, of a version of the API, and of a class that nobody has', async () => {
    const fleet = await handoffFleet(tool)
    fleet.edit(TEMPLATES, /^metadata:\n/gm, 'metadata:\n  labels: {a: b}\n')
    expect(await says(fleet)).toEqual([])
    fleet.git('checkout', '--', '.')
    for (const step of ['prepare', 'delete']) {
      fleet.write(optionsFile, options(`{decommission: {step: ${step}}}`))
      await fleet.render()
      fleet.commit()
    }
    mount(fleet)
    expect(await says(fleet)).toEqual([])
  })
})
