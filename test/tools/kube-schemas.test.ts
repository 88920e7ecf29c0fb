import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  joinMinors,
  kubernetesModules,
  kubernetesSchemasFile,
  type MinorLines,
  readModule,
} from '../../tools/kube-schemas.ts'

const text = readFileSync(join(import.meta.dirname, '../..', kubernetesSchemasFile), 'utf8')
const minors = kubernetesModules.map(({ minor }) => minor)

/** The lines of the file that hold for a minor. */
function linesOf(minor: string): MinorLines {
  const position = minors.indexOf(minor)
  const lines = text.split('\n').flatMap((line): readonly (readonly [string, string])[] => {
    const [, key = '', first = '', last = '', content = ''] =
      /^((?:kind|schema)\t.*)\t([\d.]+)-([\d.]*)\t(.*)$/.exec(line) ?? []
    const until = last === '' ? minors.length - 1 : minors.indexOf(last)
    return key !== '' && minors.indexOf(first) <= position && position <= until ? [[key, content]] : []
  })
  return new Map(lines)
}

function goModules(): string | undefined {
  try {
    return execFileSync('go', ['env', 'GOMODCACHE'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}

test('the file holds the pinned minors, each line once, and is small', () => {
  const written = kubernetesModules.map((module) => ({ module, lines: linesOf(module.minor) }))
  expect(joinMinors(written), 'run `npx tsx tools/kube-schemas.ts`').toBe(text)
  expect(text.length).toBeLessThan(600_000)
  expect(kubernetesModules.map(({ minor, version }) => version.startsWith(`v${minor}.`))).not.toContain(false)
})

test.each(kubernetesModules)('the file says of $minor what its module says', ({ minor, version }) => {
  const folder = join(goModules() ?? '', `k8s.io/kubernetes@${version}`)
  if (!existsSync(folder)) {
    process.stderr.write(`not compared: Go's cache has no k8s.io/kubernetes@${version}\n`)
    return
  }
  expect(readModule(folder)).toEqual(linesOf(minor))
})

test('kinds come and go, and what is not served by default is marked', () => {
  const kindsWith = (word: string): readonly string[] =>
    text.split('\n').filter((line) => line.startsWith('kind\t') && line.includes(word))
  expect(kindsWith('FlowSchema\t')).toEqual([
    'kind\tflowcontrol.apiserver.k8s.io/v1\tFlowSchema\t1.29-\t{"schema":"api.flowcontrol.v1.FlowSchema"}',
    'kind\tflowcontrol.apiserver.k8s.io/v1beta2\tFlowSchema\t1.27-1.28\t{"schema":"api.flowcontrol.v1beta2.FlowSchema"}',
    'kind\tflowcontrol.apiserver.k8s.io/v1beta3\tFlowSchema\t1.27-1.31\t{"schema":"api.flowcontrol.v1beta3.FlowSchema"}',
  ])
  expect(kindsWith('\tServiceCIDR\t').map((line) => line.split('\t')[3])).toEqual(['1.33-', '1.29-1.30', '1.31-1.36'])
  expect(kindsWith('\tServiceCIDR\t').map((line) => line.includes('optIn'))).toEqual([false, true, true])
  expect(linesOf('1.34').get('schema\tapi.core.v1.ServicePort')).toBe(
    '{"type":"object","required":["port"],"properties":{"appProtocol":{"type":"string"},"name":{"type":"string"},' +
      '"nodePort":{"type":"integer","format":"int32"},"port":{"type":"integer","format":"int32"},' +
      '"protocol":{"type":"string","default":"TCP","enum":["SCTP","TCP","UDP"]},"targetPort":{"$ref":"apimachinery.pkg.util.intstr.IntOrString"}}}',
  )
})
