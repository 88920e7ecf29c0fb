import { beforeAll, describe, expect, test } from 'vitest'
import { isMap, type Document } from 'yaml'
import { tempFolderForFile } from '../../support/temp-folder.ts'
import { commitNames, writeLife, type Commit } from './fleet-life.ts'
import { exploreFlux, type FluxRun } from './flux-model.ts'
import { plant, type EditFile } from './plant.ts'
import { hasKustomize, realKustomize } from './programs.ts'

/**
 * Every order in which Flux may take in a commit, for each commit in the life of a cluster: nothing is applied that is
 * neither as before nor as after, no version moves before its addons, nothing that is to stay is deleted, and every
 * order ends where the commit wants it.
 */
describe.runIf(hasKustomize())('all orders of Flux', () => {
  const folder = tempFolderForFile()
  let commits: readonly Commit[] = []
  let build: FluxRun['build']

  beforeAll(async () => {
    commits = await writeLife(folder, 'flux')
    build = realKustomize()
  }, 300_000)

  function commitNamed(name: string): { readonly before: Commit | undefined; readonly after: Commit } {
    const index = commits.findIndex((commit) => commit.name === name)
    const after = commits[index]
    if (after === undefined) throw new Error(`no commit ${name}`)
    return { before: commits[index - 1], after }
  }

  test.each(commitNames)('%s', (name) => {
    const { before, after } = commitNamed(name)
    const { states, faults, stuck } = exploreFlux(before, after, { build, isStrict: true })
    expect({ faults: [...faults], stuck }).toEqual({ faults: [], stuck: undefined })
    expect(states).toBeGreaterThan(30)
  })

  test('where variables that nobody sets are empty', () => {
    const found = commitNames.flatMap((name) => {
      const { before, after } = commitNamed(name)
      return [...exploreFlux(before, after, { build, isStrict: false }).faults]
    })
    expect(found).toEqual([])
  })

  test('where each namespace has a source of its own', () => {
    const found = commitNames.flatMap((name) => {
      const { before, after } = commitNamed(name)
      return [...exploreFlux(before, after, { build, isStrict: true, hasManySources: true }).faults]
    })
    expect(found).toEqual([])
  })

  test.each(['a value changes', 'a new minor version of Kubernetes, 2 of 2'])(
    'addons that the API server refuses hold up nothing else: %s',
    (name) => {
      const { before, after } = commitNamed(name)
      const { stuck } = exploreFlux(before, after, { build, isStrict: true, refused: 'team-a/edge-addons' })
      expect(stuck).toBeUndefined()
    },
  )

  /**
   * The trees of earlier releases: nothing ties a folder to its Kustomization, and units without placeholders have no
   * variables.
   */
  function withoutPairs(commit: Commit, hasPlaceholders: boolean): Commit {
    return plant(commit, (document, path) => {
      if (path.endsWith('/kustomization.yaml')) {
        document.delete('configMapGenerator')
        document.delete('replacements')
      } else if (document.get('kind') === 'Kustomization') {
        document.deleteIn(['spec', 'patches'])
        if (document.getIn(['spec', 'postBuild', 'substituteFrom']) === undefined)
          document.deleteIn(['spec', 'postBuild'])
      } else {
        const annotations = document.getIn(['metadata', 'annotations'])
        if (!isMap(annotations)) return
        const proofs = annotations.items.filter(({ value }) => String(value).includes('${MISSING'))
        for (const { key } of proofs) annotations.delete(key)
        if (!hasPlaceholders) annotations.delete('kustomize.toolkit.fluxcd.io/substitute')
      }
    })
  }

  test.each([
    {
      name: 'the first placeholder: the endpoint is no longer fixed',
      placeholders: true,
      fault: /metrics-agent is applied with \$\{QUOTE\}/,
    },
    {
      name: 'the last placeholder goes',
      placeholders: false,
      fault: /dns-cache is applied as of neither tree: data\.run\.sh is "echo 198\.51\.100\.7 \/root/,
    },
    {
      name: 'an upgrade to a release with a first placeholder, 1 of 2',
      placeholders: true,
      fault: /metrics-agent is applied with \$\{QUOTE\}/,
    },
  ])('without pairs a fault is found: $name', ({ name, placeholders, fault }) => {
    const { before, after } = commitNamed(name)
    if (before === undefined) throw new Error('no commit before')
    const { faults } = exploreFlux(withoutPairs(before, !placeholders), withoutPairs(after, placeholders), {
      build,
      isStrict: true,
    })
    expect([...faults.keys()]).toContainEqual(expect.stringMatching(fault))
  })

  describe('one commit for both steps of an upgrade', () => {
    const isReady =
      "dep.status.observedGeneration == dep.metadata.generation && dep.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')"
    const orNew = (expression: string): string =>
      `!has(dep.status.lastAppliedRevision) || (${expression} && ${isReady})`

    /** Lets the unit of the Cluster depend on that of its addons. */
    function dependOn(document: Document, readyExpr?: string): void {
      const dependency = { name: 'edge-addons', ...(readyExpr !== undefined && { readyExpr }) }
      document.addIn(['spec', 'dependsOn'], document.createNode(dependency))
    }

    function dependent(readyExpr?: string): EditFile {
      return (document) => {
        const isCluster = document.get('kind') === 'Kustomization' && document.getIn(['metadata', 'name']) === 'edge'
        if (isCluster) dependOn(document, readyExpr)
      }
    }

    function upgrade(
      edit: EditFile,
      rename?: (release: string) => Readonly<Record<string, string>>,
    ): { readonly before: Commit; readonly after: Commit } {
      const { before } = commitNamed('a new minor version of Kubernetes, 1 of 2')
      const { after } = commitNamed('a new minor version of Kubernetes, 2 of 2')
      if (before === undefined) throw new Error('no commit before')
      return { before: plant(before, edit, rename?.('1-34')), after: plant(after, edit, rename?.('1-35')) }
    }

    const moves = /^management Cluster team-a\/edge moves to another version before workload /

    test('without an order the version moves before the addons', () => {
      const { before, after } = upgrade(() => undefined)
      const { faults } = exploreFlux(before, after, { build, isStrict: true })
      expect([...faults.keys()]).toContainEqual(expect.stringMatching(moves))
    })

    test('the label of the release is no order either', () => {
      const label = "metadata.labels['stackmason.dev/release']"
      const { before, after } = upgrade(dependent(orNew(`dep.${label} == self.${label}`)))
      const { faults } = exploreFlux(before, after, { build, isStrict: true })
      expect([...faults.keys()]).toContainEqual(expect.stringMatching(moves))
    })

    test("Flux's own order lets no cluster start", () => {
      const { before, after } = upgrade(dependent())
      expect([...exploreFlux(before, after, { build, isStrict: true }).faults]).toEqual([])
      expect(exploreFlux(undefined, before, { build, isStrict: true }).stuck).toBeDefined()
    })

    test('paths that are named by the release hold, but broken addons stop every change of the Cluster', () => {
      const base = 'clusters/team-a/edge'
      const edit: EditFile = (document) => {
        const name: unknown = document.getIn(['metadata', 'name'])
        if (document.get('kind') !== 'Kustomization' || (name !== 'edge' && name !== 'edge-addons')) return
        const label = String(document.getIn(['metadata', 'labels', 'stackmason.dev/release']))
        const release = label.includes('1-34') ? '1-34' : '1-35'
        const folder = name === 'edge' ? 'cluster' : 'addons'
        document.setIn(['spec', 'path'], `./rendered/${base}/${folder}-${release}`)
        if (name === 'edge') dependOn(document, orNew(`dep.spec.path == './rendered/${base}/addons-${release}'`))
      }
      const rename = (release: string): Readonly<Record<string, string>> =>
        Object.fromEntries(['cluster', 'addons'].map((name) => [`${base}/${name}`, `${base}/${name}-${release}`]))
      const { before, after } = upgrade(edit, rename)
      expect([...exploreFlux(before, after, { build, isStrict: true }).faults]).toEqual([])
      expect(exploreFlux(before, after, { build, isStrict: true, refused: 'team-a/edge-addons' }).stuck).toBeDefined()
    })
  })
})
