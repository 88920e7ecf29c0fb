import { ipv4BlocksOverlap, isCidr } from '../../codec/text/cidr.ts'
import { isGoDuration } from '../../codec/text/go-duration.ts'
import { fieldAt, itemsAt, textAt, type PathStep } from '../../model/field.ts'
import { dnsSubdomain } from '../../model/kubernetes-names.ts'
import { refuseRuntimeValue } from '../../model/runtime-value.ts'
import { GoInt, type Value } from '../../model/value.ts'
import { type ClusterFields, type Judgement, machineGroups } from './cluster-fields.ts'
import { judgeMachineGroups } from './judge-machine-groups.ts'
import { noteDuplicates } from './note-duplicates.ts'
import { formatPath, quote } from './schema-diagnostic.ts'

/** Judges values that the schema of Clusters lets pass, and the webhook of Cluster API or a chart does not. */
export function judgeClusterFields(document: ClusterFields): Judgement {
  const judgement: Judgement = { problems: [], findings: [] }
  checkNames(document, judgement)
  checkReplicas(document, judgement)
  checkNetworks(document, judgement)
  checkTimeouts(document, judgement)
  checkEndpoint(document, judgement)
  judgeMachineGroups(document, judgement)
  return judgement
}

/** Cluster API would delete machines to get to less than none. */
function checkReplicas(document: ClusterFields, reading: Judgement): void {
  for (const group of machineGroups(document.value)) {
    const path = [...group, 'replicas']
    const replicas = fieldAt(document.value, ...path)
    // what no integer of 64 bits holds is read as a float
    const count = replicas instanceof GoInt ? replicas.value : replicas
    if ((typeof count !== 'bigint' && typeof count !== 'number') || (count >= 0 && count <= MOST_REPLICAS)) continue
    reading.problems.push({
      code: 'CONFIG_INVALID_VALUE',
      severity: 'error',
      message: `${formatPath(path)} is ${String(count)}, which is no number of machines`,
      at: document.spanOf(path),
      hint: 'Write how many machines the group has: 0 or more.',
    })
  }
}

/** The webhook of Cluster API refuses what is none. */
function checkNetworks(document: ClusterFields, reading: Judgement): void {
  const { show = quote } = document
  for (const field of ['pods', 'services']) {
    const list = ['spec', 'clusterNetwork', field, 'cidrBlocks']
    for (const [index, block] of itemsAt(document.value, ...list).entries()) {
      if (typeof block !== 'string' || isCidr(block)) continue
      const path = [...list, index]
      reading.problems.push({
        code: 'CONFIG_INVALID_VALUE',
        severity: 'error',
        message: `${formatPath(path)} ${show(block)} is no block of addresses`,
        at: document.spanOf(path),
        hint: 'Write an address, a slash and the length of the prefix, such as 10.244.0.0/16.',
      })
    }
  }
  checkOverlaps(document, reading)
}

/**
 * Warns of overlapping networks: traffic to a Service may reach a pod, or nothing, and no webhook says so. No error:
 * node IPAM of Kubernetes leaves out the block of Services, and that of a running Cluster cannot be changed.
 */
function checkOverlaps(document: ClusterFields, reading: Judgement): void {
  const blocksOf = (field: string): readonly Value[] =>
    itemsAt(document.value, 'spec', 'clusterNetwork', field, 'cidrBlocks')
  for (const [index, services] of blocksOf('services').entries()) {
    const pods = blocksOf('pods').find(
      (block) => typeof block === 'string' && typeof services === 'string' && ipv4BlocksOverlap(block, services),
    )
    if (typeof pods !== 'string' || typeof services !== 'string') continue
    const path = ['spec', 'clusterNetwork', 'services', 'cidrBlocks', index]
    reading.findings.push({
      code: 'CONFIG_CONFLICT',
      severity: 'warning',
      message: `${formatPath(path)} ${quote(services)} has addresses of the pods' block ${quote(pods)}: network addons may give a pod the address of a Service`,
      at: document.spanOf(path),
      hint: 'Give Services a block of their own before the cluster is made.',
    })
  }
}

/** Charts make addresses of the host, and write scheme and port beside it. One word may be a name, too. */
function checkEndpoint(document: ClusterFields, reading: Judgement): void {
  const { show = quote } = document
  const path = ['spec', 'controlPlaneEndpoint', 'host']
  const host = textAt(document.value, ...path)
  if (!/[:/]/.test(host) || refuseRuntimeValue('host', host) === undefined) return
  reading.problems.push({
    code: 'CONFIG_INVALID_VALUE',
    severity: 'error',
    message: `${path.join('.')} must be an address or a name, not ${show(host)}`,
    at: document.spanOf(path),
    hint: 'Leave scheme and path out, and write the port under spec.controlPlaneEndpoint.port.',
  })
}

/** Times of Cluster API's v1beta1 are texts for its schema, and its webhook reads them. */
function checkTimeouts(document: ClusterFields, reading: Judgement): void {
  const { show = quote } = document
  for (const group of machineGroups(document.value)) {
    const conditions = [...group, 'machineHealthCheck', 'unhealthyConditions']
    const paths: readonly (readonly PathStep[])[] = [
      ...['nodeDrainTimeout', 'nodeVolumeDetachTimeout', 'nodeDeletionTimeout'].map((field) => [...group, field]),
      [...group, 'machineHealthCheck', 'nodeStartupTimeout'],
      ...itemsAt(document.value, ...conditions).map((_, index) => [...conditions, index, 'timeout']),
    ]
    for (const path of paths) {
      const time = fieldAt(document.value, ...path)
      if (typeof time !== 'string' || isGoDuration(time)) continue
      reading.problems.push({
        code: 'CONFIG_INVALID_VALUE',
        severity: 'error',
        message: `${formatPath(path)} ${show(time)} is no time`,
        at: document.spanOf(path),
        hint: /^[0-9]+$/.test(time)
          ? `Write its unit, such as "${document.show === undefined ? time : '30'}s".`
          : 'Write numbers with units, such as 1h30m.',
      })
    }
  }
}

/** The largest number that fits the field. */
const MOST_REPLICAS = 2n ** 31n - 1n

const namedLists: readonly (readonly [path: readonly string[], what: string])[] = [
  [['spec', 'topology', 'variables'], 'variable'],
  [['spec', 'topology', 'workers', 'machineDeployments'], 'machine deployment'],
  [['spec', 'topology', 'workers', 'machinePools'], 'machine pool'],
]

/** Names that the API server, too, would refuse to see twice. */
function checkNames(document: ClusterFields, reading: Judgement): void {
  const { show = quote } = document
  for (const [path, what] of namedLists) {
    const items = itemsAt(document.value, ...path).map((item, index) => {
      const place: readonly PathStep[] = [...path, index, 'name']
      return { name: textAt(item, 'name'), at: document.spanOf(place) }
    })
    noteDuplicates(items, ({ name }) => name, { reading, describe: ({ name }) => `the ${what} ${show(name)}` })
    if (what === 'variable') continue
    // they become parts of names of objects, and values of labels
    for (const { name, at } of items.filter((item) => item.name !== '' && !dnsSubdomain.allows(item.name)))
      reading.problems.push({
        code: 'CONFIG_INVALID_VALUE',
        severity: 'error',
        message: `the ${what} ${show(name)} cannot have that name: allowed are ${dnsSubdomain.says}`,
        at,
      })
  }
}
