import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { createNodePorts } from '../../src/system/node-ports.ts'

const ports = createNodePorts()

describe('createNodePorts', () => {
  test('hashes', () => {
    const hash = Buffer.from(ports.crypto.hash('sha256', new Uint8Array())).toString('hex')
    expect(hash).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  })

  test('gzip carries no time, name or system, and gunzip undoes it', () => {
    const packed = ports.compression.gzip(new Uint8Array(1000))
    expect([...packed.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255])
    expect(ports.compression.gunzip(packed, 1000)).toEqual(new Uint8Array(1000))
    const quick = ports.compression.gzip(new Uint8Array(1000), 'quick')
    expect([...quick.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255])
    expect(ports.compression.gunzip(quick, 1000)).toEqual(new Uint8Array(1000))
  })

  test('gunzip stops at the bound', () => {
    const packed = ports.compression.gzip(new Uint8Array(1000))
    expect(() => ports.compression.gunzip(packed, 999)).toThrow(RangeError)
    expect(() => ports.compression.gunzip(new Uint8Array([1, 2, 3]), 999)).toThrow(Error)
  })

  test('knows which processes run', () => {
    const ended = spawnSync(process.execPath, ['-e', '']).pid
    expect([process.pid, process.ppid, ended, 0, -1, 1.5].map(ports.process.isRunning)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ])
    expect(ports.process.id).toBe(process.pid)
  })

  test('the clock goes forward', () => {
    const start = ports.clock.monotonic()
    expect(ports.clock.monotonic()).toBeGreaterThanOrEqual(start)
  })

  test('git needs no folder for temporary files', async () => {
    const before = process.env['TMPDIR']
    process.env['TMPDIR'] = '/nonexistent'
    try {
      const remote = { url: 'file:///nonexistent/repository', timeout: 10_000 }
      await expect(ports.git.listRefs(remote)).rejects.toMatchObject({ name: 'GitError', reason: 'not-found' })
    } finally {
      if (before === undefined) delete process.env['TMPDIR']
      else process.env['TMPDIR'] = before
    }
  })
})
