import { isInside, resolvePath } from '../../codec/path.ts'
import { itemsAt, textAt } from '../../model/field.ts'
import type { ImageVariableNames, NodeImageConfig } from '../../model/fleet.ts'
import type { Source, Span } from '../../model/source.ts'
import type { Value } from '../../model/value.ts'
import type { ConfigDocument } from './config-document.ts'
import { readSource, typeOf } from './fleet-files.ts'
import { noteDuplicates } from './note-duplicates.ts'
import type { Reading } from './reading.ts'

/** `spec.nodeImages` of stackmason.yaml, with the files that it names. */
export async function readNodeImages(document: ConfigDocument, reading: Reading): Promise<readonly NodeImageConfig[]> {
  const configs: NodeImageConfig[] = []
  for (const [index, item] of itemsAt(document.value, 'spec', 'nodeImages').entries()) {
    const path = ['spec', 'nodeImages', index]
    const file = await readFile(textAt(item, 'file'), { at: document.spanOf([...path, 'file']), reading })
    configs.push(readConfig(item, { at: document.spanOf([...path, 'stack']), file }))
  }
  noteDuplicates(configs, ({ provider, stack }) => `${provider}-${stack}`, {
    reading,
    describe: ({ provider, stack }) => `the node images of stack "${stack}" of provider "${provider}"`,
  })
  return configs
}

function readConfig(
  item: Value,
  { at, file }: { readonly at: Span; readonly file: Source | undefined },
): NodeImageConfig {
  const use = textAt(item, 'use')
  const uploadFrom = itemsAt(item, 'uploadFrom').filter((name) => typeof name === 'string')
  const findBy = textAt(item, 'findBy')
  const variables = readVariables(item)
  return {
    provider: textAt(item, 'provider'),
    stack: textAt(item, 'stack'),
    use: use === 'existing' || use === 'none' ? use : 'release',
    ...(file !== undefined && { file }),
    credentials: {
      secretName: textAt(item, 'credentials', 'secretName') || 'openstack',
      cloudName: textAt(item, 'credentials', 'cloudName') || 'openstack',
    },
    ...(uploadFrom.length > 0 && { uploadFrom }),
    ...(variables !== undefined && { variables }),
    ...((findBy === 'object' || findBy === 'name') && { findBy }),
    gate: textAt(item, 'gate') === 'controller' ? 'controller' : 'images',
    at,
  }
}

function readVariables(item: Value): ImageVariableNames | undefined {
  const names = (['name', 'addVersion', 'isObject'] as const).flatMap((key) => {
    const name = textAt(item, 'variables', key)
    return name === '' ? [] : [[key, name] as const]
  })
  return names.length === 0 ? undefined : Object.fromEntries(names)
}

async function readFile(
  written: string,
  { at, reading }: { readonly at: Span; readonly reading: Reading },
): Promise<Source | undefined> {
  if (written === '') return undefined
  const path = resolvePath(reading.root, written)
  if (isInside(reading.root, path)) {
    if ((await reading.files.stat(path)) !== undefined) {
      return (await typeOf(path, reading)) === undefined ? undefined : readSource(path, reading)
    }
    const message = `spec.nodeImages names ${JSON.stringify(written)}, which is not there`
    const hint = 'Paths are relative to stackmason.yaml.'
    reading.problems.push({ code: 'CONFIG_REFERENCE', severity: 'error', message, at, hint })
    return undefined
  }
  const message = `spec.nodeImages names ${JSON.stringify(written)}, which leads out of the fleet repository`
  const hint = 'Copy what it names into the repository, so that it is reviewed with everything else.'
  reading.problems.push({ code: 'FILE_OUTSIDE', severity: 'error', message, at, hint })
  return undefined
}
