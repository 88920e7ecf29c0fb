import { execFileSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { formatGoJson } from '../../../src/codec/go-json.ts'
import { renderArgo } from '../../../src/handoff/argocd/render-argo.ts'
import { fieldAt, itemsAt, textAt } from '../../../src/model/field.ts'
import type { RenderedFolder } from '../../../src/model/manifest.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { serializeFolder } from '../../../src/write/serialize-folder.ts'
import { kubeBinaries } from '../../../tools/kube.ts'
import { hasKube } from '../../support/kube.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { evaluate } from './go-template.ts'
import { addonsUnit, sampleConfig, sampleContext, sampleUnits } from './sample-units.ts'

const { folders, handoff } = renderArgo(sampleUnits, sampleConfig, sampleContext)

async function writeFolders(root: string, written: readonly RenderedFolder[]): Promise<void> {
  for (const folder of written) {
    const { files } = serializeFolder(folder, createNodePorts().crypto)
    await mkdir(join(root, folder.path), { recursive: true })
    for (const [name, { bytes }] of files) await writeFile(join(root, folder.path, name), bytes)
  }
}

function kustomize(folder: string): readonly unknown[] {
  const text = execFileSync(kubeBinaries()?.kubectl ?? '', ['kustomize', folder], { encoding: 'utf8' })
  return parseAllDocuments(text).map((document) => document.toJS() as unknown)
}

/** Objects as plain values, in an order of their own. */
function sorted(objects: readonly unknown[]): readonly string[] {
  return objects.map((object) => stringify(object, { sortMapEntries: true })).toSorted()
}

function objectsOf(of: readonly RenderedFolder[]): readonly unknown[] {
  return of.flatMap(({ manifests }) => manifests.map(({ object }): unknown => JSON.parse(formatGoJson(object))))
}

describe.runIf(hasKube())('kustomize', () => {
  it('builds from each folder of Applications what is in it', async () => {
    const root = await tempFolder()
    await writeFolders(root, handoff)
    for (const folder of handoff)
      expect(sorted(kustomize(join(root, folder.path)))).toEqual(sorted(objectsOf([folder])))
  })

  it("fills an ApplicationSet's holes and changes nothing else", async () => {
    const root = await tempFolder()
    const ofUnit = folders.filter(({ path }) => path === addonsUnit.path || path.includes('/web/addons/01-'))
    await writeFolders(root, ofUnit)
    const host = 'a": b\n{{ .c }} ${HOST} é🎉'
    const values = new Map([
      ['CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST', host],
      ['CLUSTER_SPEC_CONTROLPLANEENDPOINT_PORT', '6443'],
    ])
    const set = handoff.flatMap(({ manifests }) => manifests).find(({ kind }) => kind === 'ApplicationSet')?.object
    const patches = itemsAt(set ?? null, 'spec', 'template', 'spec', 'source', 'kustomize', 'patches').map((patch) => ({
      target: JSON.parse(formatGoJson(fieldAt(patch, 'target') ?? null)) as unknown,
      patch: evaluate(
        textAt(patch, 'patch'),
        Object.fromEntries([...values].map(([name, value]) => [`values.stackmason.dev/${name}`, value])),
      ),
    }))
    expect(patches).toHaveLength(2)
    const file = join(root, addonsUnit.path, 'kustomization.yaml')
    const kustomization: unknown = parse(await readFile(file, 'utf8'))
    await writeFile(file, stringify({ ...Object(kustomization), patches }))
    const filled = objectsOf(ofUnit).map((object) => {
      const text = JSON.stringify(object)
        .replace('"value":"placeholder"', () => `"value":${JSON.stringify(host)}`)
        .replace('"containerPort":1', '"containerPort":6443')
        .replace('"a/b~c":"placeholder"', '"a/b~c":"6443"')
        .replace(
          '"config{{.yaml":"placeholder"',
          () =>
            `"config{{.yaml":${JSON.stringify(`server: "https://${host}:6443"\ntemplate: {{ .x }} \${not a hole}\n`)}`,
        )
      return JSON.parse(text) as unknown
    })
    expect(JSON.stringify(filled)).not.toContain('placeholder')
    expect(sorted(kustomize(join(root, addonsUnit.path)))).toEqual(sorted(filled))
  })
})
