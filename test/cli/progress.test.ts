import { expect, test } from 'vitest'
import { createProgress } from '../../src/cli/progress.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { runCli } from './run-cli.ts'

function shown(mode: 'bar' | 'lines' | 'none', total: number, columns = 80): string {
  let text = ''
  const output = {
    write: (more: string) => {
      text += more
    },
    isTerminal: true,
    columns,
  }
  const progress = createProgress(output, mode)
  for (let done = 0; done <= total; done++)
    progress.show({ done, total, label: done === 0 ? '' : `ns/c${String(done)}` })
  progress.clear()
  return text
}

test('a bar is redrawn in place and goes at the end', () => {
  expect(shown('bar', 2).split('\r\u001B[K')).toEqual([
    '',
    '░░░░░░░░░░░░░░░░░░░░░░░░ 0/2 ',
    '████████████░░░░░░░░░░░░ 1/2 ns/c1',
    '████████████████████████ 2/2 ns/c2',
    '',
  ])
})

test('a bar never wraps', () => {
  expect(shown('bar', 1, 31).split('\r\u001B[K')).toEqual([
    '',
    '░░░░░░░░░░░░░░░░░░░░░░░░ 0/1 ',
    '████████████████████████ 1/1 n',
    '',
  ])
})

test('plain lines, at most twenty', () => {
  expect(shown('lines', 2)).toBe('rendered 1/2 ns/c1\nrendered 2/2 ns/c2\n')
  const many = shown('lines', 1000).trimEnd().split('\n')
  expect([many.length, many[0], many.at(-1)]).toEqual([20, 'rendered 50/1000 ns/c50', 'rendered 1000/1000 ns/c1000'])
})

test('nothing', () => {
  expect(shown('none', 3)).toBe('')
  expect(shown('lines', 0)).toBe('')
})

test('fetch says what it has looked at, for nothing may have to be fetched', async () => {
  const cwd = await tempFolder()
  await runCli(['init'], { cwd })
  await runCli(['update'], { cwd })
  expect((await runCli(['fetch'], { cwd })).stderr).toBe('checked 1/1 docker-starter-1-34-v1\n')
})
