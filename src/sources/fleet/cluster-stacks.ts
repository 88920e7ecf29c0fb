import { itemsAt, textAt, fieldAt } from '../../model/field.ts'
import type { ClusterStack } from '../../model/fleet.ts'
import { matchVersion } from '../../model/release-name.ts'
import { checkKind } from './check-kind.ts'
import { checkSchema } from './check-schema.ts'
import { type ConfigDocument, isMapDocument, parseObjectDocuments } from './config-document.ts'
import { documentKinds } from './document-kind.ts'
import { type FolderEntry, readSource } from './fleet-files.ts'
import { noteDuplicates } from './note-duplicates.ts'
import type { Reading } from './reading.ts'
import { quote } from './schema-diagnostic.ts'

/** The ClusterStacks of the given files (each may hold several); problems are noted. */
export async function readClusterStacks(
  files: readonly FolderEntry[],
  reading: Reading,
): Promise<readonly ClusterStack[]> {
  const found: ClusterStack[] = []
  for (const file of files) {
    const source = await readSource(file.path, reading)
    if (source === undefined) continue
    for (const document of parseObjectDocuments(source, documentKinds.clusterStack, reading)) {
      const clusterStack = readClusterStack(document, reading)
      if (clusterStack !== undefined) found.push(clusterStack)
    }
  }
  noteDuplicates(found, ({ namespace, name }) => `${namespace}/${name}`, {
    reading,
    describe: ({ namespace, name }) => `the ClusterStack "${name}" of namespace "${namespace}"`,
  })
  noteClaims(found, reading)
  return found
}

function readClusterStack(document: ConfigDocument, reading: Reading): ClusterStack | undefined {
  if (!isMapDocument(document, documentKinds.clusterStack, reading)) return undefined
  if (!checkKind(document, documentKinds.clusterStack, reading)) {
    return undefined
  }
  if (!checkSchema(document, 'clusterstack', reading)) return undefined
  const { value } = document
  const channel = textAt(value, 'spec', 'channel') === 'custom' ? 'custom' : 'stable'
  const versions = itemsAt(value, 'spec', 'versions').map((item, index) => ({
    version: typeof item === 'string' ? item : '',
    at: document.spanOf(['spec', 'versions', index]),
  }))
  noteDuplicates(versions, ({ version }) => version, { reading, describe: ({ version }) => `the version "${version}"` })
  checkChannel(channel, versions, { document, reading })
  return {
    name: textAt(value, 'metadata', 'name'),
    namespace: textAt(value, 'metadata', 'namespace'),
    provider: textAt(value, 'spec', 'provider'),
    stack: textAt(value, 'spec', 'name'),
    kubernetesVersion: textAt(value, 'spec', 'kubernetesVersion'),
    channel,
    versions,
    // off the stable channel nothing has an order, so there is nothing to subscribe to
    autoSubscribe: channel === 'stable' && fieldAt(value, 'spec', 'autoSubscribe') !== false,
    at: document.spanOf(['metadata', 'name']),
    namespaceAt: document.spanOf(['metadata', 'namespace']),
  }
}

/**
 * The operator never compares `channel` with `versions` (its issue 229), so what is written may not be what is meant.
 */
function checkChannel(
  channel: 'stable' | 'custom',
  versions: ClusterStack['versions'],
  context: { readonly document: ConfigDocument; readonly reading: Reading },
): void {
  const { document, reading } = context
  if (channel === 'stable') {
    for (const { version, at } of versions) {
      const outcome = matchVersion(version, 'dot')
      if ('reason' in outcome || outcome.value.channel === 'stable') continue
      const message = `the version ${quote(version)} is not of the stable channel`
      const hint = 'Set `channel: custom` (and list every version), or use versions such as v3.'
      reading.problems.push({ code: 'CONFIG_CONFLICT', severity: 'error', message, at, hint })
    }
    return
  }
  if (versions.length === 0) {
    reading.problems.push({
      code: 'CONFIG_CONFLICT',
      severity: 'error',
      message: 'channel custom needs spec.versions: its versions have no order, so there is no newest one',
      at: document.spanOf(['spec', 'channel']),
      hint: 'List the versions, such as v0-sha.abc1234.',
    })
  } else if (fieldAt(document.value, 'spec', 'autoSubscribe') === true) {
    reading.findings.push({
      code: 'CONFIG_CONFLICT',
      severity: 'warning',
      message: 'autoSubscribe has no effect on channel custom: its versions have no order, so there is no newest one',
      at: document.spanOf(['spec', 'autoSubscribe']),
      hint: 'Set `autoSubscribe: false`.',
    })
  }
}

/** Two ClusterStacks of one namespace that offer the same releases: which of them decides would be chance. */
function noteClaims(found: readonly ClusterStack[], reading: Reading): void {
  const claims = found.flatMap((item) => {
    const minor = `${item.namespace}/${item.provider}-${item.stack}-${item.kubernetesVersion}`
    return [
      { ...item, key: `${minor} ${item.channel}`, what: `channel ${item.channel}` },
      ...item.versions.map(({ version, at }) => ({ ...item, at, key: `${minor} ${version}`, what: version })),
    ]
  })
  const first = new Map<string, ClusterStack>()
  for (const claim of claims) {
    const known = first.get(claim.key)
    if (known === undefined) {
      first.set(claim.key, claim)
      continue
    }
    // the same version twice in one document is told already
    if (known.name === claim.name && known.namespace === claim.namespace) continue
    const stack = `${claim.provider}-${claim.stack} ${claim.kubernetesVersion}`
    const message = `${claim.what} of ${stack} is already offered by ClusterStack "${known.name}" in namespace "${claim.namespace}"`
    reading.problems.push({
      code: 'CONFIG_CONFLICT',
      severity: 'error',
      message,
      at: claim.at,
      hint: 'Join the two ClusterStacks, or put them into different namespaces.',
    })
  }
}
