import { describe, expect, test } from 'vitest'
import { positionAt } from '../../../src/model/source.ts'
import type { Ports } from '../../../src/model/ports.ts'
import { readFleet } from '../../../src/sources/fleet/read-fleet.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { soundFleet, writeFleet } from './fleet-fixture.ts'

/** The ports of a program of that version. */
function portsOf(version: string): Ports {
  const ports = createNodePorts()
  const read: Ports['packageFiles']['read'] = (path) =>
    path === 'package.json' ? Promise.resolve(Buffer.from(JSON.stringify({ version }))) : ports.packageFiles.read(path)
  return { ...ports, packageFiles: { ...ports.packageFiles, read } }
}

async function fleetThatRequires(value: string): Promise<string> {
  const text = `${soundFleet['stackmason.yaml'] ?? ''}  requiredVersion: ${value}\n`
  return writeFleet(await tempFolder(), { 'stackmason.yaml': text })
}

describe('spec.requiredVersion', () => {
  test.each([
    ['~0.1.0', '0.1.9', true],
    ['~0.1.0', '0.2.0', false],
    ['~0.2.0', '0.1.9', false],
    ['"0.1.0"', '0.1.0', true],
    ['"0.1.0"', '0.1.1', false],
    ['">=0.1.0 <0.3.0"', '0.2.7', true],
    ['">=0.1.0 <0.3.0"', '0.3.0', false],
    ['"1.x || ^2.1.0"', '2.3.0', true],
    ['"*"', '0.1.0', true],
    ['">=0.1.0"', '0.2.0-rc.1', false],
    ['">=0.2.0-0"', '0.2.0-rc.1', true],
  ])('%s allows %s: %s', async (range, version, isAllowed) => {
    const file = await fleetThatRequires(range)
    const codes = isAllowed
      ? (await readFleet(file, portsOf(version))).findings.map(({ code }) => code)
      : (await diagnosticsOf(readFleet(file, portsOf(version)))).map(({ code }) => code)
    expect(codes).toEqual(isAllowed ? [] : ['VERSION_REFUSED'])
  })

  test('names both versions and the way to the right one, before any other problem of the fleet', async () => {
    const file = await writeFleet(await tempFolder(), {
      'stackmason.yaml': `${soundFleet['stackmason.yaml'] ?? ''}  requiredVersion: ~0.9.0\n  fieldOfTheFuture: true\n`,
      'stacks/scs.yaml': 'kind: [',
    })
    const found = await diagnosticsOf(readFleet(file, portsOf('0.1.0')))
    expect(found).toMatchObject([
      {
        code: 'VERSION_REFUSED',
        message: 'this is stackmason 0.1.0, and the fleet requires ~0.9.0',
        hint: "Run a version that it allows, e.g. npx stackmason@'~0.9.0'. To move the fleet to 0.1.0, change spec.requiredVersion, render, and commit both.",
      },
    ])
    const at = found[0]?.at
    expect(at && positionAt(at.source, at.start)).toMatchObject({ line: 10, column: 20 })
  })

  test('that is not a range is told as such', async () => {
    const found = await diagnosticsOf(readFleet(await fleetThatRequires('"next week"'), portsOf('0.1.0')))
    expect(found.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'CONFIG_INVALID_VALUE spec.requiredVersion is not a range of versions: "next week"',
    ])
  })

  test('a version without quotes that YAML reads as a number is a problem of its type', async () => {
    const found = await diagnosticsOf(readFleet(await fleetThatRequires('0.1'), portsOf('0.1.0')))
    expect(found.map(({ code }) => code)).toEqual(['CONFIG_WRONG_TYPE'])
  })
})
