import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createReachFinder } from '../../../src/sources/committed/find-unreached.ts'

/** Clusters, of which some have names that begin with those of others. */
const names = ['prod-a', 'prod-a-b', 'prod-b', 'stage-eu', 'x-1'] as const

const list = (...resources: readonly string[]): string =>
  `apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n${resources.map((one) => `- ${one}\n`).join('')}`

const unit = (name: string, path: string, namespace = 'team'): string => `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: ${namespace}}
spec: {interval: 1h, prune: true, path: ./out/${path}, sourceRef: {kind: GitRepository, name: fleet}}
`

/** The objects of a GitOps tool for clusters, by path. */
function handoff(): Map<string, string> {
  const files = new Map([
    ['handoff/kustomization.yaml', list('team')],
    ['handoff/team/kustomization.yaml', list(...names)],
  ])
  for (const name of names) {
    const folder = `handoff/team/${name}`
    files.set(`${folder}/${name}-addons.yaml`, unit(`${name}-addons`, `clusters/team/${name}/addons`))
    files.set(`${folder}/${name}.yaml`, unit(name, `clusters/team/${name}/cluster`))
    files.set(`${folder}/kustomization.yaml`, list(`${name}-addons.yaml`, `${name}.yaml`))
  }
  return files
}

type Edit = (files: Map<string, string>, name: string, other: string) => void

const change = (files: Map<string, string>, path: string, from: string, to: string): void => {
  const text = files.get(path)
  if (text !== undefined) files.set(path, text.replace(from, to))
}

const edits: Readonly<Record<string, Edit>> = {
  'a unit is gone': (files, name) => files.delete(`handoff/team/${name}/${name}.yaml`),
  'a list is gone': (files, name) => files.delete(`handoff/team/${name}/kustomization.yaml`),
  'a list names less': (files, name) => {
    change(files, `handoff/team/${name}/kustomization.yaml`, `- ${name}.yaml\n`, '')
  },
  'the list above names less': (files, name) => {
    change(files, 'handoff/team/kustomization.yaml', `- ${name}\n`, '')
  },
  'a list changes what it lists': (files, name) => {
    change(files, `handoff/team/${name}/kustomization.yaml`, 'resources', 'namePrefix: a\nresources')
  },
  'a unit is no object': (files, name) => files.set(`handoff/team/${name}/${name}.yaml`, '<<<<<<< HEAD\n'),
  'a unit lacks a field': (files, name) => {
    change(files, `handoff/team/${name}/${name}.yaml`, 'prune: true, ', '')
  },
  'a unit is of another kind': (files, name) => {
    change(files, `handoff/team/${name}/${name}.yaml`, 'Kustomization', `${name}-kind`)
  },
  'a unit has the name of one of another cluster': (files, name, other) => {
    change(files, `handoff/team/${name}/${name}.yaml`, `name: ${name},`, `name: ${other},`)
  },
  'a unit is in another namespace': (files, name) => {
    change(files, `handoff/team/${name}/${name}.yaml`, 'namespace: team', `namespace: ${name}`)
  },
  'a list includes a folder': (files, name, other) => {
    const folder = `handoff/team/${name}`
    change(files, `${folder}/kustomization.yaml`, 'resources:\n', `resources:\n- ${other}\n`)
    files.set(`${folder}/${other}/kustomization.yaml`, list(`${other}.yaml`))
    files.set(`${folder}/${other}/${other}.yaml`, unit(`${other}-below`, `clusters/team/${other}`))
  },
  'a unit applies a folder below': (files, name, other) => {
    const folder = `handoff/team/${name}`
    files.set(`${folder}/${other}/kustomization.yaml`, list())
    change(files, `${folder}/${name}.yaml`, `clusters/team/${name}/cluster`, `${folder}/${other}`)
  },
  'a file that no list names': (files, name) => files.set(`handoff/team/${name}/more.yaml`, 'a: b\n'),
  'lists include a folder that one of them has': (files, name, other) => {
    for (const one of [name, other])
      change(files, `handoff/team/${one}/kustomization.yaml`, 'resources:\n', 'resources:\n- sub-folder\n')
    files.set(`handoff/team/${name}/sub-folder/kustomization.yaml`, list())
  },
  'a text that looks like two': (files, name, other) => {
    files.set(`handoff/team/${other}/more.yaml`, 'a: b\n')
    const path = `handoff/team/${name}/kustomization.yaml`
    files.set(path, `${files.get(path) ?? ''}\u{e001}handoff/team/${name}/more.yaml\u{e001}a: b\n`)
  },
  'signs that stand for names': (files, name) => {
    change(files, `handoff/team/${name}/${name}.yaml`, 'spec:', 'x: "\u{e000} \u{e001}"\nspec:')
  },
}

