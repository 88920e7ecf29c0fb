import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { NodeImageConfig } from '../../../src/model/fleet.ts'
import { readFleet } from '../../../src/sources/fleet/read-fleet.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import { tempFolder } from '../../support/temp-folder.ts'

async function read(entries: string): ReturnType<typeof readFleet> {
  const folder = await tempFolder()
  await mkdir(join(folder, 'images'))
  await mkdir(join(folder, 'r'))
  await writeFile(join(folder, 'images/scs2.yaml'), 'images: []\n')
  const head =
    'apiVersion: stackmason.dev/v1alpha1\nkind: Fleet\nmetadata: {name: f}\nspec:\n  sources: [{name: r, directory: {path: r}}]\n  nodeImages:\n'
  await writeFile(join(folder, 'stackmason.yaml'), head + entries)
  return readFleet(join(folder, 'stackmason.yaml'), createNodePorts())
}

describe('spec.nodeImages', () => {
  it('has defaults, and names a file of the fleet', async () => {
    const { repository } = await read(
      '    - {provider: openstack, stack: scs2}\n    - {provider: openstack, stack: scs, use: existing, file: images/scs2.yaml, credentials: {secretName: s}, uploadFrom: [platform], variables: {isObject: byObject}, findBy: name, gate: controller}\n',
    )
    const shown = (config: NodeImageConfig): unknown =>
      Object.fromEntries(Object.entries(config).filter(([key]) => key !== 'at'))
    expect(repository.fleet.nodeImages.map(shown)).toEqual([
      {
        provider: 'openstack',
        stack: 'scs2',
        use: 'release',
        credentials: { secretName: 'openstack', cloudName: 'openstack' },
        gate: 'images',
      },
      {
        provider: 'openstack',
        stack: 'scs',
        use: 'existing',
        file: {
          name: 'images/scs2.yaml',
          text: 'images: []\n',
          path: expect.stringMatching(/^\/.*\/images\/scs2.yaml$/),
        },
        credentials: { secretName: 's', cloudName: 'openstack' },
        uploadFrom: ['platform'],
        variables: { isObject: 'byObject' },
        findBy: 'name',
        gate: 'controller',
      },
    ])
  })

  const broken: readonly { readonly name: string; readonly input: string; readonly want: readonly string[] }[] = [
    {
      name: 'a file that is not there',
      input: '    - {provider: openstack, stack: scs2, file: images/other.yaml}\n',
      want: ['CONFIG_REFERENCE spec.nodeImages names "images/other.yaml", which is not there'],
    },
    {
      name: 'a file elsewhere',
      input: '    - {provider: openstack, stack: scs2, file: ../x.yaml}\n',
      want: ['FILE_OUTSIDE spec.nodeImages names "../x.yaml", which leads out of the fleet repository'],
    },
    {
      name: 'a stack that is listed twice',
      input: '    - {provider: openstack, stack: scs2}\n    - {provider: openstack, stack: scs2, use: none}\n',
      want: ['CONFIG_CONFLICT'],
    },
  ]
  it.each(broken)('refuses $name', async ({ input, want }) => {
    const problems = await diagnosticsOf(read(input))
    const told = problems.map(({ code, message }) => `${code} ${message}`)
    // a row that names the code alone leaves the words to other tests
    expect(told.map((text, index) => (want[index]?.includes(' ') === false ? text.split(' ')[0] : text))).toEqual(want)
  })
})