/** What is found of each cluster. */
function found(files: ReadonlyMap<string, string>, clusters: readonly string[]): unknown {
  const find = createReachFinder(files, (path) => `shown ${path}`)
  return clusters.map((name) => [
    find.folder(`handoff/team/${name}`),
    find.target(`clusters/team/${name}/cluster`, `handoff/team/${name}`),
  ])
}

/** The same texts with names that are read one by one: they are no words of which it is known what they are in YAML. */
function plain(text: string): string {
  return names
    .toSorted((one, other) => other.length - one.length)
    .reduce((now, name, index) => now.replaceAll(name, `c${String(index)}z`), text)
}

function readOneByOne(files: ReadonlyMap<string, string>): unknown {
  return found(new Map([...files].map(([path, text]) => [plain(path), plain(text)])), names.map(plain))
}

describe('folders that are alike but for the name of their cluster', () => {
  test('have nothing to say where nothing is broken', () => {
    expect(found(handoff(), names)).toEqual(names.map(() => [[], []]))
  })

  test.each(Object.entries(edits))('are told as if each were read: %s', (_, edit) => {
    for (const name of names) {
      const files = handoff()
      edit(files, name, name === 'prod-a' ? 'prod-b' : 'prod-a')
      expect(JSON.parse(plain(JSON.stringify(found(files, names))))).toEqual(readOneByOne(files))
    }
  })

  test('are told as if each were read, whatever is edited', () => {
    const step = fc.record({
      edit: fc.constantFrom(...Object.keys(edits)),
      name: fc.constantFrom(...names),
      other: fc.constantFrom(...names),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 6 }), (steps) => {
        const files = handoff()
        for (const { edit, name, other } of steps) edits[edit]?.(files, name, other)
        expect(JSON.parse(plain(JSON.stringify(found(files, names))))).toEqual(readOneByOne(files))
      }),
      { numRuns: 200, seed: 11 },
    )
  })

  test('are read one by one where a name may be no text', () => {
    const files = new Map([
      ['handoff/kustomization.yaml', list('team')],
      ['handoff/team/kustomization.yaml', list('web', '"1e3"')],
    ])
    for (const name of ['web', '1e3']) {
      files.set(`handoff/team/${name}/kustomization.yaml`, list(`${name}.yaml`))
      files.set(`handoff/team/${name}/${name}.yaml`, unit(name, `clusters/team/${name}/cluster`))
    }
    const find = createReachFinder(files, (path) => path)
    const [reasons] = ['web', '1e3'].map((name) =>
      find.folder(`handoff/team/${name}`).map(({ path, reason }) => `${path}: ${reason}`),
    )
    expect(reasons).toEqual([
      'handoff/team/1e3/1e3.yaml: this file holds an object that stackmason does not write here',
    ])
  })

  test('is a word of its own, and is found again in all that names it', () => {
    const files = handoff()
    // of which only one is right
    for (const name of names)
      change(
        files,
        `handoff/team/${name}/${name}.yaml`,
        `clusters/team/${name}/cluster`,
        'clusters/team/prod-b/cluster',
      )
    const find = createReachFinder(files, (path) => path)
    const reached = names.filter(
      (name) => find.target(`clusters/team/${name}/cluster`, `handoff/team/${name}`).length === 0,
    )
    expect(reached).toEqual(['prod-b'])
  })
})
